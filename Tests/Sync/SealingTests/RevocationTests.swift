import KSCausality
import KSRecords
import KSSealing
import KSTestSupport
import Testing

/// A laptop removes a phone, and the account's keys change.
struct RevocationTests {
    private let world: CircleWorld
    private let newer: KeyRing
    private let tablet: DeviceIdentity
    private let before: CircleChain
    private let closing: VersionVector

    init() throws {
        world = try CircleWorld()
        tablet = .random(from: world.random)
        before = try world.chain(adding: tablet, name: "tablet")
        newer = try world.keyRing.startingGeneration(from: world.random)
        closing = VersionVector([(actor: ActorID(rawValue: 7), counter: UInt64(12))])
    }

    private func revocation(
        of devices: Set<MemberID>,
        keyRing: KeyRing? = nil,
        by author: CircleSigner? = nil
    ) throws -> CircleChange {
        try CircleAuthoring.revoke(
            devices,
            from: before,
            keyRing: keyRing ?? newer,
            closing: (vector: closing, digest: Hash(validated: .rising(from: 3))),
            by: author ?? .device(world.laptop),
            random: world.random
        )
    }

    private func open(_ change: CircleChange, as identity: DeviceIdentity) throws -> KeyRing {
        var chain = before
        try chain.append(change.entry)
        // Its own envelope, or somebody else's where it has none.
        let own = change.envelopes.first { $0.member == identity.memberID } ?? change.envelopes[0]
        return try AccountOpening.openKeyRing(
            envelope: own,
            of: chain.newest,
            identity: identity,
            current: world.keyRing
        )
    }

    @Test
    func `those who stay get the new keys, and the removed device does not`() throws {
        let change = try revocation(of: [world.phone.memberID])
        #expect(!change.envelopes.contains { $0.member == world.phone.memberID })
        for identity in [world.laptop, tablet] {
            #expect(try open(change, as: identity).encode() == newer.encode())
        }
        #expect(throws: SealingError.notMember) { try open(change, as: world.phone) }
        // Not even with another member's envelope: it is sealed to that member's key.
        for envelope in change.envelopes {
            let stolen = KeyEnvelope(member: world.phone.memberID, sealed: envelope.sealed)
            #expect(throws: SealingError.notAuthentic) {
                try AccountOpening.openKeyRing(
                    envelope: stolen,
                    of: before.newest,
                    identity: world.phone,
                    current: world.keyRing
                )
            }
        }
    }

    @Test
    func `the entry states where the generation ended`() throws {
        let change = try revocation(of: [world.phone.memberID, tablet.memberID])
        var chain = before
        try chain.append(change.entry)
        #expect(chain.newest.generation == 2)
        #expect(chain.closingVectors == [1: closing])
        #expect(chain.newest.closingDigest == Hash(validated: .rising(from: 3)))
        #expect(Set(chain.newest.members.map(\.kind)) == [.device, .credentials])
        #expect(chain.newest.member(world.laptop.memberID) != nil)
        #expect(change.credentialsBox == nil)
        #expect(before.closingVectors.isEmpty)
        #expect(before.newest.closingDigest == .zero)
    }

    @Test
    func `a login after it gets all keys, and reads the names of all devices`() throws {
        let change = try revocation(of: [world.phone.memberID])
        let own = try #require(
            change.envelopes.first { $0.member == world.credentials.memberID }
        )
        let opened = try AccountOpening.open(
            account: world.account,
            entries: before.entries + [change.entry],
            envelope: own,
            credentialsBox: try #require(world.login.credentialsBox),
            credentials: world.credentials
        )
        #expect(opened.keyRing.generations == [1, 2])
        let names = try opened.chain.newest.members.filter { $0.kind == .device }.map {
            try MemberName.open(of: $0, account: world.account, keyRing: opened.keyRing)
        }
        #expect(names.sorted() == ["laptop", "tablet"])
        let again = try CircleAuthoring.addDevice(
            DeviceApplication(of: world.stranger, name: "phone", to: opened.chain),
            to: opened.chain,
            keyRing: opened.keyRing,
            by: .credentials(world.credentials),
            random: world.random
        )
        var chain = opened.chain
        try chain.append(again.entry)
        // An entry that begins no generation states no end of one; the chain still knows it.
        #expect(chain.newest.closingVector.isEmpty)
        #expect(chain.closingVectors == [1: closing])
    }

    @Test
    func `nobody removes itself, strangers, or anything with the old keys`() throws {
        let laptop = world.laptop.memberID
        #expect(throws: SealingError.circle(.membersChanged)) { try revocation(of: [laptop]) }
        #expect(throws: SealingError.circle(.membersChanged)) {
            try revocation(of: [world.stranger.memberID])
        }
        #expect(throws: SealingError.circle(.membersChanged)) {
            try revocation(of: [world.credentials.memberID])
        }
        #expect(throws: SealingError.circle(.authorNotAllowed)) {
            try revocation(of: [world.phone.memberID], by: .device(world.stranger))
        }
        #expect(throws: SealingError.generationUnknown(generation: 2)) {
            try revocation(of: [world.phone.memberID], keyRing: world.keyRing)
        }
    }

    @Test
    func `a ring takes new keys in place, and locks and unlocks with them`() throws {
        let ring = try KeyRing(decoding: world.keyRing.encode())
        ring.take(newer)
        #expect(ring.newestGeneration == 2)
        #expect(try ring.encode() == newer.encode())
        ring.lock()
        #expect(ring.isLocked)
        #expect(throws: SealingError.classLocked(.whenUnlocked)) { try ring.encode() }
        ring.unlock(with: newer)
        #expect(try ring.encode() == newer.encode())
    }

    @Test
    func `a ring that was locked meanwhile takes new keys locked`() throws {
        let ring = try KeyRing(decoding: world.keyRing.encode())
        ring.lock()
        ring.take(newer)
        #expect(ring.newestGeneration == 2)
        #expect(throws: SealingError.classLocked(.whenUnlocked)) {
            try ring.recordKey(.keychain, generation: 2)
        }
        ring.unlock(with: newer)
        #expect(try ring.encode() == newer.encode())
    }

    /// Every root key is checked: a member could hide that it knows another one of an older
    /// generation, under which it might show forged records.
    @Test
    func `a ring with another old root key than the circle states is refused`() throws {
        var encoded = try newer.encode()
        // The last byte of the first of two root keys: before the second's generation and length.
        encoded[encoded.count - 1 - 48] ^= 1
        let forged = try KeyRing(decoding: encoded)
        let change = try revocation(of: [world.phone.memberID])
        var chain = before
        try chain.append(change.entry)
        try AccountOpening.checkRootKeys(of: newer, stated: chain)
        #expect(throws: SealingError.envelopesForged) {
            try AccountOpening.checkRootKeys(of: forged, stated: chain)
        }
    }
}
