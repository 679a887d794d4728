internal import Foundation
package import GRDB
package import KSRecords

/// The rows of `rewrite`: records that are to be written back.
package enum RewriteTable {
    /// Adds a record; one that is there already keeps its time.
    package static func add(
        _ record: RecordID,
        kind: RecordKind,
        dueMilliseconds: UInt64,
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO rewrite (record, kind, due_ms) VALUES (?, ?, ?)
                ON CONFLICT DO NOTHING
                """
        )
        try statement.execute(arguments: [
            Data(record.bytes), kind.column, Int64(dueMilliseconds),
        ])
    }

    package static func delete(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM rewrite WHERE record = ?")
        try statement.execute(arguments: [Data(record.bytes)])
    }

    /// The earliest and the latest due time, milliseconds since 1970; nil without records.
    package static func times(in database: Database) throws -> ClosedRange<UInt64>? {
        let statement = try database.cachedStatement(
            sql: "SELECT min(due_ms) AS first, max(due_ms) AS last FROM rewrite"
        )
        guard let row = try Row.fetchOne(statement), let first = row["first"] as Int64?,
            let last = row["last"] as Int64?
        else { return nil }
        return UInt64(clamping: first)...UInt64(clamping: last)
    }

    /// The records that are due by `now`, earliest first.
    package static func due(
        byMilliseconds now: UInt64,
        limit: Int,
        in database: Database
    ) throws -> [RecordID] {
        let statement = try database.cachedStatement(
            sql: "SELECT record FROM rewrite WHERE due_ms <= ? ORDER BY due_ms, id LIMIT ?"
        )
        return try Data.fetchAll(statement, arguments: [Int64(now), limit])
            .map { try RecordID(Array($0)).orCorrupt() }
    }

    /// All records, in the order in which they were added.
    package static func all(
        in database: Database
    ) throws -> [(record: RecordID, dueMilliseconds: UInt64)] {
        try Row.fetchAll(database, sql: "SELECT record, due_ms FROM rewrite ORDER BY id").map {
            (try RecordID($0.bytes("record")).orCorrupt(), UInt64(clamping: $0["due_ms"] as Int64))
        }
    }

    /// Changes a record's due time.
    package static func move(
        _ record: RecordID,
        dueMilliseconds: UInt64,
        in database: Database
    ) throws {
        try database.execute(
            sql: "UPDATE rewrite SET due_ms = ? WHERE record = ?",
            arguments: [Int64(dueMilliseconds), Data(record.bytes)]
        )
    }
}
