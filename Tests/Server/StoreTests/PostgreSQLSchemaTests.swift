import Foundation
import KSMerging
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSStore
import KSTestSupport
import Testing

/// The tables of the PostgreSQL store, its migrations, and its SQL.
@Suite(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLSchemaTests {
    /// The tables that belong to no account.
    private static let shared: Set = [
        "server", "server_secret", "node", "used_nonce", "invitation", "account_name", "migration",
    ]

    @Test
    func `every key of an account's rows leads with the account`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        try schema.open().close()
        let tables = try schema.texts(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(schema.name)'"
        )
        #expect(Set(tables).isSuperset(of: Self.shared) && tables.count == Self.shared.count + 9)
        for table in tables where !Self.shared.contains(table) {
            let firsts = try schema.texts(
                """
                SELECT pg_get_indexdef(indexrelid, 1, false) FROM pg_index
                WHERE indrelid = '\(table)'::regclass
                """
            )
            #expect(!firsts.isEmpty && firsts.allSatisfy { $0 == "account" }, "\(table)")
        }
        // Nothing ties accounts to each other, or needs a lock beyond their rows.
        let others = try schema.integers(
            """
            SELECT (SELECT count(*) FROM pg_constraint
                    WHERE contype = 'f' AND connamespace = '\(schema.name)'::regnamespace)
                + (SELECT count(*) FROM pg_sequences WHERE schemaname = '\(schema.name)')
                + (SELECT count(*) FROM information_schema.triggers
                    WHERE trigger_schema = '\(schema.name)')
            """
        )
        #expect(others == [0])
    }

    @Test
    func `of many servers that start at once, one makes the tables`() async throws {
        let schema = try TestPostgreSQL.makeSchema()
        let epochs = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for seed in 0..<8 {
                group.addTask {
                    let store = try schema.open(random: SeededRandomSource(seed: UInt64(seed)))
                    defer { store.close() }
                    return try store.createAccount(FakeAccount(UInt8(seed + 1)).signUp).bytes
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(epochs.count == 1)
        #expect(try schema.integers("SELECT version FROM migration") == [1])
    }

    @Test
    func `a dry run says what is missing, and changes nothing`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        func migrate(isDryRun: Bool) throws -> [String] {
            try PostgreSQLSchema.migrate(address: schema.address, isDryRun: isDryRun)
        }
        let count = "SELECT count(*) FROM pg_tables WHERE schemaname = '\(schema.name)'"
        #expect(try migrate(isDryRun: true) == ["v01-postgresql"])
        #expect(try schema.integers(count) == [0])
        #expect(try migrate(isDryRun: false) == ["v01-postgresql"])
        #expect(try schema.integers(count) == [16])
        #expect(try migrate(isDryRun: true).isEmpty)
        #expect(try migrate(isDryRun: false).isEmpty)
    }

    @Test(
        arguments: [
            ("UPDATE migration SET version = 2", .newerVersion),
            ("UPDATE migration SET is_unfinished = true", .migrationUnfinished),
            ("UPDATE migration SET version = 0", .migrationUnfinished),
            ("DROP TABLE migration", .migrationUnfinished),
            ("DROP TABLE account", .migrationUnfinished),
        ] as [(String, StoreError)]
    )
    func `a database that is newer or half done is refused`(
        change: String,
        error: StoreError
    ) throws {
        let schema = try TestPostgreSQL.makeSchema()
        try schema.open().close()
        try schema.execute(change)
        let before = try schema.texts("SELECT tablename::text FROM pg_tables ORDER BY 1")
        #expect(throws: error) { try schema.open() }
        #expect(throws: error) {
            try PostgreSQLSchema.migrate(address: schema.address, isDryRun: true)
        }
        let present = "SELECT count(*) FROM pg_tables WHERE schemaname = '\(schema.name)'"
        #expect(try schema.integers(present)[0] >= 15 && !before.isEmpty)
    }
}

/// The SQL of the PostgreSQL store, as its source has it.
struct PostgreSQLStatementTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Server/PostgreSQLStore")

    /// The string literals that are SQL, by file.
    private static func statements() throws -> [(file: String, sql: String)] {
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return try (files ?? []).filter { $0.hasSuffix(".swift") }.sorted().flatMap { file in
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            let literal = /"""\n(.*?)"""|"([^"\n]+)"/.dotMatchesNewlines()
            return text.matches(of: literal).compactMap { match in
                let sql = String(match.output.1 ?? match.output.2 ?? "")
                let isSQL = sql.contains(/\b(SELECT|INSERT|UPDATE|DELETE|LOCK|TRUNCATE)\b/)
                return isSQL ? (file: file, sql: sql) : nil
            }
        }
    }

    /// Statements about the store itself, which have no account, and those of a copy, which make
    /// their SQL from the tables.
    private static let exceptions = [
        "Statement+Shared.swift", "PostgreSQLSchema.swift", "Statement+Copy.swift",
    ]

    @Test
    func `every statement names its account`() throws {
        let statements = try Self.statements()
        #expect(statements.count > 50)
        var checked = 0
        for (file, sql) in statements where !Self.exceptions.contains(where: file.hasSuffix) {
            if sql.contains("set_config") { continue }
            checked += 1
            let inserts = sql.contains(/INSERT INTO \w+ \(\s*account\b/)
            let first = sql.contains(/account = \$1\b/) || sql.contains(/account = ANY \(\$1\b/)
            // The maintenance looks at one account after the other.
            let next = sql.contains("account > $1")
            #expect(inserts || first || next, "\(file): \(sql)")
            // Each table that a statement reads is read for the one account.
            let tables = sql.matches(of: /\b(?:FROM|JOIN|UPDATE|DELETE FROM) (\w+)/)
                .map { String($0.output.1) }.filter { $0 != "unnest" && $0 != "counted" }
            let named = sql.matches(of: /account = (?:\$1|account\.account|ANY)/).count
            #expect(named >= tables.count || inserts || next, "\(file): \(sql)")
        }
        #expect(checked > 35)
    }

    @Test
    func `a push takes no lock beyond its account's row`() throws {
        for (file, sql) in try Self.statements() where !file.hasSuffix("Statement+Copy.swift") {
            let refused = /advisory|SAVEPOINT|nextval|serial|TRIGGER|LOCK TABLE|pg_cancel/
            #expect(!sql.contains(refused), "\(file): \(sql)")
            #expect(!sql.contains("pg_notify") || file.hasSuffix("Statement+Shared.swift"))
        }
    }
}
