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
        let keyRing = try openUnfinished(envelope, of: chain, credentials, note)
        guard try firstFalseEntry(of: chain, keyRing: keyRing, after: 0) == nil else {
            throw .envelopesForged
        }
        return keyRing
    }

    /// The same, before the envelopes are made again.
    static func openUnfinished(
        _ envelope: KeyEnvelope,
        of chain: CircleChain,
        _ credentials: AccountCredentials,
        _ note: CredentialsBox
    ) throws(SealingError) -> KeyRing {
        let keyRing = try openUnchecked(envelope, of: chain.newest, credentials, note)
        try check(keyRing, is: chain.newest)
        try checkRootKeys(of: keyRing, stated: chain)
        return keyRing
    }

    /// Opens the credentials' envelope of an entry, and checks the index key of the ring.
    private static func openUnchecked(
        _ envelope: KeyEnvelope,
        of entry: CircleEntry,
        _ credentials: AccountCredentials,
        _ note: CredentialsBox
    ) throws(SealingError) -> KeyRing {
        guard envelope.member == credentials.memberID else { throw .notAuthentic }
        let keyRing = try KeyEnvelopes.open(
            envelope,
            with: credentials.agreementKey,
            hedgeSecret: note.hedgeSecret,
            of: entry
        )
        // Another index key would give every item another record.
        guard note.indexCheck == keyRing.indexCheck else { throw .notAuthentic }
        return keyRing
    }

    /// The root keys that the chain states, from all those envelopes of earlier entries that open;
    /// nil if no envelope holds one.
    ///
    /// A root key that has the stated check needs no other proof.
    static func collectRootKeys(
        _ earlier: [(entry: SignedEntry, envelope: KeyEnvelope)],
        of chain: CircleChain,
        _ credentials: AccountCredentials,
        _ note: CredentialsBox
    ) -> KeyRing? {
        var collected: KeyRing?
        for (signed, envelope) in earlier where chain.entries.contains(signed) {
            do {
                let entry = try signed.entry()
                let opened = try openUnchecked(envelope, of: entry, credentials, note)
                let good = try opened.keeping {
                    opened.rootCheck(generation: $0) == chain.rootChecks[$0]
                }
                guard let good else { continue }
                guard let before = collected else {
                    collected = good
                    continue
                }
                // Both have the same index key.
                guard good.extends(before, except: before.generations) else { continue }
                collected = try before.adding(good)
            } catch {
                // It is a liar's, and others may be good.
            }
        }
        return collected
    }

    /// Adds the root keys of void generations that earlier envelopes still hold: who called them
    /// void has lied, or did not have them.
    ///
    /// - Parameters:
    ///   - earlier: the credentials' envelopes of earlier entries.
    ///   - opened: the account, as the newest entry opens it.
    ///   - credentialsBox: the newest.
    ///   - credentials: the account's.
    /// - Throws: what the box throws.
    /// - Returns: the account with all keys that were found.
    package static func adding(
        _ earlier: [(entry: SignedEntry, envelope: KeyEnvelope)],
        to opened: OpenedAccount,
        credentialsBox: [UInt8],
        credentials: AccountCredentials
    ) throws(SealingError) -> OpenedAccount {
        let chain = opened.chain
        let account = chain.newest.account
        let note = try CredentialsBox.open(credentialsBox, with: credentials, account: account)
        guard let found = collectRootKeys(earlier, of: chain, credentials, note),
            opened.keyRing.extends(found, except: found.generations)
        else { return opened }
        return OpenedAccount(chain: chain, keyRing: try opened.keyRing.adding(found))
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

    /// The first entry with other envelopes than the ring makes; nil if all are good.
    ///
    /// Looks at the newest entry, and at those that began a later generation than `known`. A member
    /// that begins a generation with false envelopes and stores good ones in a later entry would
    /// otherwise leave a false one behind for a login.
    /// - Throws: ``SealingError/classLocked(_:)`` while the ring is locked.
    package static func firstFalseEntry(
        of chain: CircleChain,
        keyRing: KeyRing,
        after known: UInt64
    ) throws(SealingError) -> CircleEntry? {
        let void = Set(chain.newest.voidGenerations)
        let starts = chain.generationStarts.filter { $0.key > known && !void.contains($0.key) }
        for version in Set(starts.values).union([chain.newest.version]).sorted() {
            let entry: CircleEntry
            do {
                entry = try chain.entry(version: version)
            } catch {
                throw .circle(error)
            }
            let known = Set(keyRing.generations).union(entry.voidGenerations)
            // An entry that was made with keys that are void now cannot be made again.
            let isComplete = (1...entry.generation).allSatisfy { known.contains($0) }
            guard isComplete else { continue }
            do {
                try checkEnvelopes(of: entry, keyRing: keyRing)
            } catch .classLocked(let locked) {
                throw .classLocked(locked)
            } catch {
                return entry
            }
        }
        return nil
    }

    /// Checks that the ring has the root key of each generation that the chain states, except void
    /// ones.
    ///
    /// - Throws: ``SealingError/envelopesForged``.
    package static func checkRootKeys(
        of keyRing: KeyRing,
        stated chain: CircleChain
    ) throws(SealingError) {
        let void = Set(chain.newest.voidGenerations)
        let isComplete = chain.rootChecks.allSatisfy { generation, check in
            void.contains(generation) || keyRing.rootCheck(generation: generation) == check
        }
        guard isComplete else { throw .envelopesForged }
    }

    /// Whether the chain calls a generation void whose keys its author gave to everybody.
    ///
    /// This device has the key, and makes the envelopes of the entry that began the generation. A
    /// key alone shows nothing: a liar may have given it to some.
    package static func isDenied(
        _ generation: UInt64,
        by chain: CircleChain,
        keyRing: KeyRing
    ) -> Bool {
        guard chain.newest.voidGenerations.contains(generation),
            keyRing.rootCheck(generation: generation) == chain.rootChecks[generation],
            let version = chain.generationStarts[generation]
        else { return false }
        do {
            try checkEnvelopes(of: try chain.entry(version: version), keyRing: keyRing)
            return true
        } catch {
            // Also while the device is locked nobody is accused.
            return false
        }
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
