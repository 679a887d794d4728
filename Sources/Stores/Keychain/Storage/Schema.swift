package import GRDB

/// The tables of one module, as numbered migrations that are applied in order, each in one
/// transaction.
///
/// Several modules may keep their tables in one file: each has a name of its own.
package struct Schema: Sendable {
    private let name: String
    package let migrations: [(name: String, sql: [UInt8])]

    package init(name: String, migrations: [(name: String, sql: [UInt8])]) {
        self.name = name
        self.migrations = migrations
    }

    /// Brings the tables to this version.
    ///
    /// - Throws: ``KeychainError/newerFormat`` if the file has a migration that we do not know;
    ///   nothing is changed then.
    package func apply(to database: any DatabaseWriter) throws(ItemStoreError) {
        var migrator = DatabaseMigrator()
        let known = Set(migrations.map { "\(name) \($0.name)" })
        for migration in migrations {
            migrator.registerMigration("\(name) \(migration.name)") { database in
                try database.execute(sql: String(decoding: migration.sql, as: UTF8.self))
            }
        }
        try withKeychainErrors {
            let applied = try database.read { try migrator.appliedIdentifiers($0) }
            guard applied.allSatisfy({ known.contains($0) || !$0.hasPrefix(name + " ") }) else {
                throw ItemStoreError.newerFormat
            }
            try migrator.migrate(database)
        }
    }
}
