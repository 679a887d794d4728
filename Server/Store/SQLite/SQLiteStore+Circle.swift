internal import Foundation
internal import GRDB
internal import KSMerging
package import KSRecords

extension SQLiteStore {
    package func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry? {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            return try EntryRow.find(version: row.standing.circleVersion, of: row, in: database)
        }
    }

    package func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry] {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            return try EntryRow.all(after: 0, of: row, in: database)
        }
    }

    package func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState {
        try read { database in
            let row = try AccountRow.find(account, in: database)
            guard let asking = try MemberRow.find(member, of: row, in: database) else {
                throw Refusal.notMember
            }
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
                entries: try EntryRow.all(
                    after: Int64(exactly: version) ?? .max,
                    of: row,
                    in: database
                ),
                envelope: sealed.map { KeyEnvelope(member: member, sealed: Array($0)) },
                credentialsBox: asking.kind == MemberKind.credentials.rawValue
                    ? box.map(Array.init) : nil
            )
        }
    }

    package func appendEntry(
        _ change: CircleChange,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError) {
        let incoming = try rethrowing {
            try IncomingEntry(change.entry, envelopes: change.envelopes, of: account)
        }
        try write { database in
            let row = try AccountRow.find(account, in: database)
            let newest = try EntryRow.find(
                version: row.standing.circleVersion,
                of: row,
                in: database
            )
            let isNew = try row.standing.takes(
                incoming,
                after: version,
                newest: newest,
                byteCount: change.entry.column.count,
                vector: try row.vector(in: database)
            )
            guard isNew else { return }
            try save(incoming, of: row, in: database)
            if let box = change.credentialsBox {
                try database.run(
                    "UPDATE account SET credentials_box = ? WHERE number = ?",
                    [box.data, row.number]
                )
            }
        }
    }

    /// Saves an entry as the newest, with its envelopes and members.
    func save(_ incoming: IncomingEntry, of account: AccountRow, in database: Database) throws {
        let (entry, column) = (incoming.entry, incoming.signed.column)
        try database.run(
            "INSERT INTO circle_entry (account, version, entry) VALUES (?, ?, ?)",
            [account.number, entry.version, column]
        )
        try database.run(
            """
            UPDATE account
            SET circle_version = ?, generation = ?, circle_bytes = circle_bytes + ?
            WHERE number = ?
            """,
            [entry.version, entry.generation, column.count, account.number]
        )
        try database.run("DELETE FROM key_envelope WHERE account = ?", [account.number])
        for envelope in incoming.envelopes {
            try database.run(
                "INSERT INTO key_envelope (account, member, sealed) VALUES (?, ?, ?)",
                [account.number, envelope.member.data, envelope.sealed.data]
            )
        }
        try MemberRow.replaceAll(
            of: account,
            with: entry.members,
            nowSeconds: clockSeconds(),
            in: database
        )
    }
}

/// The rows of `circle_entry`.
enum EntryRow {
    static func find(
        version: UInt64,
        of account: AccountRow,
        in database: Database
    ) throws -> SignedEntry? {
        try database.blob(
            "SELECT entry FROM circle_entry WHERE account = ? AND version = ?",
            [account.number, version]
        ).map(SignedEntry.init(column:))
    }

    static func all(
        after version: Int64,
        of account: AccountRow,
        in database: Database
    ) throws -> [SignedEntry] {
        try database.rows(
            "SELECT entry FROM circle_entry WHERE account = ? AND version > ? ORDER BY version",
            [account.number, version]
        ).map { try SignedEntry(column: $0[0]) }
    }
}
