internal import Foundation
package import GRDB
package import KSRecords
internal import SwiftProtobuf
internal import KSWire

/// The rows of `waiting`: records that were pulled while the device was locked.
package enum WaitingTable {
    /// Saves a record in place of an older state of it.
    package static func save(_ record: PageAnswer.Record, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO waiting (record, kind, seq, message) VALUES (?, ?, ?, ?)
                ON CONFLICT (record) DO UPDATE SET kind = excluded.kind, seq = excluded.seq,
                    message = excluded.message
                """
        )
        try statement.execute(arguments: [
            Data(record.id.bytes), record.kind.column, Int64(record.seq),
            try WireRecord(record).serializedBytes() as Data,
        ])
    }

    /// The oldest rows after the one of this number, at most `limit`.
    ///
    /// A damaged row stays until its record is pulled again.
    /// - Returns: the records, and the number of the last row; nil if there was none.
    package static func oldest(
        _ limit: Int,
        after id: Int64,
        in database: Database
    ) throws -> (records: [PageAnswer.Record], lastID: Int64?) {
        let statement = try database.cachedStatement(
            sql: "SELECT id, message FROM waiting WHERE id > ? ORDER BY id LIMIT ?"
        )
        let rows = try Row.fetchAll(statement, arguments: [id, limit])
        return (try rows.compactMap { try record(in: $0).value }, rows.last.map { $0["id"] })
    }

    static func record(in row: Row) throws -> Kept<PageAnswer.Record> {
        try Kept {
            do {
                return try PageAnswer.Record(WireRecord(serializedBytes: row["message"] as Data))
            } catch {
                throw SyncEngineError.corruptDatabase
            }
        }
    }

    package static func delete(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM waiting WHERE record = ?")
        try statement.execute(arguments: [Data(record.bytes)])
    }

    package static func isEmpty(in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT NOT EXISTS (SELECT 1 FROM waiting)"
        )
        return try Bool.fetchOne(statement) ?? true
    }

    package static func count(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM waiting") ?? 0
    }
}

extension PageAnswer.Record {
    /// The kind of its siblings; one of another kind has another id, and does not open.
    ///
    /// A page with a record that has no siblings was refused before.
    var kind: RecordKind { siblings.first?.kind ?? .keychain }
}
