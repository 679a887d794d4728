import Foundation
import KSAgent
import KSKeyValues
import KSTestSupport
import KeyValueStore
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// Changes of other devices, as the tests' own daemon reports them.
extension NotificationTests {
    private func handle(_ daemon: StandInDaemon) -> NSUbiquitousKeyValueStore {
        NSUbiquitousKeyValueStore(store: KeyValueStore(home: daemon.path))
    }

    @Test(arguments: [(KeyValueOrigin.account, 0), (KeyValueOrigin.firstSync, 1)])
    func `a change of another device has its reason and its keys, deleted ones too`(
        origin: KeyValueOrigin,
        reason: Int
    ) async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["gone": .integer(1), "same": .integer(1)])
            let store = handle(daemon)
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            #expect(store.longLong(forKey: "gone") == 1)
            daemon.change(
                from: origin,
                set: ["new": .string("theirs"), "same": .integer(1)],
                delete: ["gone"]
            )
            #expect(await eventually { seen.keys(reason) == ["gone", "new"] })
            #expect(seen.all.allSatisfy { $0.reason == reason && $0.isNumber && $0.keys != nil })
            #expect(store.object(forKey: "gone") == nil)
            #expect(store.string(forKey: "new") == "theirs")
        }
    }

    @Test
    func `a change of the account is one notification with reason 3 and all keys`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["old": .integer(1), "both": .integer(1)])
            let store = handle(daemon)
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            daemon.join(account: [1])
            daemon.change(
                from: .joined,
                set: ["both": .integer(2), "theirs": .integer(3)],
                delete: ["old"]
            )
            #expect(await eventually { !seen.all.isEmpty })
            #expect(store.object(forKey: "old") == nil && store.longLong(forKey: "both") == 2)
            // An account that changes no key is reported too, with an empty list.
            daemon.join(account: [2])
            daemon.change(from: .joined)
            #expect(await eventually { seen.all.count > 1 })
            #expect(seen.all.map(\.reason) == [3, 3] && seen.all.allSatisfy(\.isNumber))
            #expect(seen.all.map(\.keys) == [["both", "old", "theirs"], []])
        }
    }

    @Test
    func `a change of the account while nobody was connected is reported with reason 3`()
        async throws
    {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.join(account: [1])
            daemon.change(from: .account, set: ["old": .integer(1), "kept": .integer(1)])
            let store = handle(daemon)
            try #require(await daemon.isHeard(by: store))
            let seen = Seen(of: store)
            daemon.join(account: nil)
            // Everything is read again, as after a new connection.
            daemon.change(from: .reload, delete: ["old"])
            #expect(await eventually { !seen.all.isEmpty })
            #expect(seen.all.map(\.reason) == [3])
            #expect(seen.all.map(\.keys) == [["old"]])
            #expect(store.longLong(forKey: "kept") == 1)
        }
    }

    @Test
    func `the first read has all values, and a notification's keys have theirs`()
        async throws
    {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["a": .integer(1)])
            let store = handle(daemon)
            #expect(store.dictionaryRepresentation as? [String: Int] == ["a": 1])
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            daemon.change(from: .account, set: ["b": .integer(2)], delete: ["a"])
            #expect(await eventually { seen.keys(0) == ["a", "b"] })
            #expect(Set(store.dictionaryRepresentation.keys) == ["b", "heard"])
        }
    }

    @Test
    func `after a lost report everything is read again`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        let values = ["gone": PropertyValue.integer(1), "same": .integer(1)]
        try await StandInDaemon.with(values: values) { daemon in
            daemon.join(account: [1])
            let store = handle(daemon)
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            daemon.change(
                from: .account,
                set: ["lost": .integer(2)],
                delete: ["gone"],
                isLost: true
            )
            #expect(store.object(forKey: "lost") == nil && store.longLong(forKey: "gone") == 1)
            daemon.change(from: .account, set: ["next": .integer(3)])
            let changed: Set = ["gone", "lost", "next"]
            // The report by which the daemon is heard may have been read with all others, too.
            #expect(await eventually { seen.keys(0).subtracting(["heard"]) == changed })
            #expect(store.object(forKey: "gone") == nil && store.longLong(forKey: "same") == 1)
            #expect(store.longLong(forKey: "lost") == 2 && store.longLong(forKey: "next") == 3)
        }
    }

    @Test
    func `only changes of other devices are reported`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            let store = handle(daemon)
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            store.set("mine", forKey: "own")
            store.set("mine", forKey: "removed")
            store.removeObject(forKey: "removed")
            #expect(store.synchronize() && daemon.value("own") == .string("mine"))
            daemon.change(from: .device, set: ["program": .integer(1)])
            daemon.change(from: .account, set: ["device": .integer(2)])
            // Reports arrive in order, so the earlier ones were left out.
            #expect(await eventually { !seen.all.isEmpty })
            #expect(seen.all.map(\.keys) == [["device"]] && seen.all.map(\.reason) == [0])
            #expect(store.longLong(forKey: "program") == 1)
        }
    }

    @Test
    func `each live handle posts its own notification, and an observer of nil gets all`()
        async throws
    {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            let one = handle(daemon)
            var released: NSUbiquitousKeyValueStore? = handle(daemon)
            let other = handle(daemon)
            #expect(released?.synchronize() == true)
            released = nil
            let (ofOne, ofOther, ofAll) = (Seen(of: one), Seen(of: other), Seen(of: nil))
            try #require(await daemon.isHeard(by: one))
            let key = "shared \(UUID())"
            daemon.change(from: .account, set: [key: .integer(1)])
            // Handles post in the order in which they were made, so the other one is the last.
            func all() -> [Seen.Post] { ofAll.all.filter { $0.keys == [key] } }
            #expect(await eventually { all().count > 1 && !ofOther.all.isEmpty })
            #expect(ofOne.all.map(\.handle) == [ObjectIdentifier(one)])
            #expect(ofOther.all.map(\.handle) == [ObjectIdentifier(other)])
            #expect(all().map(\.handle) == [ObjectIdentifier(one), ObjectIdentifier(other)])
            #expect(one.longLong(forKey: key) == 1 && other.longLong(forKey: key) == 1)
        }
    }

    @Test
    func `a write that the device refuses is undone, and reported to all handles`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["text": .string("before")])
            let (one, other) = (handle(daemon), handle(daemon))
            let (ofOne, ofOther) = (Seen(of: one), Seen(of: other))
            try #require(await daemon.isHeard(by: one))
            daemon.refuseWrites("The limit is 2 keys in a store; this write needs 3.")
            one.set("after", forKey: "text")
            #expect(await eventually { !ofOther.all.isEmpty })
            for seen in [ofOne, ofOther] {
                #expect(seen.all.map(\.reason) == [2] && seen.all.map(\.keys) == [["text"]])
            }
            #expect(one.string(forKey: "text") == "before")
        }
    }

    @Test
    func `limits that another device sets hold at once`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            let store = handle(daemon)
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            daemon.limit(keys: 1)
            // One of the keys exists already.
            #expect(
                await eventually {
                    store.set("second", forKey: "more")
                    defer { store.removeObject(forKey: "more") }
                    return store.object(forKey: "more") == nil
                }
            )
            #expect(seen.all.last?.reason == 2 && seen.all.last?.keys == ["more"])
            store.set(true, forKey: "heard")
            #expect(store.bool(forKey: "heard"))
        }
    }

    @Test
    func `values that a locked device had are reported when they can be read`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["theirs": .integer(1)])
            daemon.lock("Unlock the keychain first.")
            let store = handle(daemon)
            let seen = Seen(of: store)
            #expect(store.object(forKey: "theirs") == nil && !store.synchronize())
            #expect(throws: KeyValueStoreError.self) { try store.typedStore.status() }
            store.set("kept", forKey: "mine")
            #expect(store.string(forKey: "mine") == "kept" && !store.synchronize())
            daemon.lock(nil)
            #expect(await eventually { seen.keys(1) == ["theirs"] })
            #expect(store.longLong(forKey: "theirs") == 1)
            #expect(await eventually { daemon.value("mine") == .string("kept") })
            #expect(store.synchronize())
        }
    }

    @Test
    func `values of a daemon that was not there at the start are reported with reason 1`()
        async throws
    {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        TestDaemons.prepare()
        let home = StandInDaemon.newHome
        let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: home))
        let seen = Seen(of: store)
        #expect(store.object(forKey: "theirs") == nil && !store.synchronize())
        try await StandInDaemon.with(home: home, values: ["theirs": .integer(1)]) { _ in
            #expect(await eventually { seen.keys(1) == ["theirs"] })
            #expect(store.longLong(forKey: "theirs") == 1)
            #expect(store.synchronize() && seen.all.map(\.reason) == [1])
        }
    }

    @Test
    func `a write that is refused at once leaves the value, and names its key`() {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        let store = NSUbiquitousKeyValueStore(
            store: KeyValueStore(home: "/dev/null/refused-\(UUID())")
        )
        let seen = Seen(of: store)
        store.set("before", forKey: "text")
        store.set(String(repeating: "x", count: 2 << 20), forKey: "text")
        store.set(Data(count: 2 << 20), forKey: "text")
        let tooLong = String(repeating: "\u{1F600}", count: 65)
        store.set(true, forKey: tooLong)
        store.set(Int64(1), forKey: "")
        // A value that is no property list is logged, and exceeds no quota.
        store.set(UUID(), forKey: "text")
        #expect(seen.all.map(\.keys) == [["text"], ["text"], [tooLong], [""]])
        #expect(seen.all.allSatisfy { $0.reason == 2 && $0.isNumber })
        #expect(store.dictionaryRepresentation as? [String: String] == ["text": "before"])
    }

    // MARK: Queues

    /// Whether a notification came, and whether on the main queue.
    private final class Place: Sendable {
        private let isOnMain = Mutex<Bool?>(nil)
        var isMain: Bool? { isOnMain.withLock { $0 } }

        init(of store: NSUbiquitousKeyValueStore, observedOn queue: OperationQueue? = nil) {
            MainQueue.mark()
            // The observer lives as long as the test.
            _ = NotificationCenter.default.addObserver(
                forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
                object: store,
                queue: queue
            ) { [weak self] _ in
                let isMain = MainQueue.isCurrent
                // As programs do it: elsewhere this ends the process.
                if isMain { MainActor.assumeIsolated {} }
                self?.isOnMain.withLock { $0 = isMain }
            }
        }
    }

    private func offlineStore() -> NSUbiquitousKeyValueStore {
        NSUbiquitousKeyValueStore(store: KeyValueStore(home: "/dev/null/queue-\(UUID())"))
    }

    @Test
    func `an observer with the main queue is called on the main queue`() async {
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        for isPostedOnMain in [true, false] {
            NSUbiquitousKeyValueStore.notificationQueue = isPostedOnMain ? .main : nil
            let store = offlineStore()
            let place = Place(of: store, observedOn: .main)
            // An empty key is refused at once.
            store.set("x", forKey: "")
            #expect(await eventually { place.isMain != nil })
            #expect(place.isMain == true, "\(isPostedOnMain)")
        }
    }

    /// These tests have an asynchronous main function; the main loops of other programs have
    /// `MainLoopProgram`.
    @Test
    func `a change of another device comes on the main queue`() async throws {
        try await StandInDaemon.with { daemon in
            let store = handle(daemon)
            let (place, posted) = (Place(of: store, observedOn: .main), Place(of: store))
            try #require(await daemon.isHeard(by: store))
            daemon.change(from: .account, set: ["theirs": .integer(1)])
            #expect(await eventually { place.isMain != nil && posted.isMain != nil })
            #expect(place.isMain == true && posted.isMain == true)
        }
    }

    @Test
    func `notifications wait for the queue that a program sets`() {
        let queue = DispatchQueue(label: "a program's own")
        NSUbiquitousKeyValueStore.notificationQueue = queue
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        let store = offlineStore()
        let place = Place(of: store, observedOn: nil)
        queue.suspend()
        store.set("x", forKey: "")
        #expect(place.isMain == nil)
        queue.resume()
        // The queue is serial: earlier notifications have been delivered before this block.
        queue.sync {}
        #expect(place.isMain == false)
    }

    @Test
    func `without a queue notifications are posted before the write returns`() {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        let store = offlineStore()
        let place = Place(of: store, observedOn: nil)
        store.set("x", forKey: "")
        #expect(place.isMain == MainQueue.isCurrent)
    }
}
