package import KSRecords

/// The checked chain and key ring that a device gets from a login or a newer circle.
package struct OpenedAccount: Sendable {
    package let chain: CircleChain
    package let keyRing: KeyRing
}

/// Opens an account from the server's data, none of which is trusted unchecked.
package enum AccountOpening {
    /// Opens an account with its password and Account Key.
    ///
    /// Checks in this order: the chain follows its rules; the credentials are in it; their box
    /// opens; the chain contains the entry that the box names, the last that the credentials have
    /// signed; the envelope opens with H; the root keys are those that the chain states; all
    /// envelopes are made of this ring.
    ///
    /// `entries`: all of them, from genesis on.
    package static func open(
        account: AccountID,
        entries: [SignedEntry],
        envelope: KeyEnvelope,
        credentialsBox: [UInt8],
        credentials: AccountCredentials
    ) throws(SealingError) -> OpenedAccount {
        let (chain, note) = try checkedCircle(
            entries,
            account: account,
            credentialsBox: credentialsBox,
            credentials: credentials
        )
        return OpenedAccount(
            chain: chain,
            keyRing: try openKeyRing(envelope, of: chain, credentials, note)
        )
    }

    /// The chain, checked by its rules and against the note in the credentials box.
    static func checkedCircle(
        _ entries: [SignedEntry],
        account: AccountID,
        credentialsBox: [UInt8],
        credentials: AccountCredentials
    ) throws(SealingError) -> (CircleChain, CredentialsBox) {
        let chain = try checkedChain(entries, account: account)
        guard let member = chain.newest.member(credentials.memberID), member.kind == .credentials
        else { throw .wrongPassword }
        let note = try CredentialsBox.open(credentialsBox, with: credentials, account: account)
        guard chain.contains(version: note.circleVersion, hash: note.entryHash) else {
            throw .circleRolledBack
        }
        // The server stores a box with every entry that the credentials sign, and with no other.
        guard note.circleVersion == chain.newestWithCredentialsBox else { throw .circleRolledBack }
        return (chain, note)
    }

    /// Opens the credentials' envelope of a chain's newest entry, and checks that it is the ring
    /// which the chain states and every member got.
    static func openKeyRing(
        _ envelope: KeyEnvelope,
        of chain: CircleChain,
        _ credentials: AccountCredentials,
        _ note: CredentialsBox
    ) throws(SealingError) -> KeyRing {
        guard envelope.member == credentials.memberID else { throw .notAuthentic }
        let keyRing = try KeyEnvelopes.open(
            envelope,
            with: credentials.agreementKey,
            hedgeSecret: note.hedgeSecret,
            of: chain.newest
        )
        try check(keyRing, is: chain.newest)
        try checkRootKeys(of: keyRing, stated: chain)
        try checkEnvelopes(of: chain.newest, keyRing: keyRing)
        return keyRing
    }

    /// Opens the key ring of a newer entry as a device that already holds one.
    ///
    /// `entry`: already checked to follow what this device has pinned. If it begins a generation,
    /// the caller checks the root keys of all generations too
    /// (``checkRootKeys(of:stated:)``).
    ///
    /// - Returns: the ring, with those generations of the present one that the entry calls void.
    package static func openKeyRing(
        envelope: KeyEnvelope,
        of entry: CircleEntry,
        identity: DeviceIdentity,
        current: KeyRing
    ) throws(SealingError) -> KeyRing {
        guard let member = entry.member(identity.memberID), member.kind == .device else {
            throw .notMember
        }
        guard envelope.member == identity.memberID else { throw .notAuthentic }
        let keyRing = try KeyEnvelopes.open(
            envelope,
            with: identity.agreementKey,
            hedgeSecret: current.hedgeSecret,
            of: entry
        )
        // Another index key would give every item another record.
        guard keyRing.extends(current, except: entry.voidGenerations) else { throw .notAuthentic }
        try check(keyRing, is: entry)
        return try keyRing.adding(current)
    }

    /// Checks that every member's envelope of this entry is the one that the ring makes.
    ///
    /// The entry's author may be a thief. So every holder of the ring computes all envelopes again
    /// and compares their hash with the signed one.
    /// - Throws: ``SealingError/envelopesForged``; ``SealingError/classLocked(_:)`` while the ring
    ///   is locked.
    package static func checkEnvelopes(
        of entry: CircleEntry,
        keyRing: KeyRing
    ) throws(SealingError) {
        let envelopes = try KeyEnvelopes.seal(keyRing, for: entry)
        guard KeyEnvelope.hash(envelopes) == entry.envelopesHash else { throw .envelopesForged }
    }

    /// Checks that the ring has the root key of each generation that the chain states, except void
    /// ones.
    ///
    /// - Throws: ``SealingError/envelopesForged``.
    package static func checkRootKeys(
        of keyRing: KeyRing,
        stated chain: CircleChain
    ) throws(SealingError) {
        let void = chain.newest.voidGenerations
        let isComplete = chain.rootChecks.allSatisfy { generation, check in
            void.contains(generation) || keyRing.rootCheck(generation: generation) == check
        }
        guard isComplete else { throw .envelopesForged }
    }

    static func checkedChain(
        _ entries: [SignedEntry],
        account: AccountID
    ) throws(SealingError) -> CircleChain {
        let chain: CircleChain
        do {
            chain = try CircleChain(verifying: entries)
        } catch {
            throw .circle(error)
        }
        guard chain.newest.account == account else { throw .circle(.otherAccount) }
        return chain
    }

    static func check(_ keyRing: KeyRing, is entry: CircleEntry) throws(SealingError) {
        guard entry.oldestFormat <= Envelope.currentFormat else {
            throw .updateThisClient(format: entry.oldestFormat)
        }
        guard keyRing.belongs(to: entry) else { throw .notAuthentic }
    }
}
