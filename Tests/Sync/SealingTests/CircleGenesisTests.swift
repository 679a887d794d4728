import KSCausality
import KSRecords
import KSSealing
import Testing

struct CircleGenesisTests {
    private let world: CircleWorld

    init() throws {
        world = try CircleWorld()
    }

    private var laptop: CircleSigner { .device(world.laptop) }
    private var credentials: CircleSigner { .credentials(world.credentials) }

    private func verdict(_ signed: SignedEntry) -> CircleError? {
        do throws(CircleError) {
            _ = try CircleRules.check(next: signed, after: [])
            return nil
        } catch {
            return error
        }
    }

    private func verdict(
        signers: [CircleSigner]? = nil,
        possession: [UInt8] = [],
        _ change: (inout CircleEntry) -> Void = { _ in }
    ) throws -> CircleError? {
        var entry = try world.genesis.entry.entry()
        change(&entry)
        let signers = signers ?? [laptop, credentials]
        return verdict(world.sign(entry, by: signers, possession: possession))
    }

    @Test
    func `a genesis entry signed by device and credentials is accepted`() throws {
        #expect(try verdict() == nil)
        #expect(verdict(world.genesis.entry) == nil)
    }

    @Test
    func `no other operation or predecessor makes a first entry`() throws {
        #expect(try verdict { $0.operation = .addDevice } == .notGenesis)
        #expect(try verdict { $0.previousHash = Hash(validated: .rising(from: 1)) } == .notGenesis)
        #expect(try verdict { $0.version = 2 } == .wrongVersion(expected: 1))
        #expect(verdict(world.login.entry) == .notGenesis)
        #expect(throws: CircleError.notGenesis) { try CircleChain(verifying: []) }
    }

    @Test
    func `its members are one device and the credentials`() throws {
        #expect(try verdict { $0.members.removeAll { $0.kind == .device } } == .membersChanged)
        #expect(try verdict { $0.members.removeAll { $0.kind == .credentials } } == .membersChanged)
        #expect(
            try verdict { entry in
                entry.members = entry.members.map { $0.changed(kind: .device) }
            } == .membersChanged
        )
        let third = world.member(
            .device(world.phone),
            .device,
            agreementKey: world.phone.agreementPublicKey,
            version: 1,
            by: laptop
        )
        #expect(
            try verdict { entry in
                entry.members = (entry.members + [third]).sorted { $0.id < $1.id }
            } == .membersChanged
        )
        #expect(try verdict { $0.author = world.credentials.memberID } == .authorNotAllowed)
    }

    @Test
    func `both have to sign these bytes, and nobody else`() throws {
        #expect(try verdict(signers: [laptop]) == .signatureInvalid)
        #expect(try verdict(signers: [credentials]) == .signatureInvalid)
        #expect(try verdict(signers: []) == .signatureInvalid)
        #expect(try verdict(signers: [laptop, laptop]) == .signatureInvalid)
        let three = [laptop, credentials, .device(world.stranger)]
        #expect(try verdict(signers: three) == .signatureInvalid)
        var entry = try world.genesis.entry.entry()
        entry.oldestFormat = 2
        let moved = SignedEntry(
            signedBytes: entry.encoded,
            signatures: world.genesis.entry.signatures,
            possession: []
        )
        #expect(verdict(moved) == .signatureInvalid)
        #expect(try verdict(possession: [1]) == .possessionInvalid)
    }

    @Test
    func `a member's id and keys are its own and usable`() throws {
        let usable = try world.genesis.entry.entry().members
        for (index, member) in usable.enumerated() {
            let changes: [Member] = [
                member.changed(agreementKey: [UInt8](repeating: 0, count: 32)),
                member.changed(agreementKey: usable[1 - index].agreementKey),
                member.changed(nameBox: [UInt8](repeating: 0, count: 1025)),
                member.changed(addedAtVersion: 2),
                member.changed(addedBy: world.credentials.memberID),
            ]
            for changed in changes {
                #expect(try verdict { $0.members[index] = changed } == .memberInvalid)
            }
        }
        // The id of another key, with the signature under that id.
        let other = MemberID(signingKey: world.stranger.signingPublicKey)
        var entry = try world.genesis.entry.entry()
        entry.members = entry.members
            .map { $0.kind == .credentials ? $0.changed(id: other) : $0 }
            .sorted { $0.id < $1.id }
        let bytes = entry.encoded
        let signed = SignedEntry(
            signedBytes: bytes,
            signatures: [
                MemberSignature(member: laptop.memberID, signature: laptop.sign(bytes)),
                MemberSignature(member: other, signature: credentials.sign(bytes)),
            ],
            possession: []
        )
        #expect(verdict(signed) == .memberInvalid)
    }

    @Test
    func `the first generation has no predecessor, and the floors are the lowest`() throws {
        #expect(try verdict { $0.generation = 2 } == .generationInvalid)
        let end = VersionVector([(actor: ActorID(rawValue: 1), counter: UInt64(1))])
        #expect(try verdict { $0.closingVector = end } == .generationInvalid)
        let digest = Hash(validated: .rising(from: 1))
        #expect(try verdict { $0.closingDigest = digest } == .generationInvalid)
        #expect(try verdict { $0.oldestGeneration = 2 } == .floorInvalid)
        #expect(try verdict { $0.oldestGeneration = 0 } == .floorInvalid)
        #expect(try verdict { $0.oldestFormat = 0 } == .floorInvalid)
    }

    @Test
    func `cut bytes are no entry`() {
        let signed = world.genesis.entry
        for count in 0..<signed.signedBytes.count {
            let cut = SignedEntry(
                signedBytes: Array(signed.signedBytes.prefix(count)),
                signatures: signed.signatures,
                possession: []
            )
            #expect(verdict(cut) == .malformed)
        }
    }

    @Test
    func `every changed byte of a signed entry is refused`() {
        let signed = world.genesis.entry
        for index in signed.signedBytes.indices {
            let forged = SignedEntry(
                signedBytes: signed.signedBytes.flipping(index),
                signatures: signed.signatures,
                possession: []
            )
            #expect(verdict(forged) != nil, "byte \(index)")
        }
    }

    @Test
    func `the key envelopes are those of the entry, one for each member`() throws {
        let entry = try world.genesis.entry.entry()
        let envelopes = world.genesis.envelopes
        func verdict(_ envelopes: [KeyEnvelope]) -> CircleError? {
            do throws(CircleError) {
                try CircleRules.checkEnvelopes(envelopes, of: entry)
                return nil
            } catch {
                return error
            }
        }
        #expect(verdict(envelopes) == nil)
        #expect(verdict(envelopes.reversed()) == nil)
        #expect(verdict([envelopes[0]]) == .envelopesInvalid)
        #expect(verdict([envelopes[0], envelopes[0]]) == .envelopesInvalid)
        #expect(verdict(world.login.envelopes) == .envelopesInvalid)
        let changed = KeyEnvelope(
            member: envelopes[1].member,
            sealed: envelopes[1].sealed.flipping(40)
        )
        #expect(verdict([envelopes[0], changed]) == .envelopesInvalid)
    }
}
