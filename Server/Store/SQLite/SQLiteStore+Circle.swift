internal import Foundation
internal import GRDB
package import KSMerging
package import KSRecords

extension SQLiteStore {
    package func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry? {
        try read { try AccountRow.find(account, in: $0).newestEntry() }
    }

    package func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry] {
        try read { try AccountRow.find(account, in: $0).entries(after: 0) }
    }

    package func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            guard let asking = try row.member(member) else { throw StoreError.notMember }
            let sealed = try database.blob(
                "SELECT sealed FROM key_envelope WHERE account = ? AND member = ?",
                [row.number, member.data]
            )
            let box = try database.blob(
                "SELECT credentials_box FROM account WHERE number = ?",
                [row.number]
            )
            return CircleState(
                account: account,
                epoch: row.standing.epoch,
                entries: try row.entries(after: Int64(exactly: version) ?? .max),
                envelope: sealed.map { KeyEnvelope(member: member, sealed: Array($0)) },
                credentialsBox: asking.kind == MemberKind.recovery.rawValue
                    ? nil : box.map(Array.init),
                envelopes: asking.kind == MemberKind.device.rawValue ? try row.envelopes() : []
            )
        }
    }

    package func circleEntry(
        of account: AccountID,
        generation: UInt64?,
        for member: MemberID
    ) throws(StoreError) -> ShownEntry? {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            guard try row.member(member) != nil else { throw StoreError.notMember }
            guard let generation else { return try row.newestEntry().map(row.shown) }
            let found = try database.row(
                """
                SELECT version, sealed FROM generation_envelope
                WHERE account = ? AND generation = ? AND member = ?
                """,
                [row.number, Int64(exactly: generation) ?? .max, member.data]
            )
            guard let found, let entry = try row.entry(version: found[0]) else { return nil }
            let sealed: Data = found[1]
            return ShownEntry(
                entry: entry,
                envelopes: [KeyEnvelope(member: member, sealed: Array(sealed))],
                vector: try row.vector()
            )
        }
    }

    package func appendEntry(
        _ change: CircleChange,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError) {
        let incoming = try rethrowing { try IncomingEntry(change, of: account) }
        try write { database in
            let row = try AccountRow.find(account, in: database)
            let isNew = try row.standing.takes(
                incoming,
                after: version,
                newest: try row.newestEntry(),
                byteCount: change.entry.column.count,
                vector: try row.vector()
            )
            guard isNew else { return }
            try row.save(incoming, nowSeconds: try database.servedSeconds())
            if let box = change.credentialsBox {
                try database.run(
                    "UPDATE account SET credentials_box = ? WHERE number = ?",
                    [box.data, row.number]
                )
            }
        }
    }
}

extension SQLiteStore {
    package func returnCircle(
        _ circle: CircleReturn,
        to account: AccountID
    ) throws(StoreError) -> UInt64 {
        try write { database in
            try AccountRow.find(account, in: database)
                .putBack(circle, nowSeconds: try database.servedSeconds())
        }
    }
}

// The rows of a circle.

extension AccountRow {
    /// Saves an entry as the newest, with its envelopes and members.
    func save(_ incoming: IncomingEntry, nowSeconds: UInt64) throws {
        let (entry, column) = (incoming.entry, incoming.signed.column)
        try database.run(
            "INSERT INTO circle_entry (account, version, entry) VALUES (?, ?, ?)",
            [number, entry.version, column]
        )
        try database.run(
            """
            UPDATE account
            SET circle_version = ?, generation = ?, circle_bytes = circle_bytes + ?
            WHERE number = ?
            """,
            [entry.version, entry.generation, column.count, number]
        )
        // In a new generation every device writes as a new actor.
        if entry.generation > standing.generation { try closeActors() }
        try database.run("DELETE FROM key_envelope WHERE account = ?", [number])
        for envelope in incoming.envelopes {
            try database.run(
                "INSERT INTO key_envelope (account, member, sealed) VALUES (?, ?, ?)",
                [number, envelope.member.data, envelope.sealed.data]
            )
        }
        try replaceMembers(with: entry.members, nowSeconds: nowSeconds)
        if entry.generation > standing.generation || entry.version == 1 {
            try keepEnvelopes(of: entry)
        }
    }

    /// Saves the entries that this account lacks, with what is kept beside the newest of them.
    ///
    /// - Returns: the circle's version.
    func putBack(_ circle: CircleReturn, nowSeconds: UInt64) throws -> UInt64 {
        let incoming = try IncomingReturn(circle, of: id, after: try entries(after: 0))
        guard let newest = incoming.newest else { return standing.circleVersion }
        for (entry, signed) in zip(incoming.missing, incoming.signed).dropLast() {
            try saveEarlier(entry, signed)
        }
        try save(newest, nowSeconds: nowSeconds)
        try database.run(
            "UPDATE account SET credentials_box = ? WHERE number = ?",
            [incoming.credentialsBox.data, number]
        )
        return newest.entry.version
    }

    /// Saves an entry that another one follows in the same step.
    fileprivate func saveEarlier(_ entry: CircleEntry, _ signed: SignedEntry) throws {
        let column = signed.column
        try database.run(
            "INSERT INTO circle_entry (account, version, entry) VALUES (?, ?, ?)",
            [number, entry.version, column]
        )
        try database.run(
            "UPDATE account SET circle_bytes = circle_bytes + ? WHERE number = ?",
            [column.count, number]
        )
    }

    /// Keeps the envelopes of members that are not devices as long as the account exists.
    private func keepEnvelopes(of entry: CircleEntry) throws {
        try database.run(
            """
            INSERT INTO generation_envelope (account, generation, member, version, sealed)
            SELECT account, ?, member, ?, sealed FROM key_envelope
            WHERE account = ?
                AND member IN (SELECT id FROM member WHERE account = ? AND kind <> ?)
            """,
            [entry.generation, entry.version, number, number, MemberKind.device.rawValue]
        )
        try database.run(
            """
            UPDATE account SET circle_bytes = circle_bytes + (
                SELECT coalesce(sum(length(sealed)), 0) FROM generation_envelope
                WHERE generation_envelope.account = account.number AND generation = ?
            )
            WHERE number = ?
            """,
            [entry.generation, number]
        )
    }

    /// An entry that is the newest, with all its envelopes.
    fileprivate func shown(_ newest: SignedEntry) throws -> ShownEntry {
        ShownEntry(entry: newest, envelopes: try envelopes(), vector: try vector())
    }

    /// All key envelopes of the newest entry.
    fileprivate func envelopes() throws -> [KeyEnvelope] {
        try database.rows(
            "SELECT member, sealed FROM key_envelope WHERE account = ? ORDER BY member",
            [number]
        ).map { row in
            let (member, sealed): (Data, Data) = (row[0], row[1])
            return KeyEnvelope(member: try MemberID(column: member), sealed: Array(sealed))
        }
    }

    func newestEntry() throws -> SignedEntry? {
        try entry(version: standing.circleVersion)
    }

    func entry(version: UInt64) throws -> SignedEntry? {
        try database.blob(
            "SELECT entry FROM circle_entry WHERE account = ? AND version = ?",
            [number, version]
        ).map(SignedEntry.init(column:))
    }

    fileprivate func entries(after version: Int64) throws -> [SignedEntry] {
        try database.rows(
            "SELECT entry FROM circle_entry WHERE account = ? AND version > ? ORDER BY version",
            [number, version]
        ).map { try SignedEntry(column: $0[0]) }
    }
}
