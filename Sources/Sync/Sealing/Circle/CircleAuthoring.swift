package import KSCausality
package import KSDigests
package import KSRecords

/// Writes entries of the circle.
package enum CircleAuthoring {
    /// The first entry: the first device and the credentials, signed by both.
    package static func genesis(
        account: AccountID,
        device: DeviceIdentity,
        deviceName: String,
        credentials: AccountCredentials,
        keyRing: KeyRing,
        random: any RandomSource
    ) throws(SealingError) -> CircleChange {
        guard keyRing.newestGeneration == 1, let rootCheck = keyRing.rootCheck(generation: 1) else {
            throw .generationUnknown(generation: 1)
        }
        let nameBox = try MemberName.seal(
            deviceName,
            of: device.memberID,
            account: account,
            keyRing: keyRing,
            random: random
        )
        let members = [
            Member(
                id: device.memberID,
                kind: .device,
                signingKey: device.signingPublicKey,
                agreementKey: device.agreementPublicKey,
                nameBox: nameBox,
                addedAtVersion: 1,
                addedBy: device.memberID
            ),
            Member(
                id: credentials.memberID,
                kind: .credentials,
                signingKey: credentials.signingPublicKey,
                agreementKey: credentials.agreementPublicKey,
                nameBox: [],
                addedAtVersion: 1,
                addedBy: device.memberID
            ),
        ]
        let entry = CircleEntry(
            account: account,
            version: 1,
            previousHash: .zero,
            operation: .genesis,
            members: members,
            generation: 1,
            rootCheck: rootCheck,
            oldestGeneration: 1,
            oldestFormat: Envelope.currentFormat,
            envelopesHash: .zero,
            author: device.memberID
        )
        return try finish(
            entry,
            after: [],
            keyRing: keyRing,
            signers: [.device(device), .credentials(credentials)],
            possession: [],
            random: random
        )
    }

    /// Adds one device: by the credentials when it logs in, by another device when that approved
    /// it.
    package static func addDevice(
        _ applicant: DeviceApplication,
        to chain: CircleChain,
        keyRing: KeyRing,
        by author: CircleSigner,
        random: any RandomSource
    ) throws(SealingError) -> CircleChange {
        guard keyRing.belongs(to: chain.newest) else {
            throw .generationUnknown(generation: chain.newest.generation)
        }
        var entry = draft(of: .addDevice, after: chain, by: author)
        let id = MemberID(signingKey: applicant.signingKey)
        let member = Member(
            id: id,
            kind: .device,
            signingKey: applicant.signingKey,
            agreementKey: applicant.agreementKey,
            nameBox: try MemberName.seal(
                applicant.name,
                of: id,
                account: entry.account,
                keyRing: keyRing,
                random: random
            ),
            addedAtVersion: entry.version,
            addedBy: author.memberID
        )
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        return try finish(
            entry,
            after: chain.entries,
            keyRing: keyRing,
            signers: [author],
            possession: applicant.possession,
            random: random
        )
    }

    /// Removes devices, which ends the key generation.
    ///
    /// Generations whose root keys the ring does not have become void.
    ///
    /// - Parameters:
    ///   - devices: those to remove.
    ///   - chain: the account's circle.
    ///   - keyRing: the account's ring, with the generation that begins.
    ///   - closing: the account vector, and the digest of its records under the new generation's
    ///     key (``RecordDigest``).
    ///   - author: a member that stays.
    ///   - random: for the box that comes with a signature of the credentials.
    /// - Throws: ``SealingError/circle(_:)`` if the rules do not allow it.
    /// - Returns: the entry with its envelopes.
    package static func revoke(
        _ devices: Set<MemberID>,
        from chain: CircleChain,
        keyRing: KeyRing,
        closing: (vector: VersionVector, digest: Hash),
        by author: CircleSigner,
        random: any RandomSource
    ) throws(SealingError) -> CircleChange {
        var entry = draft(of: .revoke, after: chain, by: author)
        try beginGeneration(in: &entry, keyRing: keyRing, closing: closing)
        entry.members.removeAll { devices.contains($0.id) }
        return try finish(
            entry,
            after: chain.entries,
            keyRing: keyRing,
            signers: [author],
            possession: [],
            random: random
        )
    }

    /// Replaces the credentials, which ends the key generation: with the old ones nobody can read
    /// anything new, or add a device.
    ///
    /// The name of the new ones is the Account Key, so every device can show it.
    ///
    /// - Parameters:
    ///   - change: both credentials. The old ones sign too: a thief of the device alone must not
    ///     lock its owner out.
    ///   - chain: the account's circle.
    ///   - keyRing: the account's ring, with the generation that begins.
    ///   - closing: as for a revocation.
    ///   - device: the author.
    ///   - random: for the boxes.
    /// - Throws: ``SealingError/circle(_:)`` if the rules do not allow it.
    /// - Returns: the entry with its envelopes.
    package static func replaceCredentials(
        _ change: CredentialsChange,
        in chain: CircleChain,
        keyRing: KeyRing,
        closing: (vector: VersionVector, digest: Hash),
        by device: DeviceIdentity,
        random: any RandomSource
    ) throws(SealingError) -> CircleChange {
        let (author, new) = (CircleSigner.device(device), change.new)
        var entry = draft(of: .replaceCredentials, after: chain, by: author)
        try beginGeneration(in: &entry, keyRing: keyRing, closing: closing)
        let member = Member(
            id: new.memberID,
            kind: .credentials,
            signingKey: new.signingPublicKey,
            agreementKey: new.agreementPublicKey,
            nameBox: try MemberName.seal(
                change.accountKey.text,
                of: new.memberID,
                account: entry.account,
                keyRing: keyRing,
                random: random
            ),
            addedAtVersion: entry.version,
            addedBy: device.memberID
        )
        entry.members.removeAll { $0.id == change.old.memberID }
        entry.members = (entry.members + [member]).sorted { $0.id < $1.id }
        return try finish(
            entry,
            after: chain.entries,
            keyRing: keyRing,
            signers: [author, .credentials(change.old)],
            possession: new.possession(in: chain),
            boxFor: new,
            random: random
        )
    }

    private static func beginGeneration(
        in entry: inout CircleEntry,
        keyRing: KeyRing,
        closing: (vector: VersionVector, digest: Hash)
    ) throws(SealingError) {
        entry.generation += 1
        guard keyRing.newestGeneration == entry.generation,
            let rootCheck = keyRing.rootCheck(generation: entry.generation)
        else { throw .generationUnknown(generation: entry.generation) }
        entry.rootCheck = rootCheck
        let known = Set(keyRing.generations)
        entry.voidGenerations = (1..<entry.generation).filter { !known.contains($0) }
        (entry.closingVector, entry.closingDigest) = closing
    }

    /// The key envelopes of an entry, one for each member.
    ///
    /// - Throws: ``SealingError/circle(_:)`` if nothing can be sealed to a member's key;
    ///   ``SealingError/classLocked(_:)`` while the ring is locked.
    package static func envelopes(
        of keyRing: KeyRing,
        for entry: CircleEntry
    ) throws(SealingError) -> [KeyEnvelope] {
        try KeyEnvelopes.seal(keyRing, for: entry)
    }

    /// The next entry, with the members and the generation of the newest one.
    private static func draft(
        of operation: CircleOperation,
        after chain: CircleChain,
        by author: CircleSigner
    ) -> CircleEntry {
        var entry = chain.newest
        entry.version += 1
        entry.previousHash = chain.newestHash
        entry.operation = operation
        entry.author = author.memberID
        entry.closingVector = VersionVector()
        entry.closingDigest = .zero
        return entry
    }

    /// Seals the envelopes, signs, and checks the result by the rules that everyone else will use.
    ///
    /// `new`: credentials that the entry adds, beside signers that the box would be for.
    private static func finish(
        _ draft: CircleEntry,
        after previous: [SignedEntry],
        keyRing: KeyRing,
        signers: [CircleSigner],
        possession: [UInt8],
        boxFor new: AccountCredentials? = nil,
        random: any RandomSource
    ) throws(SealingError) -> CircleChange {
        let envelopes = try KeyEnvelopes.seal(keyRing, for: draft)
        var entry = draft
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        let signedBytes = entry.encoded
        let signed = SignedEntry(
            signedBytes: signedBytes,
            signatures: signers.map { signer in
                MemberSignature(member: signer.memberID, signature: signer.sign(signedBytes))
            },
            possession: possession
        )
        do {
            _ = try CircleRules.check(next: signed, after: previous)
            try CircleRules.checkEnvelopes(envelopes, of: entry)
        } catch {
            throw .circle(error)
        }
        var credentialsBox: [UInt8]?
        let signing = signers.lazy.compactMap(\.credentials).first
        if let credentials = new ?? signing {
            let note = CredentialsBox(
                hedgeSecret: keyRing.hedgeSecret,
                circleVersion: entry.version,
                entryHash: signed.hash,
                indexCheck: keyRing.indexCheck
            )
            credentialsBox = note.seal(for: credentials, account: entry.account, random: random)
        }
        return CircleChange(entry: signed, envelopes: envelopes, credentialsBox: credentialsBox)
    }
}
