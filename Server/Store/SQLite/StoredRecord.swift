internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords

/// A record's row.
struct StoredRecord {
    let id: RecordID
    /// Nil while the record is new.
    let position: Int64?
    var siblings: Siblings<StoredSibling>

    /// The row of a record, without reading its boxes; one without siblings where there is none.
    static func find(
        _ id: RecordID,
        of account: AccountRow,
        in database: Database
    ) throws -> StoredRecord {
        let statement = try database.cachedStatement(
            sql: "SELECT position, siblings FROM record WHERE account = ? AND id = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [account.number, id.data]) else {
            return StoredRecord(id: id, position: nil, siblings: Siblings())
        }
        return StoredRecord(id: id, position: row[0], siblings: try Siblings(column: row[1]))
    }

    /// Writes the row at the seq of its latest write.
    func store(seq: UInt64, of account: AccountRow, in database: Database) throws {
        let arguments: StatementArguments = [
            account.position(seq), account.number, id.data, siblings.areAllTombstones,
            siblings.column, try boxes(in: database),
        ]
        guard let position else {
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO record (position, account, id, is_deleted, siblings, boxes)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """
            )
            return try statement.execute(arguments: arguments)
        }
        let statement = try database.cachedStatement(
            sql: """
                UPDATE record
                SET position = ?, account = ?, id = ?, is_deleted = ?, siblings = ?, boxes = ?
                WHERE position = ?
                """
        )
        try statement.execute(arguments: arguments + [position])
    }

    /// The boxes of the siblings, in their order; those that stay are read from the row.
    private func boxes(in database: Database) throws -> Data {
        var stored = Data()
        let keepsAny = siblings.entries.contains { entry in
            if case .stored = entry.value.box { true } else { false }
        }
        if keepsAny, let position {
            let statement = try database.cachedStatement(
                sql: "SELECT boxes FROM record WHERE position = ?"
            )
            stored = try Data.fetchOne(statement, arguments: [position]) ?? Data()
        }
        var boxes = Data()
        for entry in siblings.entries {
            boxes.append(contentsOf: entry.value.box(from: stored))
        }
        return boxes
    }
}
