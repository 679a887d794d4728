package import Foundation
package import KSCausality
internal import KSDigests
internal import KSMerging
package import KSRecords

/// Checks the rows of an account, which a store hands over one by one.
package struct AccountChecker {
    private let account: AccountID
    private let circleVersion: UInt64
    private let vector: VersionVector
    private var damages: [AccountDamage] = []
    /// The circle's entries up to the first that is missing, damaged or breaks the rules.
    package private(set) var intactEntries: [(entry: CircleEntry, signed: SignedEntry)] = []
    private var recordCount: UInt64 = 0
    private var chargedBytes: Int64 = 0
    private var hasDamagedRecord = false

    /// - Parameters:
    ///   - account: its id.
    ///   - circleVersion: of the newest entry, as the account's row has it.
    ///   - vector: the account's.
    package init(_ account: AccountID, circleVersion: UInt64, vector: VersionVector) {
        (self.account, self.circleVersion, self.vector) = (account, circleVersion, vector)
    }

    /// Takes the column of each entry, in the order of their versions.
    package mutating func takeEntries(_ columns: [(version: UInt64, entry: Data)]) {
        for column in columns {
            // What is wrong with it makes no difference.
            let signed = try? SignedEntry(column: column.entry)
            // The same.
            let entry = try? signed.map { signed in
                try CircleRules.check(next: signed, after: intactEntries.map(\.signed))
            }
            guard let signed, let entry, entry.version == column.version, entry.account == account
            else { break }
            intactEntries.append((entry, signed))
        }
        if UInt64(intactEntries.count) < circleVersion {
            damages.append(.circle(version: UInt64(intactEntries.count) + 1))
        }
    }

    /// Takes a record's columns, in the order of the seqs.
    package mutating func takeRecord(
        seq: UInt64,
        id: [UInt8],
        siblings: Data,
        boxes: Data,
        isDeleted: Bool
    ) {
        recordCount += 1
        guard let record = Self.record(id, siblings, boxes), record.areAllTombstones == isDeleted
        else {
            hasDamagedRecord = true
            return damages.append(.record(seq: seq))
        }
        chargedBytes += record.chargedBytes
        let dots = record.entries.map(\.value.envelope.dot)
        if dots.contains(where: { vector[$0.actor] < $0.counter }) {
            damages.append(.vector(seq: seq))
        }
    }

    private static func record(
        _ id: [UInt8],
        _ siblings: Data,
        _ boxes: Data
    ) -> Siblings<HeldSibling>? {
        guard let id = RecordID(id) else { return nil }
        // What is wrong with it makes no difference.
        let record = try? Siblings<HeldSibling>(column: siblings, of: id, boxes: boxes)
        guard let record,
            record.entries.allSatisfy({ entry in
                SHA256.hash(entry.value.envelope.box) == entry.value.boxHash.bytes
            })
        else { return nil }
        return record
    }

    /// Ends the check, once everything was taken.
    ///
    /// - Parameters:
    ///   - recordCount: as the account's row counts.
    ///   - recordBytes: the same.
    /// - Returns: what is wrong.
    package func result(recordCount: UInt64, recordBytes: Int64) -> AccountCheck {
        let isCounted = recordCount == self.recordCount && recordBytes == chargedBytes
        return AccountCheck(
            entries: UInt64(intactEntries.count),
            records: self.recordCount,
            damages: damages + (hasDamagedRecord || isCounted ? [] : [.counts]),
            isRepaired: false
        )
    }

    /// What is left without the records of these damages: their number, and their size for the
    /// quota.
    package var counts: (records: UInt64, bytes: Int64) { (recordCount, chargedBytes) }
}

extension AccountCheck {
    /// Whether what is damaged can be left out.
    package var isRepairable: Bool {
        !damages.isEmpty && !damages.contains(.circle(version: 1))
    }

    /// The same check after the repair.
    package var repaired: AccountCheck {
        AccountCheck(entries: entries, records: records, damages: damages, isRepaired: true)
    }

    /// The seqs of the records to leave out.
    package var damagedSeqs: [UInt64] {
        damages.compactMap { damage in
            switch damage {
            case .record(let seq), .vector(let seq): seq
            case .circle, .counts: nil
            }
        }
    }

    package var hasDamagedCircle: Bool {
        damages.contains { if case .circle = $0 { true } else { false } }
    }
}
