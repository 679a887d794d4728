import KSCausality
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import Testing

/// A thief's laptop signs entries whose key envelopes are false; the others prove it and remove it.
struct FalseEntryTests {
    let world: CircleWorld
    let tablet: DeviceIdentity
    let before: CircleChain
    let closing = VersionVector([(actor: ActorID(rawValue: 7), counter: UInt64(12))])

    init() throws {
        world = try CircleWorld()
        tablet = .random(from: world.random)
        before = try world.chain(adding: tablet, name: "tablet")
    }

    // MARK: Parts

    func revocation(
        of devices: Set<MemberID>,
        from chain: CircleChain,
        keyRing: KeyRing,
        by author: CircleSigner
    ) throws -> CircleChange {
        let number = chain.newest.generation + 1
        return try CircleAuthoring.revoke(
            devices,
            from: chain,
            keyRing: keyRing.startingGeneration(number, from: world.random),
            closing: (vector: closing, digest: .zero),
            by: author,
            random: world.random
        )
    }

    /// The thief's entry with envelopes of its choice, and the circle with it.
    func forged(
        removing devices: Set<MemberID>? = nil,
        _ spoil: ([KeyEnvelope]) -> [KeyEnvelope]
    ) throws -> (chain: CircleChain, envelopes: [KeyEnvelope]) {
        let change = try revocation(
            of: devices ?? [tablet.memberID],
            from: before,
            keyRing: world.keyRing,
            by: .device(world.laptop)
        )
        let envelopes = spoil(change.envelopes)
        var entry = try change.entry.entry()
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        var chain = before
        try chain.append(world.sign(entry, by: [.device(world.laptop)]))
        return (chain, envelopes)
    }

    static func rubbish(_ envelopes: [KeyEnvelope]) -> [KeyEnvelope] {
        envelopes.map { KeyEnvelope(member: $0.member, sealed: $0.sealed.flipping(40)) }
    }

    func proof(
        _ chain: CircleChain,
        _ envelopes: [KeyEnvelope]
    ) throws -> FalseEntry? {
        try FalseEntry.prove(
            chain,
            envelopes: envelopes,
            identity: world.phone,
            current: world.keyRing
        )
    }

    func ring(
        _ change: CircleChange,
        after chain: CircleChain,
        of identity: DeviceIdentity,
        current: KeyRing
    ) throws -> (KeyRing, CircleChain) {
        var chain = chain
        try chain.append(change.entry)
        let own = try #require(change.envelopes.first { $0.member == identity.memberID })
        let ring = try AccountOpening.openKeyRing(
            envelope: own,
            of: chain.newest,
            identity: identity,
            current: current
        )
        try AccountOpening.checkRootKeys(of: ring, stated: chain)
        try AccountOpening.checkEnvelopes(of: chain.newest, keyRing: ring)
        return (ring, chain)
    }

    /// The phone proves the false entry and removes its author.
    func repair(
        _ chain: CircleChain,
        _ envelopes: [KeyEnvelope]
    ) throws -> (change: CircleChange, opened: KeyRing, repaired: CircleChain) {
        let falseEntry = try #require(try proof(chain, envelopes))
        let change = try revocation(
            of: [falseEntry.author],
            from: falseEntry.chain,
            keyRing: falseEntry.keyRing,
            by: .device(world.phone)
        )
        let (opened, repaired) = try ring(
            change,
            after: chain,
            of: world.phone,
            current: world.keyRing
        )
        return (change, opened, repaired)
    }

    // MARK: Proof

    @Test
    func `false envelopes of any member prove that their author is dishonest`() throws {
        let members = before.newest.members.map(\.id).filter { $0 != tablet.memberID }
        for member in members {
            let (chain, envelopes) = try forged { all in
                all.map { $0.member == member ? Self.rubbish([$0])[0] : $0 }
            }
            #expect(try proof(chain, envelopes)?.author == world.laptop.memberID)
        }
        let missing = try forged { $0.filter { $0.member != world.phone.memberID } }
        #expect(try proof(missing.chain, missing.envelopes) != nil)
        let swapped = try forged { all in
            all.map { KeyEnvelope(member: $0.member, sealed: all[0].sealed) }
        }
        #expect(try proof(swapped.chain, swapped.envelopes) != nil)
    }

