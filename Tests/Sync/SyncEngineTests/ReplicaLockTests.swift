import KSDeviceKeys
import KSCausality
import KSKeychain
import KSRecords
import KSSealing
import Testing
import KSWire

import KSSyncEngine

/// Sync while the device is locked, and after an unlock.
struct ReplicaLockTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome

    init() throws {
        home = try .caughtUp()
        account = home.account
    }

    private func lock() {
        home.keys.lock()
        home.device.keys.lock()
    }

    private func unlock() throws {
        try home.keys.unlock(passcode: nil)
        try home.device.keys.unlock(from: home.database)
        home.replica.noticeUnlock()
    }

    @Test
    func `records pulled while locked wait, and are applied at the unlock`() throws {
        let writer = try ReplicaHome(account)
        try writer.pull(account.page(to: 5))
        try writer.save("wifi", "one")
        let envelope = try #require(try writer.pushTaken(from: 6).envelopes.first)
        lock()
        #expect(home.replica.isLocked)
        try home.hear(account.page([.of([envelope], seq: 6)], to: 6))
        #expect(try home.replica.counts().waiting == 1)
        #expect(try home.replica.state().cursor == account.cursor(6))
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.counts().waiting == 1)
        try unlock()
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.counts().waiting == 0)
        #expect(try home.secret("wifi") == "one")
    }

    @Test
    func `a first download that waits for the unlock is not complete before it`() throws {
        let writer = try ReplicaHome(account)
        try writer.pull(account.page(to: 5))
        try writer.save("wifi", "one")
        let envelope = try #require(try writer.pushTaken(from: 6).envelopes.first)
        let reader = try ReplicaHome(account)
        reader.keys.lock()
        reader.device.keys.lock()
        let page = account.page([.of([envelope], seq: 6)], to: 6)
        try reader.pull(page)
        #expect(try reader.replica.state().lastSuccessMilliseconds == nil)
        try reader.keys.unlock(passcode: nil)
        try reader.device.keys.unlock(from: reader.database)
        reader.replica.noticeUnlock()
        try reader.pull(account.page(to: 6))
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.replica.state().lastSuccessMilliseconds != nil)
    }

    @Test
    func `a page is kept when the device locks in the middle, and is applied once`() throws {
        let writer = try ReplicaHome(account)
        try writer.pull(account.page(to: 5))
        try writer.save("wifi", "one")
        let envelope = try #require(try writer.pushTaken(from: 6).envelopes.first)
        let before = home.replica.report
        // The classes go before the account's keys.
        home.keys.lock()
        #expect(!home.replica.isLocked)
        try home.hear(account.page([.of([envelope], seq: 6)], to: 6))
        #expect(try home.replica.counts().waiting == 1)
        #expect(try home.replica.state().cursor == account.cursor(6))
        #expect(home.replica.report.pulledRecords == before.pulledRecords + 1)
        #expect(home.replica.report.appliedEntries == before.appliedEntries)
        try unlock()
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.counts().waiting == 0)
        #expect(try home.secret("wifi") == "one")
        #expect(home.replica.report.appliedEntries == before.appliedEntries + 1)
    }

    @Test
    func `a lock in the middle of sealing leaves no request open`() throws {
        try home.save("wifi", "one")
        home.keys.lock()
        #expect(!home.replica.isLocked)
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.counts().unsent == 1)
        try unlock()
        #expect(try home.pushTaken(from: 6).envelopes.map(\.recordID) == [home.recordID("wifi")])
    }

    @Test
    func `a push answered while locked is sent again at the unlock, and a later one while locked`()
        throws
    {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        lock()
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: request)
        #expect(try home.replica.counts().unsent == 1)
        #expect(try home.replica.nextRequest() == .rest)
        try unlock()
        #expect(try home.pushTaken(from: 6) == batch)
        #expect(try home.replica.counts().unsent == 0)
        // A batch that is already sealed is sent while locked.
        try home.save("wifi", "two")
        let (second, sealed) = try home.push()
        try home.replica.receive(.failed, to: second)
        lock()
        home.clock.advance(seconds: 100)
        #expect(try home.push().batch == sealed)
    }

    @Test
    func `an item that hides the account's item is not deleted while locked`() throws {
        let writer = try ReplicaHome(account)
        try writer.pull(account.page(to: 5))
        try writer.save("wifi", "one")
        let envelope = try #require(try writer.pushTaken(from: 6).envelopes.first)
        var bound = ReplicaHome.item("wifi", "of this device")
        bound.attributes[.accessible] = .string(
            ProtectionClass.afterFirstUnlockThisDeviceOnly.letters
        )
        let item = bound
        _ = try home.keychain.write { database in
            try home.keychain.add(
                item,
                access: .all(defaultGroup: ReplicaHome.group),
                in: database
            )
        }
        try home.hear(account.page([.of([envelope], seq: 6)], to: 6))
        #expect(try home.secret("wifi") == "of this device")
        lock()
        #expect(throws: ItemStoreError.interactionNotAllowed) { try home.delete("wifi") }
        try unlock()
        try home.delete("wifi")
        #expect(try home.secret("wifi") == "one")
    }

    @Test
    func `a clone that is noticed while locked takes a new actor at the unlock`() throws {
        let (actor, forks) = (try home.replica.state().actor, home.replica.report.forks)
        lock()
        try home.hear(account.page(to: 6, vector: [(actor: actor, counter: 1)]))
        #expect(try home.replica.state().actor == actor)
        try unlock()
        #expect(try home.replica.nextRequest() == .rest)
        let state = try home.replica.state()
        #expect(state.actor != actor)
        #expect(try home.keys.pins()?.actor == state.actor)
        #expect(home.replica.report.forks == forks + 1)
    }
}
