internal import GRDB
package import KSMerging
package import KSRecords

extension SQLiteStore {
    /// One stored record, for people who want to see what the server holds.
    ///
    /// - Parameters:
    ///   - account: the record's account.
    ///   - seq: the record's seq; nil for the newest record.
    /// - Throws: ``StoreError``, also if there is no such account.
    /// - Returns: nil if there is no such record.
    package func record(
        of account: AccountID,
        seq: UInt64?
    ) throws(StoreError) -> PageAnswer.Record? {
        try read { database in
            let account = try AccountRow.find(account, in: database)
            let row = try database.row(
                """
                SELECT position, id, siblings, boxes FROM record
                WHERE position >= ? AND position <= ?
                ORDER BY position DESC LIMIT 1
                """,
                [account.position(seq ?? 0), account.position(seq ?? account.standing.seq)]
            )
            return try row.map { try account.record(in: $0) }
        }
    }
}
