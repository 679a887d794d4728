internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSRecords
internal import SwiftProtobuf
internal import KSWire

/// The rows of `waiting`: records that were pulled while the device was locked.
enum WaitingTable {
    /// Saves a record in place of an older state of it.
    static func save(_ record: PageAnswer.Record, in database: Database) throws {
        let message: Data = try WireRecord(record).serializedBytes()
        try database.run(
            """
            INSERT INTO waiting (record, kind, seq, message) VALUES (?, ?, ?, ?)
            ON CONFLICT (record) DO UPDATE SET kind = excluded.kind, seq = excluded.seq,
                message = excluded.message
            """,
            [record.id.column, try record.kind.column, record.seq.column, message]
        )
    }

    /// How many rows are opened in one transaction.
    private static let pageMax = 500

    /// The oldest rows after the one of this number, at most a page.
    ///
    /// A damaged row stays until its record is pulled again.
    /// - Returns: the records, and the number of the last row; nil if there was none.
    static func oldest(
        after id: Int64,
        in database: Database
    ) throws -> (records: [PageAnswer.Record], lastID: Int64?) {
        let rows = try database.rows(
            "SELECT id, message FROM waiting WHERE id > ? ORDER BY id LIMIT ?",
            [id, pageMax]
        )
        return (try rows.compactMap { try record(in: $0).value }, rows.last.map { $0["id"] })
    }

    static func record(in row: Row) throws -> Kept<PageAnswer.Record> {
        try Kept {
            do {
                let message = try WireRecord(serializedBytes: row["message"] as Data)
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

    /// The authors of the writes that wait, as far as they can be read.
    static func actors(in database: Database) throws -> Set<ActorID> {
        let rows = try database.rows("SELECT message FROM waiting")
        let records = try rows.compactMap { try record(in: $0).value }
        return Set(records.flatMap(\.siblings).map(\.dot.actor))
    }

    static func deleteAll(in database: Database) throws {
        try database.run("DELETE FROM waiting")
    }

    static func isEmpty(in database: Database) throws -> Bool {
        try !database.hasRow("SELECT 1 FROM waiting")
    }

    static func count(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM waiting") ?? 0
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
