import KSCausality
import Foundation
import KSMerging
import KSRecords
import KSStore
import KSWire
import Synchronization
import KSTestSupport
import Testing

/// Sign-up, the circle's chain, and the server's data beside accounts.
struct AccountTests {
    @Test(arguments: StoreKind.allCases)
    func `an account is found by its id and by any spelling of its name`(kind: StoreKind) throws {
        let world = try kind.make()
        let account = FakeAccount(1, name: "Zoë Ångström")
        let epoch = try world.store.createAccount(account.signUp)
        let state = try #require(try world.store.account(account.id))
        #expect(state.name == "Zoë Ångström" && state.epoch == epoch && state.seq == 0)
        #expect(state.circleVersion == 1 && state.generation == 1)
        let spellings = ["zoë ångström", "ZOË ÅNGSTRÖM", " Zoe\u{308} A\u{30A}ngstro\u{308}m "]
        for name in spellings {
            #expect(try world.store.account(named: name) == state)
        }
        #expect(try world.store.account(named: "zoe angstrom") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a name or an id is given once, but the same sign-up may be repeated`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let account = FakeAccount(1, name: "anna")
        let epoch = try world.store.createAccount(account.signUp)
        #expect(try world.store.createAccount(account.signUp) == epoch)
        #expect(throws: StoreError.refused(.nameTaken)) {
            try world.store.createAccount(FakeAccount(2, name: "ANNA").signUp)
        }
        #expect(throws: StoreError.refused(.nameTaken)) {
            try world.store.createAccount(FakeAccount(1, name: "berta").signUp)
        }
        #expect(throws: StoreError.refused(.nameTaken)) {
            try world.store.createAccount(FakeAccount(1, name: "anna", devices: 1).signUp)
        }
        #expect(try world.totals().accounts == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `of many sign-ups under one name at once, one gets it`(kind: StoreKind) throws {
        let world = try kind.make()
        let store = world.store
        let outcomes = Mutex<[StoreError?]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            let account = FakeAccount(UInt8(index + 1), name: "anna")
            do throws(StoreError) {
                _ = try store.createAccount(account.signUp)
                outcomes.withLock { $0.append(nil) }
            } catch {
                outcomes.withLock { $0.append(error) }
            }
        }
        let errors = outcomes.withLock { $0 }
        #expect(errors.count { $0 == nil } == 1 && errors.count { $0 == .refused(.nameTaken) } == 7)
    }

    @Test(arguments: StoreKind.allCases, ["", "   ", "\u{0}", "a\nb", "a\u{2028}b"])
    func `an untypable name is refused`(kind: StoreKind, name: String) throws {
        let world = try kind.make()
        #expect(throws: StoreError.refused(.malformed)) {
            try world.store.createAccount(FakeAccount(1, name: name).signUp)
        }
        #expect(throws: StoreError.refused(.tooLarge)) {
            try world.store.account(named: String(repeating: "a", count: 129))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `only a genesis entry is accepted as the first one`(kind: StoreKind) throws {
        let world = try kind.make()
        let account = FakeAccount(1)
        let signUp = account.signUp
        let second = account.entry(version: 2, operation: .rename)
        let other = FakeAccount(2).signUp
        let entries = [
            (second, account.envelopes(version: 2)),
            (other.genesis.entry, other.genesis.envelopes),
            (signUp.genesis.entry, []),
            (SignedEntry(signedBytes: [1], signatures: [], possession: []), []),
        ]
        for (entry, envelopes) in entries {
            #expect(throws: StoreError.refused(.malformed)) {
                try world.store.createAccount(
                    NewAccount(
                        id: account.id,
                        name: "anna",
                        genesis: CircleChange(
                            entry: entry,
                            envelopes: envelopes,
                            credentialsBox: []
                        )
                    )
                )
            }
        }
        #expect(try world.totals().accounts == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `the circle gives each member its own envelope`(kind: StoreKind) throws {
        let world = try kind.make()
        let (signedUp, epoch) = try world.signUp()
        var account = signedUp
        let genesis = account.newest
        let store = world.store
        let device = try store.circle(of: account.id, after: 0, for: account.device)
        #expect(device.entries == [genesis] && device.epoch == epoch)
        #expect(
            device.envelope
                == KeyEnvelope(member: account.device, sealed: account.device.bytes + [1])
        )
        // Devices keep what the server may lose.
        #expect(device.credentialsBox == [42] && device.envelopes.count == account.memberIDs.count)
        let credentials = try store.circle(of: account.id, after: 0, for: account.credentials)
        #expect(credentials.envelope?.member == account.credentials)
        #expect(credentials.credentialsBox == [42])

        try store.appendEntry(account.advance(), to: account.id, ifVersion: 1)
        let later = try store.circle(of: account.id, after: 1, for: account.credentials)
        #expect(later.entries == [account.newest] && later.credentialsBox == [42])
        #expect(later.envelope?.sealed == account.credentials.bytes + [2])
        #expect(try store.circle(of: account.id, after: 0, for: account.device).entries.count == 2)
        #expect(try store.circle(of: account.id, after: .max, for: account.device).entries.isEmpty)
        #expect(try store.newestEntry(of: account.id) == account.newest)
        try store.appendEntry(account.advance(credentialsBox: [43]), to: account.id, ifVersion: 2)
        #expect(
            try store.circle(of: account.id, after: 2, for: account.credentials).credentialsBox
                == [43]
        )
        #expect(throws: StoreError.notMember) {
            try store.circle(of: account.id, after: 0, for: FakeAccount(2).device)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of two entries after the same one the first counts, and its retry changes nothing`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        var (account, _) = try world.signUp()
        var rival = account
        rival.devices.append(FakeAccount(9).device)
        let first = account.advance()
        let second = rival.advance(operation: .addDevice)
        try world.store.appendEntry(first, to: account.id, ifVersion: 1)
        try world.store.appendEntry(first, to: account.id, ifVersion: 1)
        #expect(throws: StoreError.refused(.circleChanged)) {
            try world.store.appendEntry(second, to: account.id, ifVersion: 1)
        }
        #expect(try world.store.newestEntry(of: account.id) == first.entry)
        let third = account.advance()
        _ = account.advance()
        #expect(throws: StoreError.refused(.malformed)) {
            try world.store.appendEntry(third, to: account.id, ifVersion: 1)
        }
        try world.store.appendEntry(third, to: account.id, ifVersion: 2)
        #expect(throws: StoreError.refused(.circleChanged)) {
            try world.store.appendEntry(first, to: account.id, ifVersion: 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a former member is refused, and the others continue`(kind: StoreKind) throws {
        let world = try kind.make()
        let (signedUp, epoch) = try world.signUp()
        var account = signedUp
        var leaver = FakeActor(7, of: account, device: 1, epoch: epoch)
        var stayer = FakeActor(8, of: account, device: 0, epoch: epoch)
        try leaver.push(.number(1), to: world.store)
        try stayer.push(.number(2), to: world.store)
        account.devices.removeLast()
        try world.store.appendEntry(
            account.advance(operation: .revoke),
            to: account.id,
            ifVersion: 1
        )
        let late = leaver.seal([FakeWrite(record: .number(3))])
        #expect(world.store.push([leaver.request(late)]) == [.failure(.notMember)])
        try stayer.push(.number(3), to: world.store)
    }

    @Test(arguments: StoreKind.allCases)
    func `a generation ends at the account vector and nowhere else`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        let seen = try world.vector(of: account)
        try actor.push(.number(2), to: world.store)
        var tooEarly = account
        let early = tooEarly.advance(operation: .revoke, raisingGenerationAt: seen)
        #expect(throws: StoreError.refused(.circleChanged)) {
            try world.store.appendEntry(early, to: account.id, ifVersion: 1)
        }
        try actor.push(.number(3), to: world.store)
        var inTime = account
        let vector = try world.vector(of: account)
        let change = inTime.advance(operation: .revoke, raisingGenerationAt: vector)
        try world.store.appendEntry(change, to: account.id, ifVersion: 1)
        #expect(try world.store.account(account.id)?.generation == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a nonce is valid once, and not after its expiry`(kind: StoreKind) throws {
        let world = try kind.make()
        let now = world.clock.now
        #expect(try world.store.useNonce([1], expirySeconds: now + 120))
        #expect(try !world.store.useNonce([1], expirySeconds: now + 120))
        #expect(try world.store.useNonce([2], expirySeconds: now + 120))
        #expect(try !world.store.useNonce([3], expirySeconds: now - 1))
        world.clock.advance(by: 120)
        #expect(try !world.store.useNonce([1], expirySeconds: now + 120))
        world.clock.advance(by: 1)
        #expect(try !world.store.useNonce([1], expirySeconds: now + 120))
    }
}
