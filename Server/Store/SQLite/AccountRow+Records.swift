internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSMerging
internal import KSRecords

// The rows of records.

extension AccountRow {
    /// Loads a record without its boxes; nil if the account has no such record.
    func record(_ id: RecordID) throws -> HeldRecord? {
        let row = try database.row(
            "SELECT position, siblings FROM record WHERE account = ? AND id = ?",
            [number, id.data]
        )
        return row.map { row in
            HeldRecord(
                id: id,
                storedSeq: seq(at: row[0]),
                // One that cannot be read is replaced by what a device writes.
                siblings: (try? Siblings(column: row[1], of: id)) ?? Siblings([])
            )
        }
    }

    /// The record of a row with position, id, siblings and boxes.
    func record(in row: Row) throws -> PageAnswer.Record {
        let id = try RecordID(column: row[1])
        return PageAnswer.Record(
            id: id,
            seq: seq(at: row[0]),
            siblings: try Siblings<HeldSibling>(column: row[2], of: id, boxes: row[3])
                .entries.map(\.value.envelope)
        )
    }

    /// Writes the record at the seq of its latest write.
    func save(_ record: HeldRecord) throws {
        let previous = record.storedSeq.map(position)
        var stored = Data()
        if let previous, record.siblings.entries.contains(where: { $0.value.storedBox != nil }) {
            stored =
                try database.blob("SELECT boxes FROM record WHERE position = ?", [previous])
                ?? Data()
        }
        let arguments: StatementArguments = [
            position(record.seq), number, record.id.data,
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
