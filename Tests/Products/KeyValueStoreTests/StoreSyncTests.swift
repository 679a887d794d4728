import Foundation
import KSAgent
import KSKeyValues
import KeyValueStore
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// What a program sees of the daemon: its reports, its first sync, its refusals, and its absence.
struct StoreSyncTests {
    private func elapsed(_ body: () throws -> Void) rethrows -> Duration {
        try ContinuousClock().measure(body)
    }

    // MARK: All values

    @Test
    func `all values include what was reported and is not read yet`() async throws {
        try await StandInDaemon.with { daemon in
            // On a busy machine, an answer may take longer than a program waits for it.
            let patient = KeyValueStore(named: nil, home: daemon.path, readPatience: .seconds(60))
            let store = NSUbiquitousKeyValueStore(store: patient)
            try #require(await daemon.isHeard(by: store))
            daemon.delayReads(milliseconds: 120)
            let before = daemon.readCount
            daemon.change(from: .account, set: ["new": .integer(1)], withValues: false)
            // The program has heard of the change, and has no answer yet.
            #expect(await eventually { daemon.readCount > before })
            #expect(store.dictionaryRepresentation["new"] as? Int == 1)
        }
    }

    @Test
    func `a daemon that does not answer delays all values by a quarter of a second`() async throws {
        try await StandInDaemon.with { daemon in
            let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: daemon.path))
            try #require(await daemon.isHeard(by: store))
            daemon.fallSilent()
            let before = daemon.readCount
            daemon.change(from: .account, set: ["new": .integer(1)], withValues: false)
            #expect(await eventually { daemon.readCount > before })
            let wait = elapsed { #expect(store.dictionaryRepresentation.count == 1) }
            // A busy machine is slower; the maximum shows that the wait ends by itself.
            #expect((.milliseconds(240) ..< .seconds(15)).contains(wait), "\(wait)")
            // Single values are read as they are.
            #expect(store.bool(forKey: "heard") && store.object(forKey: "new") == nil)
        }
    }

    @Test
    func `without reports, or without a daemon, all values are read at once`() async throws {
        func expectNoWait(_ store: KeyValueStore) {
            // A wait each time would take 25 seconds.
            #expect(elapsed { for _ in 0..<100 { _ = store.values } } < .seconds(10))
        }
        try await StandInDaemon.with { daemon in
            let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: daemon.path))
            try #require(await daemon.isHeard(by: store))
            expectNoWait(store.typedStore)
            // What cannot be read now is read later.
            daemon.lock("Unlock the keychain first.")
            let before = daemon.readCount
            daemon.change(from: .account, set: ["new": .integer(1)], withValues: false)
            #expect(await eventually { daemon.readCount > before })
            expectNoWait(store.typedStore)
            daemon.lock(nil)
            #expect(await eventually { store.longLong(forKey: "new") == 1 })
        }
        expectNoWait(KeyValueStore(home: "/dev/null/none-\(UUID())"))
    }

    // MARK: The first sync

    @Test
    func `a program waits for the first sync until it is complete`() async throws {
        try await StandInDaemon.with { daemon in
            let store = KeyValueStore(home: daemon.path)
            #expect(!store.isFirstSyncComplete)
            daemon.join(account: [1])
            #expect(try store.status().accountToken != nil && !store.isFirstSyncComplete)
            let isDone = Mutex(false)
            let waiting = Task {
                try await store.waitForFirstSync()
                isDone.withLock { $0 = true }
            }
            let before = daemon.statusCount
            #expect(await eventually { daemon.statusCount > before + 2 })
            #expect(isDone.withLock { !$0 })
            daemon.completeFirstSync()
            try await waiting.value
            #expect(store.isFirstSyncComplete)
        }
    }

    @Test
    func `a wait for the first sync can be cancelled`() async throws {
        try await StandInDaemon.with { daemon in
            let store = KeyValueStore(home: daemon.path)
            daemon.join(account: [1])
            let waiting = Task { try await store.waitForFirstSync() }
            #expect(await eventually { daemon.statusCount > 1 })
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test
    func `a wait for the first sync can be cancelled while the daemon does not answer`()
        async throws
    {
        try await StandInDaemon.with { daemon in
            daemon.fallSilent()
            let store = KeyValueStore(home: daemon.path)
            let waiting = Task { try await store.waitForFirstSync() }
            // The store asks too, and gets no answer either.
            #expect(await eventually { daemon.statusCount > 1 })
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            // A wait that begins in a cancelled task ends as well.
            let late = Task {
                while !Task.isCancelled { await Task.yield() }
                try await store.waitForFirstSync()
            }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    // MARK: Refusals

    @Test
    func `a write that the device refuses leaves one line with its key and the reason`()
        async throws
    {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                NSUbiquitousKeyValueStore.notificationQueue = nil
                try await StandInDaemon.with { daemon in
                    let store = KeyValueStore(home: daemon.path)
                    let handles = (0..<2).map { _ in NSUbiquitousKeyValueStore(store: store) }
                    let seen = handles.map { NotificationTests.Seen(of: $0) }
                    daemon.refuseWrites("The limit is 2 keys in a store; this write needs 3.")
                    for count in 1...2 {
                        handles[0].set("secret", forKey: "text")
                        #expect(await eventually { seen.allSatisfy { $0.all.count == count } })
                    }
                }
            }
        )
        let log = String(decoding: result.standardErrorContent, as: UTF8.self)
        let lines = log.split(separator: "\n").filter { $0.contains("NSUbiquitousKeyValueStore") }
        try #require(lines.count == 1, "\(log)")
        let line = "key \"text\": The limit is 2 keys in a store; this write needs 3."
        #expect(lines[0].hasSuffix(line), "\(log)")
        #expect(!log.contains("secret"))
    }

    @Test
    func `a write that the device refuses is a change with its keys and the reason`() async throws {
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["text": .string("before")])
            let store = KeyValueStore(home: daemon.path)
            #expect(store.value(forKey: "text") == "before")
            var changes = store.changes.makeAsyncIterator()
            let sentence = "The limit is 2 keys in a store; this write needs 3."
            daemon.refuseWrites(sentence)
            try store.set("after", forKey: "text")
            var change = await changes.next()
            // The daemon's first report may come in between.
            while change?.source == .device { change = await changes.next() }
            #expect(change?.source == .refused(sentence) && change?.keys == ["text"])
            #expect(store.value(forKey: "text") == "before")
            try store.transaction { transaction in
                transaction.set(1, forKey: "one")
                transaction.set(2, forKey: "two")
            }
            change = await changes.next()
            #expect(change?.source == .refused(sentence) && change?.keys == ["one", "two"])
            #expect(store.keys == ["text"])
        }
    }

    @Test
    func `each refused key gets its own reason`() async throws {
        try await StandInDaemon.with { daemon in
            let store = KeyValueStore(home: daemon.path)
            #expect(store.values.isEmpty)
            var changes = store.changes.makeAsyncIterator()
            daemon.refuse(["a": "A reason.", "b": "Another reason.", "c": "A reason."])
            daemon.lock("locked")
            for key in ["a", "b", "c", "d"] { try store.set(1, forKey: key) }
            #expect(!store.synchronize())
            daemon.lock(nil)
            // The first may have gone in a call of its own, before the others were set.
            var refused: [String: Set<String>] = [:]
            while refused.values.reduce(0, { $0 + $1.count }) < 3,
                let change = await changes.next()
            {
                guard case .refused(let sentence) = change.source else { continue }
                refused[sentence, default: []].formUnion(change.keys)
            }
            #expect(refused == ["A reason.": ["a", "c"], "Another reason.": ["b"]])
            #expect(store.keys == ["d"])
        }
    }

    /// It would stand before all later writes for ever.
    @Test
    func `a transaction that no message can hold is refused, and later writes go on`() async throws
    {
        try await StandInDaemon.with { daemon in
            let store = KeyValueStore(home: daemon.path)
            #expect(store.values.isEmpty)
            var changes = store.changes.makeAsyncIterator()
            try store.transaction { transaction in
                for round in 0..<66 as Range<UInt8> {
                    let data = Data(repeating: round, count: 1_040_000)
                    transaction.set(data, forKey: "large")
                    transaction.set(1, forKey: "small")
                }
            }
            var change = await changes.next()
            while change?.source == .device { change = await changes.next() }
            guard case .refused? = change?.source else {
                Issue.record("\(String(describing: change))")
                return
            }
            #expect(Set(change?.keys ?? []) == ["large", "small"])
            try store.set(2, forKey: "later")
            #expect(store.synchronize())
            #expect(daemon.value("later") == .integer(2) && store.keys == ["later"])
        }
    }

    // MARK: No daemon

    @Test
    func `a write without a daemon reaches it as soon as there is one`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "link-\(UUID().uuidString.prefix(8))"
        ).path
        let files = FileManager.default
        // No home can be there, so no daemon can be started.
        try files.createSymbolicLink(atPath: folder, withDestinationPath: "/dev/null")
        defer {
            // What is left lies in the temporary folder.
            try? files.removeItem(atPath: folder)
        }
        try await StandInDaemon.with { daemon in
            let home = URL(filePath: daemon.path)
            let store = KeyValueStore(home: "\(folder)/\(home.lastPathComponent)")
            try store.set("kept", forKey: "mine")
            #expect(!store.synchronize() && daemon.value("mine") == nil)
            // Replaces the link in one step: the program never finds a home without a daemon.
            let place = home.deletingLastPathComponent().path
            try files.createSymbolicLink(atPath: folder + "-new", withDestinationPath: place)
            let code = unsafe rename(folder + "-new", folder)
            try #require(code == 0)
            #expect(await eventually { daemon.value("mine") == .string("kept") })
            #expect(store.value(forKey: "mine") == "kept")
        }
    }

    // MARK: A newer program's values

    @Test
    func `a newer program's value can be deleted, and neither read nor changed`() async throws {
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["theirs": .integer(1), "other": .integer(2)])
            let store = KeyValueStore(home: daemon.path)
            #expect(store.value(forKey: "theirs") == 1)
            daemon.changeToNewer("theirs")
            #expect(await eventually { store.value(Int.self, forKey: "theirs") == nil })
            #expect(store.values == ["other": .integer(2)])
            let sentence =
                "A newer version of this program wrote this key's value: update this device."
            let refusal = KeyValueStoreError.refused(key: "theirs", sentence: sentence)
            #expect(throws: refusal) { try store.set(3, forKey: "theirs") }
            #expect(throws: refusal) { try store.counter("theirs").increment() }
            #expect(throws: refusal) { try store.set(of: Int.self, "theirs").insert(1) }
            #expect(throws: refusal) { try store.list(of: Int.self, "theirs").append(1) }
            #expect(throws: refusal) { try store.map("theirs").set(1, forField: "a") }
            #expect(throws: refusal) { try store.raise("theirs", to: 5) }
            #expect(throws: refusal) {
                try store.transaction { transaction in
                    transaction.set(4, forKey: "other")
                    transaction.set(4, forKey: "theirs")
                }
            }
            #expect(store.synchronize() && store.value(forKey: "other") == 2)
            #expect(daemon.value("theirs") == .integer(0) && daemon.value("other") == .integer(2))
            store.removeValue(forKey: "theirs")
            #expect(store.synchronize() && daemon.value("theirs") == nil)
        }
    }
}

extension NotificationTests {
    @Test
    func `Apple's class refuses to change a newer program's value with reason 2`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StandInDaemon.with { daemon in
            daemon.change(from: .account, set: ["theirs": .integer(1)])
            let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: daemon.path))
            let seen = Seen(of: store)
            try #require(await daemon.isHeard(by: store))
            daemon.changeToNewer("theirs")
            #expect(await eventually { seen.keys(0) == ["theirs"] })
            #expect(store.object(forKey: "theirs") == nil && store.longLong(forKey: "theirs") == 0)
            #expect(store.dictionaryRepresentation["theirs"] == nil)
            store.set("mine", forKey: "theirs")
            #expect(seen.all.last?.reason == 2 && seen.all.last?.keys == ["theirs"])
            #expect(store.object(forKey: "theirs") == nil && store.synchronize())
            #expect(daemon.value("theirs") == .integer(0))
        }
    }
}
