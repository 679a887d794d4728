package import KSCausality
package import KSRecords
internal import KSWire

/// A well-formed entry of a circle with its key envelopes.
///
/// ``CircleRules`` checks signatures and rules.
package struct IncomingEntry: Sendable {
    package let entry: CircleEntry
    package let signed: SignedEntry
    package let envelopes: [KeyEnvelope]

    package init(_ change: CircleChange, of account: AccountID) throws(StoreError) {
        (signed, envelopes) = (change.entry, change.envelopes)
        let entry: CircleEntry
        do {
            entry = try signed.entry()
        } catch {
            throw .refused(error == .tooLarge ? .tooLarge : .malformed)
        }
        let isSmall = envelopes.allSatisfy { $0.sealed.count <= Limits.keyEnvelopeBytesMax }
        // A ring has one key for each generation.
        let bytesMax = 256 + 64 * min(entry.generation, UInt64(Limits.keyEnvelopeBytesMax))
        let fitsRing = envelopes.allSatisfy { UInt64($0.sealed.count) <= bytesMax }
        guard isSmall, fitsRing, envelopes.count <= Limits.membersMax else {
            throw .refused(.tooLarge)
        }
        guard entry.account == account, KeyEnvelope.hash(envelopes) == entry.envelopesHash,
            Set(envelopes.map(\.member)).count == envelopes.count,
            envelopes.allSatisfy({ entry.member($0.member) != nil }),
            Int64(exactly: entry.version) != nil, Int64(exactly: entry.generation) != nil
        else { throw .refused(.malformed) }
        self.entry = entry
    }
}

extension AccountStanding {
    /// Decides whether an entry becomes the circle's newest.
    ///
    /// - Parameters:
    ///   - entry: a well-formed entry.
    ///   - version: the version that it claims to follow.
    ///   - newest: the circle's newest entry.
    ///   - byteCount: the entry's size in the store.
    ///   - vector: the account vector.
    /// - Throws: the first reason to refuse it.
    /// - Returns: false if the entry is the newest already; the first answer may be lost.
    package func takes(
        _ entry: IncomingEntry,
        after version: UInt64,
        newest: SignedEntry?,
        byteCount: Int,
        vector: VersionVector
    ) throws(StoreError) -> Bool {
        let next = entry.entry
        guard version < .max, next.version == version + 1 else { throw .refused(.malformed) }
        if circleVersion == next.version, newest == entry.signed { return false }
        guard circleVersion == version else { throw .refused(.circleChanged) }
        guard next.generation >= generation else { throw .refused(.malformed) }
        // A device can be revoked even in a full account, and the owner can come back.
        let isNeeded = next.operation == .revoke || newest?.hasDevice == false
        guard isNeeded || hasRoom(forEntryOf: byteCount) else {
            throw .refused(.tooLarge)
        }
        // Writes after the closing vector would be sealed with an old key.
        guard next.generation == generation || next.closingVector == vector else {
            throw .refused(.circleChanged)
        }
        return true
    }

    private func hasRoom(forEntryOf byteCount: Int) -> Bool {
        circleVersion < UInt64(Limits.circleEntriesMax)
            && circleBytes + Int64(byteCount) <= Int64(Limits.circleBytesMax)
    }
}

extension SignedEntry {
    /// Whether one of its members is a device; nil if it cannot be read.
    fileprivate var hasDevice: Bool? {
        // A stored entry was read before.
        let entry = try? entry()
        return entry?.members.contains { $0.kind == .device }
    }
}
