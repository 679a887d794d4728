internal import Foundation
internal import GRDB
package import KSMerging
package import KSRecords
internal import KSWire

extension SQLiteStore {
    package func probe() throws(StoreError) {
        try read { database in
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM store")
            guard count == 1 else { throw StoreError.damaged }
        }
    }

    package func useNonce(_ nonce: [UInt8], expirySeconds: UInt64) throws(StoreError) -> Bool {
        let now = clockSeconds()
        guard expirySeconds >= now, let expiry = Int64(exactly: expirySeconds) else { return false }
        return try write { database in
            try database.run("DELETE FROM used_nonce WHERE expiry_seconds < ?", [now])
            try database.run(
                """
                INSERT INTO used_nonce (nonce, expiry_seconds) VALUES (?, ?)
                ON CONFLICT DO NOTHING
                """,
                [nonce.data, expiry]
            )
            return database.changesCount == 1
        }
    }

    package func createAccount(_ account: NewAccount) throws(StoreError) -> StoreEpoch {
        let lookUpName = try AccountName.lookUpForm(of: account.name)
        let incoming = try rethrowing { try IncomingEntry(genesis: account) }
        return try write { database in
            if let existing = try AccountRow.find(lookUpName: lookUpName, in: database) {
                guard account.isRetry(of: existing.id, genesis: try existing.entry(version: 1))
                else { throw StoreError.refused(.nameTaken) }
                return existing.standing.epoch
            }
            guard let epoch = try Data.fetchOne(database, sql: "SELECT epoch FROM store") else {
                throw StoreError.damaged
            }
            try database.run(
                """
                INSERT INTO account
                    (id, name, look_up_name, epoch, circle_version, generation, credentials_box)
                VALUES (?, ?, ?, ?, 1, ?, ?)
                ON CONFLICT (id) DO NOTHING
                """,
                [
                    account.id.data, account.name, lookUpName, epoch,
                    incoming.entry.generation, (account.genesis.credentialsBox ?? []).data,
                ]
            )
            guard database.changesCount == 1 else { throw StoreError.refused(.nameTaken) }
            let row = try AccountRow.find(account.id, in: database)
            try row.save(incoming, nowSeconds: clockSeconds())
            return try StoreEpoch(column: epoch)
        }
    }

    package func account(named name: String) throws(StoreError) -> AccountState? {
        let lookUpName = try AccountName.lookUpForm(of: name)
        return try read { try AccountRow.find(lookUpName: lookUpName, in: $0)?.state }
    }

    package func account(_ id: AccountID) throws(StoreError) -> AccountState? {
        do {
            return try read { try AccountRow.find(id, in: $0).state }
        } catch .notFound {
            return nil
        }
    }

    package func deleteAccount(_ id: AccountID) throws(StoreError) {
        try write { database in
            let account = try AccountRow.find(id, in: database)
            for table in Self.accountTables {
                try database.run("DELETE FROM \(table) WHERE account = ?", [account.number])
            }
            try database.run("DELETE FROM account WHERE number = ?", [account.number])
        }
    }

    /// Every table whose rows belong to an account.
    private static let accountTables = [
        "circle_entry", "key_envelope", "generation_envelope", "member", "actor", "accepted_batch",
        "commit_tag",
        "record",
    ]
}
