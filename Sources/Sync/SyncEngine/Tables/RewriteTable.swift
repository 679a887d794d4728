internal import GRDB
internal import KSRecords

/// The rows of `rewrite`: records that are to be written back.
enum RewriteTable {
    /// Adds a record; one that is there already keeps its time.
    static func add(
        _ record: RecordID,
        kind: RecordKind,
        dueMilliseconds: UInt64,
        in database: Database
    ) throws {
        try database.run(
            "INSERT INTO rewrite (record, kind, due_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [record.column, kind.column, dueMilliseconds.column]
        )
    }

    static func delete(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM rewrite WHERE record = ?", [record.column])
    }

    /// The earliest and the latest due time, milliseconds since 1970; nil without records.
    static func times(in database: Database) throws -> ClosedRange<UInt64>? {
        let row = try database.rows("SELECT min(due_ms) AS first, max(due_ms) AS last FROM rewrite")
            .first
        guard let first = row?["first"] as Int64?, let last = row?["last"] as Int64? else {
            return nil
        }
        return UInt64(clamping: first)...UInt64(clamping: last)
    }

    /// The records that are due by `now`, earliest first, as many as a batch may hold.
    static func due(byMilliseconds now: UInt64, in database: Database) throws -> [RecordID] {
        try database.rows(
            "SELECT record FROM rewrite WHERE due_ms <= ? ORDER BY due_ms, id LIMIT ?",
            [now.column, Limits.batchRecordsMax]
        ).map { try $0.fixed("record") }
    }

    /// All records, in the order in which they were added.
    static func all(in database: Database) throws -> [(record: RecordID, dueMilliseconds: UInt64)] {
        try database.rows("SELECT record, due_ms FROM rewrite ORDER BY id").map {
            (try $0.fixed("record"), UInt64(clamping: $0["due_ms"] as Int64))
        }
    }

    /// Changes a record's due time.
    static func move(_ record: RecordID, dueMilliseconds: UInt64, in database: Database) throws {
        try database.run(
            "UPDATE rewrite SET due_ms = ? WHERE record = ?",
            [dueMilliseconds.column, record.column]
        )
    }
}