    @Test
    func `good envelopes, or a server that damages some, prove nothing`() throws {
        let good = try forged { $0 }
        #expect(try proof(good.chain, good.envelopes) == nil)
        let damaged = Self.rubbish(good.envelopes)
        #expect(throws: SealingError.notAuthentic) { try proof(good.chain, damaged) }
        #expect(throws: SealingError.notAuthentic) {
            try proof(good.chain, Array(good.envelopes.dropLast()))
        }
        let bad = try forged(Self.rubbish)
        #expect(throws: SealingError.notAuthentic) { try proof(bad.chain, good.envelopes) }
    }

    @Test
    func `a device that the false entry removes cannot prove it`() throws {
        let (chain, envelopes) = try forged(removing: [world.phone.memberID], Self.rubbish)
        #expect(throws: SealingError.notMember) { try proof(chain, envelopes) }
    }

    @Test
    func `nothing is proven while the device is locked`() throws {
        let (chain, envelopes) = try forged { all in
            all.map { $0.member == world.phone.memberID ? $0 : Self.rubbish([$0])[0] }
        }
        let locked = try KeyRing(decoding: world.keyRing.encode())
        locked.lock()
        #expect(throws: SealingError.classLocked(.whenUnlocked)) {
            try FalseEntry.prove(
                chain,
                envelopes: envelopes,
                identity: world.phone,
                current: locked
            )
        }
    }

    // MARK: Repair

    @Test
    func `a device removes the author, and everybody has the new keys`() throws {
        let (chain, envelopes) = try forged(Self.rubbish)
        let (change, opened, repaired) = try repair(chain, envelopes)
        #expect(opened.generations == [1, 3])
        #expect(repaired.newest.generation == 3)
        #expect(repaired.newest.voidGenerations == [2])
        #expect(repaired.voidAuthors == [2: world.phone.memberID])
        #expect(repaired.newest.member(world.laptop.memberID) == nil)
        // A later login has the same keys, and adds a device to them.
        let login = try AccountOpening.open(
            account: world.account,
            entries: repaired.entries,
            envelope: #require(
                change.envelopes.first { $0.member == world.credentials.memberID }
            ),
            credentialsBox: #require(world.login.credentialsBox),
            credentials: world.credentials
        )
        #expect(login.keyRing.generations == [1, 3])
        let newcomer = DeviceIdentity.random(from: world.random)
        let adding = try CircleAuthoring.addDevice(
            DeviceApplication(of: newcomer, name: "new", to: repaired),
            to: repaired,
            keyRing: login.keyRing,
            by: .credentials(world.credentials),
            random: world.random
        )
        let (later, _) = try ring(adding, after: repaired, of: world.phone, current: opened)
        #expect(try later.encode() == opened.encode())
    }

    /// The keys are good, and the claim that earlier ones do not exist is a lie.
    @Test
    func `who denies keys that others have is found, and the next entry has them again`() throws {
        let denying = try KeyRing(decoding: world.keyRing.encode())
            .startingGeneration(2, from: world.random)
        var entry = before.newest
        entry.version += 1
        entry.previousHash = before.newestHash
        entry.operation = .revoke
        entry.author = world.laptop.memberID
        entry.members.removeAll { $0.id == tablet.memberID }
        entry.generation = 2
        entry.rootCheck = try #require(denying.rootCheck(generation: 2))
        entry.closingVector = closing
        entry.voidGenerations = [1]
        // The thief makes the envelopes by the rules.
        let envelopes = try CircleAuthoring.envelopes(of: denying, for: entry)
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        let signed = world.sign(entry, by: [.device(world.laptop)])
        let change = CircleChange(entry: signed, envelopes: envelopes, credentialsBox: nil)
        let (opened, chain) = try ring(
            change,
            after: before,
            of: world.phone,
            current: world.keyRing
        )
        // The phone keeps what it had.
        #expect(opened.generations == [1, 2])
        #expect(chain.voidAuthors == [1: world.laptop.memberID])
        #expect(AccountOpening.isDenied(1, by: chain, keyRing: opened))
        #expect(try proof(chain, envelopes) == nil)
        let repair = try revocation(
            of: [world.laptop.memberID],
            from: chain,
            keyRing: opened,
            by: .device(world.phone)
        )
        let (all, repaired) = try ring(repair, after: chain, of: world.phone, current: opened)
        #expect(repaired.newest.voidGenerations == [])
        #expect(all.generations == [1, 2, 3])
    }

    /// A liar may give the true key to some, to make others look like liars.
    @Test
    func `who has a key that others did not get accuses nobody of calling it void`() throws {
        let thiefRing = try world.keyRing.startingGeneration(2, from: world.random)
        let good = try CircleAuthoring.revoke(
            [tablet.memberID],
            from: before,
            keyRing: thiefRing,
            closing: (vector: closing, digest: .zero),
            by: .device(world.laptop),
            random: world.random
        )
        let envelopes = good.envelopes.map {
            $0.member == world.credentials.memberID ? $0 : Self.rubbish([$0])[0]
        }
        var entry = try good.entry.entry()
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        var chain = before
        try chain.append(world.sign(entry, by: [.device(world.laptop)]))
        let (change, opened, repaired) = try repair(chain, envelopes)
        #expect(repaired.newest.voidGenerations == [2])
        // The ring of one who got the true key of the void generation.
        let own = try #require(
            change.envelopes.first { $0.member == world.phone.memberID }
        )
        let longer = try AccountOpening.openKeyRing(
            envelope: own,
            of: repaired.newest,
            identity: world.phone,
            current: thiefRing
        )
        #expect(longer.generations == [1, 2, 3] && opened.generations == [1, 3])
        #expect(longer.rootCheck(generation: 2) == repaired.rootChecks[2])
        #expect(!AccountOpening.isDenied(2, by: repaired, keyRing: longer))
    }

    /// Otherwise its author's lie about where the generation before it ended would stay.
    @Test
    func `the repair states where the last good generation ended`() throws {
        let (chain, envelopes) = try forged(Self.rubbish)
        #expect(chain.closingVectors[1] == closing)
        let falseEntry = try #require(try proof(chain, envelopes))
        let later = VersionVector([(actor: ActorID(rawValue: 7), counter: UInt64(15))])
        let change = try CircleAuthoring.revoke(
            [falseEntry.author],
            from: chain,
            keyRing: falseEntry.keyRing.startingGeneration(3, from: world.random),
            closing: (vector: later, digest: .zero),
            by: .device(world.phone),
            random: world.random
        )
        var repaired = chain
        try repaired.append(change.entry)
        #expect(repaired.closingVectors[1] == later)
        #expect(repaired.closingVectors[2] == later)
    }
}
