internal import KSCausality
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
        var entry = chain.newest
        guard keyRing.belongs(to: entry) else {
            throw .generationUnknown(generation: entry.generation)
        }
        entry.version += 1
        entry.previousHash = chain.newestHash
        entry.operation = .addDevice
        entry.author = author.memberID
        entry.closingVector = .init()
        entry.closingDigest = .zero
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

    /// Seals the envelopes, signs, and checks the result by the rules that everyone else will use.
    private static func finish(
        _ draft: CircleEntry,
        after previous: [SignedEntry],
        keyRing: KeyRing,
        signers: [CircleSigner],
        possession: [UInt8],
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
        for case .credentials(let credentials) in signers {
            let note = CredentialsBox(
                hedgeSecret: keyRing.hedgeSecret,
                circleVersion: entry.version,
                entryHash: signed.hash
            )
            credentialsBox = note.seal(for: credentials, account: entry.account, random: random)
        }
        return CircleChange(entry: signed, envelopes: envelopes, credentialsBox: credentialsBox)
    }
}
