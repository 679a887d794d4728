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
            let row = try AccountRow.make(
                account.id,
                named: account.name,
                lookUpName: lookUpName,
                generation: incoming.entry.generation,
                credentialsBox: account.genesis.credentialsBox ?? [],
                in: database
            )
            try row.save(incoming, nowSeconds: try database.servedSeconds())
            return row.standing.epoch
        }
    }

    package func rebuildAccount(
        _ account: AccountID,
        named name: String,
        from circle: CircleReturn
    ) throws(StoreError) -> UInt64 {
        let lookUpName = try AccountName.lookUpForm(of: name)
        return try write { database in
            let named = try AccountRow.find(lookUpName: lookUpName, in: database)
            if let named, named.id == account {
                return try named.putBack(circle, nowSeconds: try database.servedSeconds())
            }
            guard named == nil else { throw StoreError.refused(.nameTaken) }
            let row = try AccountRow.make(
                account,
                named: name,
                lookUpName: lookUpName,
                // Lower than any that an entry has, so that the newest one begins a generation.
                generation: 0,
                credentialsBox: circle.credentialsBox,
                in: database
            )
            return try row.putBack(circle, nowSeconds: try database.servedSeconds())
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
