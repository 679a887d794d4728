internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSRecords
internal import SwiftProtobuf
internal import KSWire

/// The rows of `waiting`: records that were pulled and not applied.
enum WaitingTable {
    /// What a record waits for.
    enum Reason: Int {
        case unlock = 0
        /// It deletes an entry, and whether the user is asked depends on the rest of the pull.
        case endOfPull = 1
        /// The user is asked about it and about all other deletions.
        case answer = 2
    }

    /// Saves a record in place of an older state of it.
    static func save(
        _ record: PageAnswer.Record,
        for reason: Reason = .unlock,
        in database: Database
    ) throws {
        let message: Data = try WireRecord(record).serializedBytes()
        try database.run(
            """
            INSERT INTO waiting (record, kind, seq, message, reason) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (record) DO UPDATE SET kind = excluded.kind, seq = excluded.seq,
                message = excluded.message, reason = excluded.reason
            """,
            [
                record.id.column, try record.kind.column, record.seq.column, message,
                reason.rawValue,
            ]
        )
    }

    /// Notes that the server has removed a record while this device was away.
    ///
    /// What was a question stays one.
    static func saveRemoved(
        _ record: RecordID,
        _ kind: RecordKind,
        in database: Database
    ) throws {
        // Without a page, the message is empty.
        try database.run(
            """
            INSERT INTO waiting (record, kind, seq, message, reason) VALUES (?, ?, 0, x'', ?)
            ON CONFLICT (record) DO NOTHING
            """,
            [record.column, kind.column, Reason.endOfPull.rawValue]
        )
    }

    /// How many rows are opened in one transaction.
    private static let pageMax = 500

    /// The oldest rows after the one of this number that wait for the unlock, at most a page.
    ///
    /// A damaged row stays until its record is pulled again.
    /// - Returns: the records, and the number of the last row; nil if there was none.
    static func oldest(
        after id: Int64,
        in database: Database
    ) throws -> (records: [PageAnswer.Record], lastID: Int64?) {
        let rows = try database.rows(
            "SELECT id, message FROM waiting WHERE reason = 0 AND id > ? ORDER BY id LIMIT ?",
            [id, pageMax]
        )
        return (try rows.compactMap { try record(in: $0).value }, rows.last.map { $0["id"] })
    }

    /// The record as it came; none if the server has removed it.
    static func record(in row: Row) throws -> Kept<PageAnswer.Record> {
        let bytes: Data = row["message"]
        guard !bytes.isEmpty else { return .none }
        return try Kept {
            do {
                let message = try WireRecord(serializedBytes: bytes)
                let record = try PageAnswer.Record(message)
                _ = try record.kind
                return record
            } catch {
                throw SyncEngineError.corruptDatabase
            }
        }
    }

    static func delete(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM waiting WHERE record = ?", [record.column])
    }

    /// The siblings of the records that wait, as far as they can be read.
    static func siblings(in database: Database) throws -> [Envelope] {
        let rows = try database.rows("SELECT message FROM waiting")
        return try rows.compactMap { try record(in: $0).value }.flatMap(\.siblings)
    }

    /// Forgets what was pulled from a server that went back, but not which records were deleted.
    static func forgetPages(in database: Database) throws {
        try database.run("DELETE FROM waiting WHERE reason = 0")
        try database.run("UPDATE waiting SET seq = 0, message = x''")
    }

    /// Whether nothing waits for the unlock.
    static func isEmpty(in database: Database) throws -> Bool {
        try !database.hasRow("SELECT 1 FROM waiting WHERE reason = 0")
    }

    /// How many records wait for the unlock.
    static func count(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM waiting WHERE reason = 0") ?? 0
    }

    // MARK: Deletions

    /// How many deletions wait: for the user's answer, or for anything.
    static func deletionCount(forAnswer: Bool, in database: Database) throws -> Int {
        let reasons = forAnswer ? "= 2" : "> 0"
        let sql = "SELECT count(*) FROM waiting WHERE reason \(reasons)"
        return try Int.fetchOne(database, sql: sql) ?? 0
    }

    /// Whether deletions wait for the end of a pull.
    static func hasUndecidedDeletions(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM waiting WHERE reason = 1")
    }

    /// Makes all deletions wait for the user's answer.
    static func ask(in database: Database) throws {
        try database.run("UPDATE waiting SET reason = 2 WHERE reason = 1")
    }

    /// The deletions after the row of this number, at most a page; none in place of what the server
    /// has removed.
    static func deletions(
        after id: Int64,
        in database: Database
    ) throws -> [(rowID: Int64, record: RecordID, page: Kept<PageAnswer.Record>)] {
        try database.rows(
            "SELECT id, record, message FROM waiting WHERE reason > 0 AND id > ? ORDER BY id"
                + " LIMIT ?",
            [id, pageMax]
        ).map { ($0["id"], try $0.fixed("record"), try record(in: $0)) }
    }
}

extension PageAnswer.Record {
    /// The kind of its siblings: one of another kind has another record id and does not open.
    ///
    /// - Throws: ``PageFault/recordWithoutSiblings``, although a page with one was refused before.
    var kind: RecordKind {
        get throws(PageFault) {
            guard let sibling = siblings.first else { throw .recordWithoutSiblings }
            return sibling.kind
        }
    }
}
