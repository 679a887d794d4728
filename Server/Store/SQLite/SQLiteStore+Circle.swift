internal import Foundation
internal import GRDB
package import KSRecords

extension SQLiteStore {
    package func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry? {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            return try StoredEntry.fetch(version: row.circleVersion, of: row, in: database)
        }
    }

    package func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry] {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            return try StoredEntry.fetchAll(after: 0, of: row, in: database)
        }
    }

    package func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            let kind = try UInt64.fetchOne(
                database,
                sql: "SELECT kind FROM member WHERE account = ? AND id = ?",
                arguments: [row.number, member.data]
            )
            guard let kind else { throw StoreError.refused }
            let sealed = try Data.fetchOne(
                database,
                sql: "SELECT sealed FROM key_envelope WHERE account = ? AND member = ?",
                arguments: [row.number, member.data]
            )
            let box = try Data.fetchOne(
                database,
                sql: "SELECT credentials_box FROM account WHERE number = ?",
                arguments: [row.number]
            )
            return CircleState(
                account: account,
                epoch: row.epoch,
                entries: try StoredEntry.fetchAll(
                    after: Int64(exactly: version) ?? .max,
                    of: row,
                    in: database
                ),
                envelope: sealed.map { KeyEnvelope(member: member, sealed: Array($0)) },
                credentialsBox: kind == MemberKind.credentials.rawValue ? box.map(Array.init) : nil
            )
        }
    }

    package func appendEntry(
        _ addition: CircleAddition,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError) {
        let entry = try checked(addition.entry, envelopes: addition.envelopes)
        guard entry.account == account, version < .max, entry.version == version + 1 else {
            throw .malformed
        }
        try write { database in
            let row = try AccountRow.find(account, in: database)
            if row.circleVersion == entry.version {
                // The answer to this very entry may have been lost.
                let newest = try StoredEntry.fetch(version: entry.version, of: row, in: database)
                guard newest == addition.entry else { throw StoreError.circleChanged }
                return
            }
            guard row.circleVersion == version else { throw StoreError.circleChanged }
            guard entry.generation >= row.generation else { throw StoreError.malformed }
            let byteCount = StoredEntry.encode(addition.entry).count
            guard entry.operation == .revoke || row.hasRoom(forEntryOf: byteCount) else {
                throw StoreError.tooLarge
            }
            if entry.generation > row.generation {
                // What was written after the closing vector would be under a key that has ended.
                let vector = try row.vector(in: database)
                guard entry.closingVector == vector else { throw StoreError.circleChanged }
            }
            try store(
                entry,
                signed: addition.entry,
                envelopes: addition.envelopes,
                of: row,
                database
            )
            if let box = addition.credentialsBox {
                try database.execute(
                    sql: "UPDATE account SET credentials_box = ? WHERE number = ?",
                    arguments: [box.data, row.number]
                )
            }
        }
    }

    /// The entry, when it and its envelopes are what they claim to be as far as the store cares.
    func checked(
        _ signed: SignedEntry,
        envelopes: [KeyEnvelope]
    ) throws(StoreError) -> CircleEntry {
        let entry: CircleEntry
        do {
            entry = try signed.entry()
        } catch {
            throw error == .tooLarge ? .tooLarge : .malformed
        }
        let isSmall = envelopes.allSatisfy { $0.sealed.count <= Limits.keyEnvelopeBytesMax }
        guard isSmall, envelopes.count <= Limits.membersMax else { throw .tooLarge }
        guard KeyEnvelope.hash(envelopes) == entry.envelopesHash,
            Set(envelopes.map(\.member)).count == envelopes.count,
            envelopes.allSatisfy({ entry.member($0.member) != nil }),
            Int64(exactly: entry.version) != nil, Int64(exactly: entry.generation) != nil
        else { throw .malformed }
        return entry
    }

    /// Makes an entry the newest: the chain, its envelopes, its members.
    func store(
        _ entry: CircleEntry,
        signed: SignedEntry,
        envelopes: [KeyEnvelope],
        of account: AccountRow,
        _ database: Database
    ) throws {
        let encoded = StoredEntry.encode(signed)
        try database.execute(
            sql: "INSERT INTO circle_entry (account, version, entry) VALUES (?, ?, ?)",
            arguments: [account.number, entry.version, encoded]
        )
        try database.execute(
            sql: """
                UPDATE account
                SET circle_version = ?, generation = ?, circle_bytes = circle_bytes + ?
                WHERE number = ?
                """,
            arguments: [entry.version, entry.generation, encoded.count, account.number]
        )
        try database.execute(
            sql: "DELETE FROM key_envelope WHERE account = ?",
            arguments: [account.number]
        )
        for envelope in envelopes {
            try database.execute(
                sql: "INSERT INTO key_envelope (account, member, sealed) VALUES (?, ?, ?)",
                arguments: [account.number, envelope.member.data, envelope.sealed.data]
            )
        }
        try replaceMembers(with: entry.members, of: account, database)
    }

    /// Forgets who left, adds who came, and keeps what is known of those who stay.
    private func replaceMembers(
        with members: [Member],
        of account: AccountRow,
        _ database: Database
    ) throws {
        let present = try Data.fetchAll(
            database,
            sql: "SELECT id FROM member WHERE account = ? ORDER BY id",
            arguments: [account.number]
        )
        let staying = Set(members.map(\.id.data))
        for id in present where !staying.contains(id) {
            try database.execute(
                sql: "DELETE FROM member WHERE account = ? AND id = ?",
                arguments: [account.number, id]
            )
        }
        for member in members {
            try database.execute(
                sql: """
                    INSERT INTO member (account, id, kind, last_contact_seconds)
                    VALUES (?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                arguments: [
                    account.number, member.id.data, member.kind.rawValue, clockSeconds(),
                ]
            )
        }
    }
}
