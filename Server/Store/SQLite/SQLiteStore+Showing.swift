internal import KSCausality
internal import Foundation
internal import GRDB
package import KSRecords

extension SQLiteStore {
    /// One record as it is stored, for people who want to see what the server holds.
    ///
    /// - Parameters:
    ///   - account: whose record it is.
    ///   - seq: of the record; nil for the one written last.
    /// - Throws: ``StoreError``, also when there is no such account.
    /// - Returns: nil when there is no such record.
    package func record(
        of account: AccountID,
        seq: UInt64?
    ) throws(StoreError) -> ChangedRecord? {
        try read { database -> ChangedRecord? in
            let account = try AccountRow.find(account, in: database)
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT position, id, siblings, boxes FROM record
                    WHERE position >= ? AND position <= ?
                    ORDER BY position DESC LIMIT 1
                    """,
                arguments: [account.position(seq ?? 0), account.position(seq ?? account.seq)]
            )
            guard let row else { return nil }
            let id = try RecordID(column: row[1])
            let boxes: Data = row[3]
            return ChangedRecord(
                recordID: id,
                seq: account.seq(at: row[0]),
                siblings: try Siblings(column: row[2]).entries.map { entry in
                    entry.value.envelope(recordID: id, boxes: boxes)
                }
            )
        }
    }
}
