package import KSRecords

/// A circle whose newest entry has false key envelopes: those that its author stored do not hold
/// the account's keys.
///
/// Another member repairs the circle: it removes the author, which begins a generation, and the
/// keys that the author gave to nobody become void (``CircleEntry/voidGenerations``). Since that
/// accuses the author, a proof is needed: the author has signed the hash of all envelopes, so a
/// server that damages one of them does not pass for a false author.
package struct FalseEntry: Sendable {
    /// The circle, with the false entry as its newest.
    package let chain: CircleChain
    /// The account's ring, as it was before.
    package let keyRing: KeyRing

    package var author: MemberID { chain.newest.author }

    /// Proves to a device that a circle's newest entry is false.
    ///
    /// - Parameters:
    ///   - chain: a circle that follows its rules.
    ///   - envelopes: all of the newest entry.
    ///   - identity: the device's.
    ///   - current: the ring that the device has.
    /// - Throws: ``SealingError/notAuthentic`` if the envelopes are not those that the author
    ///   signed; ``SealingError/notMember``; ``SealingError/classLocked(_:)`` while the device is
    ///   locked.
    /// - Returns: nil if the envelopes are good.
    package static func prove(
        _ chain: CircleChain,
        envelopes: [KeyEnvelope],
        identity: DeviceIdentity,
        current: KeyRing
    ) throws(SealingError) -> FalseEntry? {
        guard chain.newest.member(identity.memberID) != nil else { throw .notMember }
        let isGood = try isGood(chain, envelopes, of: identity.memberID) {
            envelope throws(SealingError) in
            try AccountOpening.openKeyRing(
                envelope: envelope,
                of: chain.newest,
                identity: identity,
                current: current
            )
        }
        return isGood ? nil : FalseEntry(chain: chain, keyRing: current)
    }

    /// Whether the envelopes hold the account's keys.
    ///
    /// `open`: opens the member's own envelope.
    fileprivate static func isGood(
        _ chain: CircleChain,
        _ envelopes: [KeyEnvelope],
        of member: MemberID,
        open: (KeyEnvelope) throws(SealingError) -> KeyRing
    ) throws(SealingError) -> Bool {
        guard KeyEnvelope.hash(envelopes) == chain.newest.envelopesHash else {
            throw .notAuthentic
        }
        // The author may also have left out a member's envelope.
        guard let own = envelopes.first(where: { $0.member == member }) else { return false }
        do {
            let keyRing = try open(own)
            try AccountOpening.checkRootKeys(of: keyRing, stated: chain)
            try AccountOpening.checkEnvelopes(of: chain.newest, keyRing: keyRing)
            return true
        } catch {
            switch error {
            case .notAuthentic, .malformed, .envelopesForged, .generationUnknown, .tooLarge,
                .circle:
                return false
            default: throw error
            }
        }
    }
}

/// A false entry that a login has found, before it has the account's ring.
package struct UnopenedFalseEntry: Sendable {
    package let chain: CircleChain
    private let credentials: AccountCredentials
    private let note: CredentialsBox

    /// Proves to the credentials that a circle's newest entry is false; nil if its envelopes are
    /// good.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - entries: all of the circle, from genesis on.
    ///   - envelopes: all of the newest entry.
    ///   - credentialsBox: the newest.
    ///   - credentials: the account's.
    /// - Throws: ``SealingError/notAuthentic`` if the envelopes are not those that the author
    ///   signed; else as for a login with good envelopes.
    package init?(
        account: AccountID,
        entries: [SignedEntry],
        envelopes: [KeyEnvelope],
        credentialsBox: [UInt8],
        credentials: AccountCredentials
    ) throws(SealingError) {
        let (chain, note) = try AccountOpening.checkedCircle(
            entries,
            account: account,
            credentialsBox: credentialsBox,
            credentials: credentials
        )
        let isGood = try FalseEntry.isGood(chain, envelopes, of: credentials.memberID) {
            envelope throws(SealingError) in
            try AccountOpening.openKeyRing(envelope, of: chain, credentials, note)
        }
        guard !isGood else { return nil }
        self.chain = chain
        self.credentials = credentials
        self.note = note
    }

    /// Opens the account as it was at an earlier entry.
    ///
    /// - Parameters:
    ///   - entry: one of the circle's.
    ///   - envelope: the credentials' of this entry.
    /// - Returns: nil if that envelope is false too.
    package func opened(by entry: SignedEntry, _ envelope: KeyEnvelope) -> FalseEntry? {
        guard let count = chain.entries.dropLast().firstIndex(of: entry).map({ $0 + 1 }),
            // It was checked as a part of the whole circle.
            let before = try? CircleChain(verifying: Array(chain.entries.prefix(count))),
            // An earlier entry may be false too.
            let keyRing = try? AccountOpening.openKeyRing(envelope, of: before, credentials, note)
        else { return nil }
        return FalseEntry(chain: chain, keyRing: keyRing)
    }
}
