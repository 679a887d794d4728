internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSMerging
internal import KSRecords

/// A record's row.
enum RecordRow {
    /// Loads a record without its boxes; nil if the account has no such record.
    static func find(
        _ id: RecordID,
        of account: AccountRow,
        in database: Database
    ) throws -> HeldRecord? {
        let row = try database.row(
            "SELECT position, siblings FROM record WHERE account = ? AND id = ?",
            [account.number, id.data]
        )
        return try row.map { row in
            HeldRecord(
                id: id,
                storedSeq: account.seq(at: row[0]),
                siblings: try Siblings(column: row[1], of: id)
            )
        }
    }

    /// The record of a row with position, id, siblings and boxes.
    static func record(in row: Row, of account: AccountRow) throws -> PageAnswer.Record {
        let id = try RecordID(column: row[1])
        return PageAnswer.Record(
            id: id,
            seq: account.seq(at: row[0]),
            siblings: try Siblings<HeldSibling>(column: row[2], of: id, boxes: row[3])
                .entries.map(\.value.envelope)
        )
    }

    /// Writes the record at the seq of its latest write.
    static func save(_ record: HeldRecord, of account: AccountRow, in database: Database) throws {
        let previous = record.storedSeq.map(account.position)
        var stored = Data()
        if let previous, record.siblings.entries.contains(where: { $0.value.storedBox != nil }) {
            stored =
                try database.blob("SELECT boxes FROM record WHERE position = ?", [previous])
                ?? Data()
        }
        let arguments: StatementArguments = [
            account.position(record.seq), account.number, record.id.data,
            record.siblings.areAllTombstones, record.siblings.column,
            try record.siblings.boxes(from: stored),
        ]
        guard let previous else {
            return try database.run(
                """
                INSERT INTO record (position, account, id, is_deleted, siblings, boxes)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                arguments
            )
        }
        try database.run(
            """
            UPDATE record
            SET position = ?, account = ?, id = ?, is_deleted = ?, siblings = ?, boxes = ?
            WHERE position = ?
            """,
            arguments + [previous]
        )
    }
}
