package import KSMerging

/// The tables of ``PostgreSQLStore`` and their migrations.
package enum PostgreSQLSchema {
    private static let migrations = [
        (name: "v01-postgresql", sql: PackageResources.v01_postgresql_sql)
    ]
    /// A table of the first migration, by which tables without a version are noticed.
    private static let firstTable = "account"

    /// What a database needs.
    package struct Plan: Equatable, Sendable {
        /// How many migrations the database has.
        package let version: Int
        /// The migrations that it lacks, in order.
        package let missing: [String]
    }

    /// Creates the row that says which migrations the database has, and that one server at a time
    /// locks.
    private static let prepare = """
        CREATE TABLE IF NOT EXISTS migration (
            number bigint PRIMARY KEY CHECK (number = 1),
            version bigint NOT NULL,
            -- A migration that is no single transaction says here that it has begun.
            is_unfinished boolean NOT NULL
        );
        INSERT INTO migration (number, version, is_unfinished) VALUES (1, 0, false)
        ON CONFLICT (number) DO NOTHING;
        """

    /// It reads the catalog itself: `to_regclass` may answer from a cache while another server's
    /// migration is waited for.
    private static let hasTable = """
        SELECT EXISTS (
            SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1
        )
        """

    private static func lock(_ clause: String) -> Statement {
        Statement("SELECT version, is_unfinished FROM migration WHERE number = 1" + clause)
    }

    /// What a database needs, without a change of it.
    ///
    /// - Throws: ``StoreError/newerVersion``, ``StoreError/migrationUnfinished``.
    package static func plan(_ connection: DatabaseConnection) throws -> Plan {
        do {
            return try planOnce(connection)
        } catch StoreError.migrationUnfinished {
            // Another server may have committed its migration between two statements.
            return try planOnce(connection)
        }
    }

    private static func planOnce(_ connection: DatabaseConnection) throws -> Plan {
        let isPrepared = try connection.run([Statement(hasTable, .text("migration"))])[0].first
        guard try isPrepared?.boolean(0) == true else {
            return try plan(nil, hasTables: hasTables(connection))
        }
        return try plan(
            connection.run([lock("")])[0].first,
            hasTables: hasTables(connection)
        )
    }

    /// Runs the migrations that a database lacks, or only names them.
    ///
    /// - Throws: ``StoreError/newerVersion``, ``StoreError/migrationUnfinished``, or the database's
    ///   trouble.
    /// - Returns: their names.
    package static func migrate(address: String, isDryRun: Bool) throws(StoreError) -> [String] {
        try rethrowing {
            let connection = try DatabaseConnection(address, answerMax: .seconds(600))
            let missing = try plan(connection).missing
            if !isDryRun { try migrate(connection) }
            return missing
        }
    }

    /// Runs the migrations that the database lacks; other servers wait meanwhile.
    ///
    /// - Throws: ``StoreError/newerVersion``, ``StoreError/migrationUnfinished``.
    package static func migrate(_ connection: DatabaseConnection) throws {
        if try plan(connection).missing.isEmpty { return }
        do throws(DatabaseFailure) {
            try connection.runScript(prepare)
        } catch {
            // Another server may have made the table at the same moment.
            guard error.isOfAnother else { throw error }
        }
        do {
            let locked = try connection.run([Statement("BEGIN"), lock(" FOR UPDATE")])[1]
            let plan = try plan(locked.first, hasTables: hasTables(connection))
            for migration in migrations.dropFirst(plan.version) {
                try connection.runScript(String(decoding: migration.sql, as: UTF8.self))
            }
            _ = try connection.run([
                Statement(
                    "UPDATE migration SET version = $1 WHERE number = 1",
                    .integer(migrations.count)
                ),
                Statement("COMMIT"),
            ])
        } catch {
            // If this fails, the connection is closed, and PostgreSQL undoes the transaction.
            if connection.isInTransaction { _ = try? connection.run([Statement("ROLLBACK")]) }
            throw error
        }
    }

    private static func hasTables(_ connection: DatabaseConnection) throws -> Bool {
        let rows = try connection.run([Statement(hasTable, .text(firstTable))])
        return try rows[0].first?.boolean(0) == true
    }

    private static func plan(_ row: Row?, hasTables: Bool) throws -> Plan {
        let version = try row.map { Int(try $0.integer(0)) } ?? 0
        guard version <= migrations.count else { throw StoreError.newerVersion }
        guard try row?.boolean(1) != true, hasTables == (version > 0) else {
            throw StoreError.migrationUnfinished
        }
        return Plan(version: version, missing: migrations.dropFirst(version).map(\.name))
    }
}

extension DatabaseFailure {
    /// Whether a table or type of the name was made by somebody else meanwhile.
    fileprivate var isOfAnother: Bool {
        guard case .refused(let state) = self else { return false }
        return ["23505", "42P07", "42710"].contains(state)
    }
}
