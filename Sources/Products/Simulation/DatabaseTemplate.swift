internal import GRDB

/// A database as it was at one time, and what puts another connection back to it.
///
/// A copy of the whole file would make SQLite prepare every statement again; this changes rows.
struct DatabaseTemplate: Sendable {
    /// A table, and its rows in the order in which they were inserted.
    private struct Table: Sendable {
        let name: String
        let columns: [String]
        let rows: [[DatabaseValue]]

        var deletion: String { "DELETE FROM \(name)" }
        var insertion: String {
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            return "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))"
        }
    }

    let database: DatabaseQueue
    /// A table is before those that refer to it.
    private let tables: [Table]
    private let schema: [String]

    /// `database`: nothing changes it from now on.
    init(of database: DatabaseQueue) throws {
        self.database = database
        (tables, schema) = try database.unsafeRead { database in
            (try Self.tables(of: database), try Self.schema(of: database))
        }
    }

    /// Puts another connection's rows back.
    ///
    /// - Returns: false if its tables are others, so that it cannot be used.
    func isRestored(in other: DatabaseQueue) throws -> Bool {
        try other.writeWithoutTransaction { other in
            guard try Self.schema(of: other) == schema else { return false }
            try other.inTransaction {
                for table in tables.reversed() {
                    try other.cachedStatement(sql: table.deletion).execute()
                }
                for table in tables where !table.rows.isEmpty {
                    let insertion = try other.cachedStatement(sql: table.insertion)
                    for row in table.rows {
                        try insertion.execute(arguments: StatementArguments(row))
                    }
                }
                return .commit
            }
            return true
        }
    }

    private static func schema(of database: Database) throws -> [String] {
        let statement = try database.cachedStatement(
            sql: "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name"
        )
        return try String.fetchAll(statement)
    }

    private static func tables(of database: Database) throws -> [Table] {
        var left = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        )
        var ordered: [String] = []
        while !left.isEmpty {
            let free = try left.filter { name in
                let targets = try String.fetchAll(
                    database,
                    sql: "SELECT \"table\" FROM pragma_foreign_key_list(?)",
                    arguments: [name]
                )
                return targets.allSatisfy { $0 == name || !left.contains($0) }
            }
            precondition(!free.isEmpty, "tables refer to one another")
            ordered += free
            left.removeAll(where: free.contains)
        }
        return try ordered.map { name in
            let columns = try String.fetchAll(
                database,
                sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid",
                arguments: [name]
            )
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM \(name)")
            return Table(name: name, columns: columns, rows: rows.map { Array($0.databaseValues) })
        }
    }
}
