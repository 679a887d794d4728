package import KSRecords

/// A circle with false key envelopes: those that an entry's author stored do not hold the account's
/// keys.
///
/// Another member repairs the circle: it removes the author, which begins a generation, and the
/// keys that the author gave to nobody become void (``CircleEntry/voidGenerations``). Since that
/// accuses the author, a proof is needed: the author has signed the hash of all envelopes, so a
/// server that damages one of them does not pass for a false author.
package struct FalseEntry: Sendable {
    /// The circle, in which the false entry is the newest, or began the newest generation.
    package let chain: CircleChain
    package let author: MemberID
    /// The account's ring, without the keys that the author may have made.
    package let keyRing: KeyRing

    /// Proves to a device that a circle has a false entry after those that the device knows.
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
        let known = current.newestGeneration
        let author = try author(chain, envelopes, of: identity.memberID, after: known) {
            envelope throws(SealingError) in
            try AccountOpening.openKeyRing(
                envelope: envelope,
                of: chain.newest,
                identity: identity,
                current: current
            )
        }
        return author.map { FalseEntry(chain: chain, author: $0, keyRing: current) }
    }

    /// Whether the device would call generations void that nobody has proven to be.
    ///
    /// It may have missed good ones before the false one. The keys of these are with other devices,
    /// and with a login.
    package func lacksKeys(knowing circle: CircleChain) -> Bool {
        let held = Set(keyRing.generations).union(circle.newest.voidGenerations)
        return (1..<chain.newest.generation).contains { !held.contains($0) }
    }

    /// Who stored false envelopes; nil if all are good.
    ///
    /// `open`: opens the member's own envelope of the newest entry.
    fileprivate static func author(
        _ chain: CircleChain,
        _ envelopes: [KeyEnvelope],
        of member: MemberID,
        after known: UInt64,
        open: (KeyEnvelope) throws(SealingError) -> KeyRing
    ) throws(SealingError) -> MemberID? {
        guard KeyEnvelope.hash(envelopes) == chain.newest.envelopesHash else {
            throw .notAuthentic
        }
        let newestAuthor = chain.newest.author
        // The author may also have left out a member's envelope.
        guard let own = envelopes.first(where: { $0.member == member }) else {
            return newestAuthor
        }
        let keyRing: KeyRing
        do {
            keyRing = try open(own)
            try AccountOpening.checkRootKeys(of: keyRing, stated: chain)
        } catch {
            switch error {
            case .notAuthentic, .malformed, .envelopesForged, .generationUnknown, .tooLarge,
                .circle:
                return newestAuthor
            default: throw error
            }
        }
        let found = try AccountOpening.firstFalseEntry(of: chain, keyRing: keyRing, after: known)
        // If that author is gone, the newest one has gone on with keys that it cannot have had
        // honestly.
        return found.map { entry in
            chain.newest.member(entry.author) == nil ? newestAuthor : entry.author
        }
    }
}

/// A false entry that a login has found, before it has the account's ring.
package struct UnopenedFalseEntry: Sendable {
    package let chain: CircleChain
    package let author: MemberID
    private let credentials: AccountCredentials
    private let note: CredentialsBox

    /// Proves to the credentials that a circle has a false entry; nil if it has none.
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
        let author = try FalseEntry.author(chain, envelopes, of: credentials.memberID, after: 0) {
            envelope throws(SealingError) in
            try AccountOpening.openUnfinished(envelope, of: chain, credentials, note)
        }
        guard let author else { return nil }
        self.chain = chain
        self.author = author
        self.credentials = credentials
        self.note = note
    }

    /// Opens the account with all keys that envelopes of earlier entries hold.
    ///
    /// `earlier`: the credentials'.
    /// - Returns: nil if none of them holds a key of the account.
    package func opened(
        by earlier: [(entry: SignedEntry, envelope: KeyEnvelope)]
    ) -> FalseEntry? {
        AccountOpening.collectRootKeys(earlier, of: chain, credentials, note).map {
            FalseEntry(chain: chain, author: author, keyRing: $0)
        }
    }
}
