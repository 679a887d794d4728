internal import KSDigests
internal import GRDB
internal import KSMerging
internal import KSRecords

/// The tables of ``SQLiteStore`` and their migrations.
package enum StoreSchema {
    /// Marks a SQLite file as a store of this program.
    static let applicationID: Int64 = 1_266_242_420

    private static let migrations = [(name: "v01-store", sql: PackageResources.v01_store_sql)]

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name) { database in
                try database.execute(sql: String(decoding: migration.sql, as: UTF8.self))
            }
        }
        return migrator
    }

    /// Migrates a store, and creates its tables in an empty file.
    static func prepare(_ database: any DatabaseWriter, random: any RandomSource) throws {
        // Another program's file must not get these tables.
        try database.read(checkIdentityUnlessEmpty)
        try migrator.migrate(database)
        try database.write { database in
            try database.run(
                "INSERT INTO store (number, epoch) VALUES (1, ?) ON CONFLICT DO NOTHING",
                [random.bytes(StoreEpoch.byteCount).data]
            )
        }
    }

    /// Throws unless the database is a store or empty.
    static func checkIdentityUnlessEmpty(_ database: Database) throws {
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
        if !isEmpty { try checkIdentity(of: database) }
    }

    /// Throws unless the database is a store of a known version.
    static func checkIdentity(of database: Database) throws {
        let identity = try Int64.fetchOne(database, sql: "PRAGMA application_id")
        guard identity == applicationID else { throw StoreError.notAStore }
        guard try !migrator.hasBeenSuperseded(database) else { throw StoreError.newerVersion }
    }
}
