import Foundation
import KeyValueStore
import Simulation
import Testing
import UbiquitousKeyValueStore

/// What befalls a device befalls its programs.
struct AppMishapTests {
    private let story: Story
    private let laptop: Story.Device
    private let phone: Story.Device

    init() throws {
        story = try Story(devices: ["laptop", "phone"])
        (laptop, phone) = (try story["laptop"], try story["phone"])
    }

    @Test
    func `what an app sets while the daemon is killed waits in its memory`() throws {
        let store = laptop.keyValueStore()
        try store.set(1, forKey: "a")
        try laptop.kill()
        try store.set(2, forKey: "a")
        #expect(store.value(forKey: "a") == 2)
        #expect(!store.synchronize())
        #expect(throws: KeyValueStoreError.self) { try store.status() }
        try story.sync()
        try laptop.start()
        #expect(store.synchronize())
        #expect(try laptop.keyValues.value("a") == 2)
        try story.sync()
        #expect(phone.keyValueStore().value(forKey: "a") == 2)
    }

    @Test
    func `what an app has not handed over ends with it`() throws {
        let store = laptop.keyValueStore()
        try store.set(1, forKey: "a")
        try laptop.kill()
        try store.set(2, forKey: "a")
        laptop.endPrograms()
        try laptop.start()
        try story.sync()
        #expect(laptop.keyValueStore().value(forKey: "a") == 1)
        #expect(laptop.keyValueStore() !== store)
        // The program is gone, and so are its calls.
        #expect(!store.synchronize())
        #expect(phone.keyValueStore().value(forKey: "a") == 1)
    }

    @Test
    func `an app on a killed device hears of changes once that starts`() throws {
        let changes = Changes(of: laptop.keyValueStore())
        try laptop.kill()
        try phone.keyValueStore().set(1, forKey: "a")
        try story.sync()
        #expect(changes.all.isEmpty)
        try laptop.start()
        try story.sync()
        #expect(changes.all.map(\.source) == [.account])
        #expect(laptop.keyValueStore().value(forKey: "a") == 1)
    }

    @Test
    func `a locked device keeps what its app sets until it is unlocked`() throws {
        let store = laptop.keyValueStore()
        try store.set(1, forKey: "a")
        try story.sync()
        try laptop.lock()
        try store.set(2, forKey: "a")
        #expect(store.value(forKey: "a") == 2)
        try story.sync()
        try laptop.unlock()
        try story.sync()
        #expect(store.synchronize())
        #expect(try laptop.keyValues.value("a") == 2)
        #expect(phone.keyValueStore().value(forKey: "a") == 2)
    }

    @Test
    func `leaving the account and returning is a change of account for an app`() throws {
        let (here, changes) = (laptop.keyValueStore(), Changes(of: laptop.keyValueStore()))
        try here.set(1, forKey: "a")
        try story.sync()
        let token = try here.status().accountToken
        #expect(try token != nil && token == phone.keyValueStore().status().accountToken)

        try laptop.leave(keepingItems: false)
        #expect(here.value(Int.self, forKey: "a") == nil)
        #expect(changes.all.map(\.source) == [.accountChange])
        #expect(changes.all.map(\.keys) == [["a"]])
        #expect(try here.status().accountToken == nil && !here.isFirstSyncComplete)

        try here.set(2, forKey: "b")
        #expect(here.lastChange(forKey: "b")?.device == nil)
        try laptop.returnToAccount()
        try story.sync()
        #expect(try here.status().accountToken == token)
        #expect(here.value(forKey: "a") == 1)
        #expect(phone.keyValueStore().value(forKey: "b") == 2)
    }

    @Test
    func `an app can sync by itself, unless its device cannot`() async throws {
        let (here, there) = (laptop.keyValueStore(), phone.keyValueStore())
        try here.set(1, forKey: "a")
        try await here.sync()
        #expect(there.value(forKey: "a") == 1)
        try laptop.goOffline()
        try here.set(2, forKey: "a")
        #expect(await here.waitUntilSynchronized())
        let failure = await #expect(throws: KeyValueStoreError.self) { try await here.sync() }
        #expect(failure?.description.contains("offline") == true)
        #expect(try here.status().unsentChanges == 1)
        try laptop.goOnline()
        try await here.sync()
        #expect(there.value(forKey: "a") == 2)
        #expect(try here.status().unsentChanges == 0)
    }

