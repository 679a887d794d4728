internal import Foundation
internal import GRDB
internal import KSCausality
package import KSMerging
package import KSRecords

// Reading all rows of an account, and leaving out those that are damaged.

extension SQLiteStore {
    package func check(
        _ account: AccountID,
        repairs: Bool
    ) throws(StoreError) -> AccountCheck {
        let found = try read { database in
            let row = try AccountRow.find(account, in: database)
            return try row.result(of: row.checker())
        }
        guard repairs, found.isRepairable else { return found }
        return try write { database in
            // A device may have written since.
            let row = try AccountRow.find(account, in: database)
            let checker = try row.checker()
            let found = try row.result(of: checker)
            guard found.isRepairable else { return found }
            if found.hasDamagedCircle {
                try row.cutCircle(
                    to: checker.intactEntries,
                    nowSeconds: try database.servedSeconds()
                )
            }
            try row.leaveOut(found.damagedSeqs)
            if found.hasDamagedCircle {
                try AccountRow.find(account, in: database).beginEpoch(newEpoch())
            }
            return found.repaired
        }
    }
}

extension AccountRow {
    /// A checker that has taken all rows.
    fileprivate func checker() throws -> AccountChecker {
        var checker = AccountChecker(
            id,
            circleVersion: standing.circleVersion,
            vector: try vector()
        )
        let entries = try database.rows(
            "SELECT version, entry FROM circle_entry WHERE account = ? ORDER BY version",
            [number]
        )
        checker.takeEntries(entries.map { (version: $0[0], entry: $0[1]) })
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT position, id, siblings, boxes, is_deleted FROM record
                WHERE position > ? AND position <= ? ORDER BY position
                """,
            arguments: [position(0), position(1 << 40 - 1)]
        )
        while let row = try rows.next() {
            let id: Data = row[1]
            checker.takeRecord(
                seq: seq(at: row[0]),
                id: Array(id),
                siblings: row[2],
                boxes: row[3],
                isDeleted: row[4]
            )
        }
        return checker
    }

    fileprivate func result(of checker: AccountChecker) throws -> AccountCheck {
        let count = try database.row(
            "SELECT record_count FROM account WHERE number = ?",
            [number]
        )
        return checker.result(recordCount: count?[0] ?? 0, recordBytes: standing.recordBytes)
    }

    /// Removes the records of these seqs, and counts the others again.
    fileprivate func leaveOut(_ seqs: [UInt64]) throws {
        for seq in seqs {
            try database.run("DELETE FROM record WHERE position = ?", [position(seq)])
        }
        let (count, bytes) = try checker().counts
        try database.run(
            "UPDATE account SET record_count = ?, stored_bytes = ? WHERE number = ?",
            [count, bytes, number]
        )
    }

    /// Takes the circle back to its last intact entry.
    ///
    /// The members' devices put the others back, with the envelopes that belong to the newest.
    fileprivate func cutCircle(
        to intact: [(entry: CircleEntry, signed: SignedEntry)],
        nowSeconds: UInt64
    ) throws {
        guard let last = intact.last?.entry else { throw StoreError.damaged }
        for table in ["circle_entry", "generation_envelope"] {
            try database.run(
                "DELETE FROM \(table) WHERE account = ? AND version > ?",
                [number, last.version]
            )
        }
        try database.run("DELETE FROM key_envelope WHERE account = ?", [number])
        try replaceMembers(with: last.members, nowSeconds: nowSeconds)
        try database.run(
            """
            UPDATE account SET circle_version = ?, generation = ?, circle_bytes = ? + (
                SELECT coalesce(sum(length(sealed)), 0) FROM generation_envelope
                WHERE generation_envelope.account = account.number
            )
            WHERE number = ?
            """,
            [
                last.version, last.generation,
                intact.reduce(0) { $0 + $1.signed.column.count }, number,
            ]
        )
    }
}
