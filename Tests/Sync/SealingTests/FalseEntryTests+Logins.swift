import KSCausality
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import Testing

// What a login does about false entries.

extension FalseEntryTests {
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
