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
        try change.checkSizes()
        // A ring has one key for each generation.
        let bytesMax = 256 + 64 * min(entry.generation, UInt64(Limits.keyEnvelopeBytesMax))
        let fitsRing = envelopes.allSatisfy { UInt64($0.sealed.count) <= bytesMax }
        guard fitsRing, envelopes.count <= Limits.membersMax else { throw .refused(.tooLarge) }
        guard entry.account == account, KeyEnvelope.hash(envelopes) == entry.envelopesHash,
            Set(envelopes.map(\.member)).count == envelopes.count,
            envelopes.allSatisfy({ entry.member($0.member) != nil }),
            Int64(exactly: entry.version) != nil, Int64(exactly: entry.generation) != nil
        else { throw .refused(.malformed) }
        self.entry = entry
    }
}

extension CircleChange {
    /// Checks that this change may begin an account's circle.
    ///
    /// - Throws: ``StoreError/refused(_:)``.
    package func checkBegins(_ account: AccountID) throws(StoreError) {
        try checkSizes()
        guard credentialsBox?.isEmpty == false else { throw .refused(.malformed) }
        let entry = try checked(after: [])
        guard entry.account == account else { throw .refused(.refused) }
    }

    /// Checks that this change of a member may extend a circle, by the rules that each client
    /// checks again.
    ///
    /// - Parameters:
    ///   - entries: the circle's, checked before.
    ///   - version: the version that the change claims to follow.
    ///   - author: the member that has signed the request.
    /// - Throws: ``StoreError/refused(_:)``.
    package func check(
        extends entries: [SignedEntry],
        after version: UInt64,
        by author: MemberID
    ) throws(StoreError) {
        try checkSizes()
        guard let newest = entries.last else { return }
        // The first answer to the newest entry may be lost: it is not checked against itself.
        let isRetry = newest == entry
        // Each entry has the next version.
        guard UInt64(entries.count - (isRetry ? 1 : 0)) == version else {
            throw .refused(.circleChanged)
        }
        guard !isRetry else { return }
        let entry = try checked(after: entries)
        guard entry.author == author,
            // A box without the credentials' signature would break every later login.
            CircleRules.bringsCredentialsBox(entry, signed: self.entry) == (credentialsBox != nil)
        else { throw .refused(.refused) }
    }

    private func checked(after entries: [SignedEntry]) throws(StoreError) -> CircleEntry {
        do {
            let entry = try CircleRules.check(next: entry, after: entries)
            try CircleRules.checkEnvelopes(envelopes, of: entry)
            return entry
        } catch {
            throw .refused(.refused)
        }
    }

    fileprivate func checkSizes() throws(StoreError) {
        let boxes = envelopes.map(\.sealed) + [credentialsBox ?? []]
        guard boxes.allSatisfy({ $0.count <= Limits.keyEnvelopeBytesMax }) else {
            throw .refused(.tooLarge)
        }
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
        return entry.map { !$0.devices.isEmpty }
    }
}
