import KSPrimitives
import KSRecords
import KSSealing
import Testing

/// A member may be a thief's, so the envelopes that it stores for others are verified.
struct EnvelopeCheckTests {
    private let world: CircleWorld
    private let newcomer: DeviceIdentity

    init() throws {
        world = try CircleWorld()
        newcomer = .random(from: world.random)
    }

    private func adding(keyRing: KeyRing? = nil) throws -> CircleChange {
        try CircleAuthoring.addDevice(
            DeviceApplication(of: newcomer, name: "tablet", to: world.chain),
            to: world.chain,
            keyRing: keyRing ?? world.keyRing,
            by: .device(world.laptop),
            random: world.random
        )
    }

    private func logIn(
        _ entries: [SignedEntry],
        _ envelopes: [KeyEnvelope],
        box: [UInt8]?
    ) throws -> OpenedAccount {
        try AccountOpening.open(
            account: world.account,
            entries: entries,
            envelope: #require(envelopes.first { $0.member == world.credentials.memberID }),
            credentialsBox: #require(box),
            credentials: world.credentials
        )
    }

    /// The same entry by the same author, with the envelopes of its choice.
    private func resigned(
        _ change: CircleChange,
        _ envelopes: [KeyEnvelope]
    ) throws -> SignedEntry {
        var entry = try change.entry.entry()
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        return world.sign(
            entry,
            by: [.device(world.laptop)],
            possession: change.entry.possession
        )
    }

    @Test
    func `every holder of the ring makes the same envelopes`() throws {
        let change = try adding()
        let opened = try KeyRing(decoding: world.keyRing.encode())
        try AccountOpening.checkEnvelopes(of: try change.entry.entry(), keyRing: opened)
        #expect(try adding().envelopes == change.envelopes)
        #expect(Set(change.envelopes.map { $0.sealed.prefix(32) }).count == 4)
        let login = world.login.envelopes.map { $0.sealed.prefix(32) }
        #expect(Set(login).isDisjoint(with: change.envelopes.map { $0.sealed.prefix(32) }))
        #expect(throws: SealingError.classLocked(.whenUnlocked)) {
            opened.lock()
            try AccountOpening.checkEnvelopes(of: try change.entry.entry(), keyRing: opened)
        }
    }

    @Test
    func `one forged envelope of one member is found by every holder of the ring`() throws {
        let change = try adding()
        for index in change.envelopes.indices {
            var envelopes = change.envelopes
            envelopes[index] = KeyEnvelope(
                member: envelopes[index].member,
                sealed: envelopes[index].sealed.flipping(40)
            )
            let signed = try resigned(change, envelopes)
            // The circle's rules and the server accept it.
            var chain = world.chain
            try chain.append(signed)
            try CircleRules.checkEnvelopes(envelopes, of: chain.newest)
            #expect(throws: SealingError.envelopesForged) {
                try AccountOpening.checkEnvelopes(of: chain.newest, keyRing: world.keyRing)
            }
            let isOwn = envelopes[index].member == world.credentials.memberID
            #expect(throws: isOwn ? SealingError.notAuthentic : .envelopesForged) {
                try logIn(chain.entries, envelopes, box: world.login.credentialsBox)
            }
        }
    }

    /// All envelopes fit together, under the right root keys, and another index key.
    @Test
    func `another ring with the right newest root is found`() throws {
        var encoded = try world.keyRing.encode()
        // After the label and the length of the index key.
        encoded[8 + 24 + 8] ^= 1
        let other = try KeyRing(decoding: encoded)
        let change = try adding(keyRing: other)
        var chain = world.chain
        try chain.append(change.entry)
        #expect(throws: SealingError.envelopesForged) {
            try AccountOpening.checkEnvelopes(of: chain.newest, keyRing: world.keyRing)
        }
        let own = try #require(change.envelopes.first { $0.member == world.phone.memberID })
        #expect(throws: SealingError.notAuthentic) {
            try AccountOpening.openKeyRing(
                envelope: own,
                of: chain.newest,
                identity: world.phone,
                current: world.keyRing
            )
        }
    }

    @Test
    func `a box names the newest entry that the credentials have signed`() throws {
        let change = try adding()
        let entries = world.chain.entries + [change.entry]
        let opened = try logIn(entries, change.envelopes, box: world.login.credentialsBox)
        #expect(opened.chain.newest.version == 3)
        #expect(opened.chain.newestWithCredentialsBox == 2)
        #expect(throws: SealingError.circleRolledBack) {
            try logIn(entries, change.envelopes, box: world.genesis.credentialsBox)
        }
    }
}
