internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSDigests
package import KSMerging
package import KSRecords

// Reading all rows of an account, and leaving out those that are damaged.

extension SQLiteStore {
    package func check(
        _ account: AccountID,
        repairs: Bool
    ) throws(StoreError) -> AccountCheck {
        let found = try read { try AccountRow.find(account, in: $0).check() }
        guard repairs, !found.damages.isEmpty, !found.damages.contains(.circle(version: 1)) else {
            return found
        }
        return try write { database in
            let row = try AccountRow.find(account, in: database)
            // A device may have written since.
            let found = try row.check()
            try row.leaveOut(found.damages, nowSeconds: try database.servedSeconds())
            if found.damages.contains(where: { if case .circle = $0 { true } else { false } }) {
                try AccountRow.find(account, in: database).beginEpoch(newEpoch())
            }
            return AccountCheck(
                entries: found.entries,
                records: found.records,
                damages: found.damages,
                isRepaired: true
            )
        }
    }
}

extension AccountRow {
    fileprivate func check() throws -> AccountCheck {
        var damages: [AccountDamage] = []
        let intact = try intactEntries()
        if UInt64(intact.count) < standing.circleVersion {
            damages.append(.circle(version: UInt64(intact.count) + 1))
        }
        let vector = try vector()
        var (count, bytes): (UInt64, Int64) = (0, 0)
        try forEachRecord { seq, record in
            count += 1
            guard let record else { return damages.append(.record(seq: seq)) }
            bytes += record.chargedBytes
            let dots = record.entries.map(\.value.envelope.dot)
            if dots.contains(where: { vector[$0.actor] < $0.counter }) {
                damages.append(.vector(seq: seq))
            }
        }
        let areRecordsWhole = !damages.contains { if case .record = $0 { true } else { false } }
        if areRecordsWhole, try !counts(count, bytes) { damages.append(.counts) }
        return AccountCheck(
            entries: UInt64(intact.count),
            records: count,
            damages: damages,
            isRepaired: false
        )
    }

    /// The entries of the circle up to the first that is missing, damaged or breaks the rules.
    private func intactEntries() throws -> [(entry: CircleEntry, signed: SignedEntry)] {
        let rows = try database.rows(
            "SELECT version, entry FROM circle_entry WHERE account = ? ORDER BY version",
            [number]
        )
        var intact: [(entry: CircleEntry, signed: SignedEntry)] = []
        for row in rows {
            // What is wrong with it changes nothing.
            let signed = try? SignedEntry(column: row[1])
            // What is wrong with it changes nothing.
            let entry = try? signed.map { signed in
                try CircleRules.check(next: signed, after: intact.map(\.signed))
            }
            guard let signed, let entry, entry.version == row[0], entry.account == id
            else { break }
            intact.append((entry, signed))
        }
        return intact
    }

    /// Calls `body` with each record's seq and siblings, which are nil if it is damaged.
    private func forEachRecord(
        _ body: (UInt64, Siblings<HeldSibling>?) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT position, id, siblings, boxes, is_deleted FROM record
                WHERE position > ? AND position <= ? ORDER BY position
                """,
            arguments: [position(0), position(1 << 40 - 1)]
        )
        while let row = try rows.next() {
            try body(seq(at: row[0]), Self.siblings(of: row))
        }
    }

    private static func siblings(of row: Row) -> Siblings<HeldSibling>? {
        let (siblings, boxes): (Data, Data) = (row[2], row[3])
        // What is wrong with it changes nothing.
        let read = try? Siblings<HeldSibling>(
            column: siblings,
            of: RecordID(column: row[1]),
            boxes: boxes
        )
        guard let read, read.areAllTombstones == row[4],
            read.entries.allSatisfy({ entry in
                SHA256.hash(entry.value.envelope.box) == entry.value.boxHash.bytes
            })
        else { return nil }
        return read
    }

    private func counts(_ records: UInt64, _ bytes: Int64) throws -> Bool {
        let row = try database.row(
            "SELECT record_count, stored_bytes FROM account WHERE number = ?",
            [number]
        )
        return row.map { $0[0] == records && $0[1] == bytes } ?? false
    }

    // MARK: Leaving out

    fileprivate func leaveOut(_ damages: [AccountDamage], nowSeconds: UInt64) throws {
        for damage in damages {
            switch damage {
            case .circle: try cutCircle(nowSeconds: nowSeconds)
            case .record(let seq), .vector(let seq):
                try database.run("DELETE FROM record WHERE position = ?", [position(seq)])
            case .counts: break
            }
        }
        var (count, bytes): (UInt64, Int64) = (0, 0)
        try forEachRecord { _, record in
            count += 1
            bytes += record?.chargedBytes ?? 0
        }
        try database.run(
            "UPDATE account SET record_count = ?, stored_bytes = ? WHERE number = ?",
            [count, bytes, number]
        )
    }

    /// Takes the circle back to its last intact entry.
    ///
    /// The members' devices put the others back, with the envelopes that belong to the newest.
    private func cutCircle(nowSeconds: UInt64) throws {
        let intact = try intactEntries()
        guard let last = intact.last else { throw StoreError.damaged }
        for table in ["circle_entry", "generation_envelope"] {
            try database.run(
                "DELETE FROM \(table) WHERE account = ? AND version > ?",
                [number, last.entry.version]
            )
        }
        try database.run("DELETE FROM key_envelope WHERE account = ?", [number])
        try replaceMembers(with: last.entry.members, nowSeconds: nowSeconds)
        try database.run(
            """
            UPDATE account SET circle_version = ?, generation = ?, circle_bytes = ? + (
                SELECT coalesce(sum(length(sealed)), 0) FROM generation_envelope
                WHERE generation_envelope.account = account.number
            )
            WHERE number = ?
            """,
            [
                last.entry.version, last.entry.generation,
                intact.reduce(0) { $0 + $1.signed.column.count }, number,
            ]
        )
    }
}