    @Test
    func `an app on a new device can wait for the first sync`() async throws {
        try phone.keyValueStore().set(1, forKey: "a")
        try story.sync()
        let tablet = try story.join("tablet")
        let store = tablet.keyValueStore()
        #expect(store.value(Int.self, forKey: "a") == nil && !store.isFirstSyncComplete)
        try await store.waitForFirstSync()
        #expect(store.value(forKey: "a") == 1 && store.isFirstSyncComplete)
    }

    /// Nothing of the app's depends on a clock, a thread or the order of a set.
    @Test(arguments: [1 as UInt64, 7])
    func `the same seed gives the same trace, with apps that answer each other`(
        seed: UInt64
    ) throws {
        func run() throws -> (hash: String, trace: [String]) {
            let story = try Story(devices: ["a", "b", "c"], seed: seed, keepsTrace: true)
            let devices = try ["a", "b", "c"].map { try story[$0] }
            let apps = devices.map { Favorites(store: $0.ubiquitousStore) }
            let lists = devices.map { TaskList(store: $0.keyValueStore(named: "tasks")) }
            try devices[2].loseMessages(share: 0.3)
            for round in 0..<4 {
                for (number, app) in apps.enumerated() {
                    app.add("\(round) of \(number)")
                    try lists[number].add("\(round) of \(number)")
                    try story.advance(by: .milliseconds(70))
                }
            }
            try devices[2].goOnline()
            try story.sync()
            #expect(Set(apps.map(\.names)).count == 1 && apps[0].names.count == 12)
            #expect(Set(lists.map(\.tasks)).count == 1 && lists[0].tasks.count == 12)
            return (story.traceHash, story.trace)
        }
        let (first, second) = (try run(), try run())
        #expect(first.hash == second.hash)
        #expect(first.trace == second.trace)
        #expect(first.trace.contains { $0.contains("a program of b writes favorites") })
    }

    /// Tasks of an app run beside the story, and do not disturb it.
    @Test
    func `an app may have tasks of its own`() async throws {
        let store = phone.keyValueStore()
        let answers = Task {
            for await change in store.changes where change.keys.contains("question") {
                // Without the answer the test fails.
                try? store.set("yes", forKey: "answer")
                return true
            }
            return false
        }
        let here = laptop.keyValueStore()
        // The task may not wait for changes yet.
        for number in 0..<1000 where here.value(String.self, forKey: "answer") == nil {
            try here.set(number, forKey: "question")
            try story.sync()
            await Task.yield()
        }
        #expect(await answers.value)
        try story.sync()
        #expect(here.value(forKey: "answer") == "yes")
    }

    @Test
    func `what an app sets on a full disk waits in its memory until there is room`() throws {
        let store = laptop.keyValueStore()
        try store.set(1, forKey: "a")
        try laptop.fillDisk()
        try store.set(2, forKey: "a")
        #expect(store.value(forKey: "a") == 2)
        #expect(!store.synchronize())
        #expect(try laptop.keyValues.value("a") == 1)
        try laptop.freeDisk()
        try story.sync()
        #expect(store.synchronize())
        #expect(phone.keyValueStore().value(forKey: "a") == 2)
    }

    @Test
    func `an app ends with the power of its device`() throws {
        let store = laptop.keyValueStore()
        try store.set(1, forKey: "a")
        try laptop.crash()
        try store.set(2, forKey: "a")
        #expect(!store.synchronize())
        let again = laptop.keyValueStore()
        #expect(again !== store)
        let value: Int? = again.value(forKey: "a")
        #expect([1, 2].contains(value))
        try story.sync()
        #expect(phone.keyValueStore().value(forKey: "a") == value)
    }
}
