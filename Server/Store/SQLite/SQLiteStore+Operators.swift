internal import Foundation
internal import GRDB
package import KSMerging
package import KSRecords

extension SQLiteStore {
    package func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures {
        try read { database in
            let row = try database.row(
                """
                SELECT count(*), coalesce(sum(record_count), 0),
                    coalesce(sum(stored_bytes + circle_bytes), 0),
                    coalesce(
                        sum(stored_bytes + circle_bytes >= coalesce(quota_bytes, ?) / 10 * 9), 0
                    ),
                    coalesce(sum(is_suspended), 0)
                FROM account
                """,
                [Int64(clamping: quotaBytes ?? AccountSummary.unlimitedBytes)]
            )
            guard let row else { throw StoreError.damaged }
            return StoreFigures(
                accounts: row[0],
                fullAccounts: row[3],
                suspendedAccounts: row[4],
                records: row[1],
                storedBytes: row[2]
            )
        }
    }

    package func summary(of account: AccountID) throws(StoreError) -> AccountSummary {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            let count = try database.row(
                "SELECT record_count FROM account WHERE number = ?",
                [row.number]
            )
            return AccountSummary(
                id: row.id,
                name: row.name,
                isSuspended: row.isSuspended,
                quotaBytes: row.quotaBytes,
                records: count?[0] ?? 0,
                storedBytes: UInt64(max(0, row.standing.recordBytes + row.standing.circleBytes)),
                seq: row.standing.seq,
                circleVersion: row.standing.circleVersion,
                members: try row.memberSummaries(nowSeconds: try database.servedSeconds())
            )
        }
    }

    package func setQuota(_ bytes: UInt64?, of account: AccountID) throws(StoreError) {
        try write { database in
            let row = try AccountRow.find(account, in: database)
            try database.run(
                "UPDATE account SET quota_bytes = ? WHERE number = ?",
                [bytes.map { Int64(clamping: max(1, $0)) }, row.number]
            )
        }
    }

    package func setSuspended(
        _ isSuspended: Bool,
        _ account: AccountID
    ) throws(StoreError) {
        try write { database in
            let row = try AccountRow.find(account, in: database)
            try database.run(
                "UPDATE account SET is_suspended = ? WHERE number = ?",
                [isSuspended, row.number]
            )
        }
    }

    package func isSuspended(_ account: AccountID) throws(StoreError) -> Bool {
        try read { database in
            try database.row("SELECT is_suspended FROM account WHERE id = ?", [account.data])?[0]
                ?? false
        }
    }
}

extension AccountRow {
    fileprivate func memberSummaries(nowSeconds: UInt64) throws -> [AccountSummary.Member] {
        try database.rows(
            """
            SELECT id, kind, applied_seq, last_contact_seconds, is_dormant FROM member
            WHERE account = ? ORDER BY last_contact_seconds DESC, id
            """,
            [number]
        ).map { row in
            let contact: UInt64 = row[3]
            return AccountSummary.Member(
                id: try MemberID(column: row[0]),
                kind: row[1],
                appliedSeq: row[2],
                silentSeconds: nowSeconds - min(nowSeconds, contact),
                isDormant: row[4]
            )
        }
    }
}
