import KSCausality
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import Testing

/// A thief's laptop signs entries whose key envelopes are false; the others prove it and remove it.
struct FalseEntryTests {
    private let world: CircleWorld
    private let tablet: DeviceIdentity
    private let before: CircleChain
    private let closing = VersionVector([(actor: ActorID(rawValue: 7), counter: UInt64(12))])

    init() throws {
        world = try CircleWorld()
        tablet = .random(from: world.random)
        var chain = world.chain
        let adding = try CircleAuthoring.addDevice(
            DeviceApplication(of: tablet, name: "tablet", to: chain),
            to: chain,
            keyRing: world.keyRing,
            by: .device(world.laptop),
            random: world.random
        )
        try chain.append(adding.entry)
        before = chain
    }

    // MARK: Parts

    private func revocation(
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
    private func forged(
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

    private static func rubbish(_ envelopes: [KeyEnvelope]) -> [KeyEnvelope] {
        envelopes.map { KeyEnvelope(member: $0.member, sealed: $0.sealed.flipping(40)) }
    }

    private func proof(
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

    private func ring(
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

    /// The thief threw everybody out, so only the password and the Account Key are left.
    @Test
    func `the credentials remove the author by an envelope of an earlier generation`() throws {
        let others: Set = [world.phone.memberID, tablet.memberID]
        let (chain, envelopes) = try forged(removing: others, Self.rubbish)
        let box = try #require(world.login.credentialsBox)
        let unopened = try #require(
            try UnopenedFalseEntry(
                account: world.account,
                entries: chain.entries,
                envelopes: envelopes,
                credentialsBox: box,
                credentials: world.credentials
            )
        )
        func own(_ envelopes: [KeyEnvelope]) throws -> KeyEnvelope {
            try #require(envelopes.first { $0.member == world.credentials.memberID })
        }
        // What does not open, or belongs to another entry, is left out.
        let rubbish = try [
            (entry: chain.entries[3], envelope: own(envelopes)),
            (entry: chain.entries[0], envelope: own(world.login.envelopes)),
        ]
        #expect(unopened.opened(by: rubbish) == nil)
        let good = try (entry: chain.entries[0], envelope: own(world.genesis.envelopes))
        let falseEntry = try #require(unopened.opened(by: rubbish + [good]))
        #expect(falseEntry.author == world.laptop.memberID)
        #expect(try falseEntry.keyRing.encode() == world.keyRing.encode())
        // The thief's was the last device; a login adds another.
        let change = try revocation(
            of: [falseEntry.author],
            from: chain,
            keyRing: falseEntry.keyRing,
            by: .credentials(world.credentials)
        )
        var repaired = chain
        try repaired.append(change.entry)
        #expect(repaired.newest.members.map(\.id) == [world.credentials.memberID])
        let login = try AccountOpening.open(
            account: world.account,
            entries: repaired.entries,
            envelope: own(change.envelopes),
            credentialsBox: #require(change.credentialsBox),
            credentials: world.credentials
        )
        #expect(login.keyRing.generations == [1, 3])
        let adding = try CircleAuthoring.addDevice(
            DeviceApplication(of: world.phone, name: "phone", to: repaired),
            to: repaired,
            keyRing: login.keyRing,
            by: .credentials(world.credentials),
            random: world.random
        )
        // The phone came back with what it knew.
        let (opened, _) = try ring(
            adding,
            after: repaired,
            of: world.phone,
            current: world.keyRing
        )
        #expect(opened.generations == [1, 3])
    }

    @Test
    func `a login with good envelopes accuses nobody`() throws {
        let good = try forged { $0 }
        let unopened = try UnopenedFalseEntry(
            account: world.account,
            entries: good.chain.entries,
            envelopes: good.envelopes,
            credentialsBox: #require(world.login.credentialsBox),
            credentials: world.credentials
        )
        #expect(unopened == nil)
        #expect(throws: SealingError.notAuthentic) {
            try UnopenedFalseEntry(
                account: world.account,
                entries: good.chain.entries,
                envelopes: Self.rubbish(good.envelopes),
                credentialsBox: #require(world.login.credentialsBox),
                credentials: world.credentials
            )
        }
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
        let falseEntry = try #require(try proof(chain, envelopes))
        let change = try revocation(
            of: [falseEntry.author],
            from: chain,
            keyRing: falseEntry.keyRing,
            by: .device(world.phone)
        )
        let (opened, repaired) = try ring(
            change,
            after: chain,
            of: world.phone,
            current: world.keyRing
        )
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

    /// Nothing but the credentials box states the index key.
    @Test
    func `a login finds another index key in envelopes that fit together`() throws {
        var encoded = try world.keyRing.encode()
        // After the label and the length of the index key.
        encoded[8 + 24 + 8] ^= 1
        let other = try KeyRing(decoding: encoded)
        let newcomer = DeviceIdentity.random(from: world.random)
        let change = try CircleAuthoring.addDevice(
            DeviceApplication(of: newcomer, name: "new", to: before),
            to: before,
            keyRing: other,
            by: .device(world.laptop),
            random: world.random
        )
        var chain = before
        try chain.append(change.entry)
        let box = try #require(world.login.credentialsBox)
        let own = try #require(
            change.envelopes.first { $0.member == world.credentials.memberID }
        )
        #expect(throws: SealingError.notAuthentic) {
            try AccountOpening.open(
                account: world.account,
                entries: chain.entries,
                envelope: own,
                credentialsBox: box,
                credentials: world.credentials
            )
        }
        let unopened = try UnopenedFalseEntry(
            account: world.account,
            entries: chain.entries,
            envelopes: change.envelopes,
            credentialsBox: box,
            credentials: world.credentials
        )
        #expect(unopened?.author == world.laptop.memberID)
    }

    /// The thief throws everybody out, and gives the credentials a ring without the earlier keys.
    @Test
    func `a login gets the keys that a liar called void from earlier envelopes`() throws {
        let longer = try world.keyRing.startingGeneration(2, from: world.random)
        let denying = try #require(try longer.without(1))
        let lie = try CircleAuthoring.revoke(
            [world.phone.memberID, tablet.memberID],
            from: before,
            keyRing: denying,
            closing: (vector: closing, digest: .zero),
            by: .device(world.laptop),
            random: world.random
        )
        var chain = before
        try chain.append(lie.entry)
        #expect(chain.newest.voidGenerations == [1])
        let box = try #require(world.login.credentialsBox)
        func own(_ change: CircleChange) throws -> KeyEnvelope {
            try #require(change.envelopes.first { $0.member == world.credentials.memberID })
        }
        let opened = try AccountOpening.open(
            account: world.account,
            entries: chain.entries,
            envelope: own(lie),
            credentialsBox: box,
            credentials: world.credentials
        )
        #expect(opened.keyRing.generations == [2])
        let complete = try AccountOpening.adding(
            [(entry: chain.entries[0], envelope: own(world.genesis))],
            to: opened,
            credentialsBox: box,
            credentials: world.credentials
        )
        #expect(complete.keyRing.generations == [1, 2])
        #expect(
            complete.keyRing.rootCheck(generation: 1) == world.keyRing.rootCheck(generation: 1)
        )
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

extension KeyRing {
    /// The ring without one of its generations; nil if none is left.
    fileprivate func without(_ generation: UInt64) throws -> KeyRing? {
        // The encoding ends with the list of the root keys, 48 bytes each.
        let all = generations
        var encoded = try encode()
        let list = encoded.suffix(48 * all.count)
        let index = try #require(all.firstIndex(of: generation))
        let start = list.startIndex + 48 * index
        encoded.removeSubrange(start..<start + 48)
        let count = encoded.count - 48 * (all.count - 1) - 1
        encoded[count] = UInt8(all.count - 1)
        return all.count > 1 ? try KeyRing(decoding: encoded) : nil
    }
}
