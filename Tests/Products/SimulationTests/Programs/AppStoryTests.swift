import Foundation
import KeyValueStore
import Simulation
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// The code of an app on three devices of a story, merge handler included.
struct AppStoryTests {
    private let story: Story
    private let laptop: Story.Device
    private let phone: Story.Device
    private let tablet: Story.Device

    init() throws {
        story = try Story(devices: ["laptop", "phone", "tablet"], keepsTrace: true)
        (laptop, phone) = (try story["laptop"], try story["phone"])
        tablet = try story["tablet"]
    }

    private var all: [Story.Device] { [laptop, phone, tablet] }

    // MARK: NSUbiquitousKeyValueStore

    @Test
    func `a merge handler joins what three devices set while the server was away`() throws {
        let apps = all.map { Favorites(store: $0.ubiquitousStore) }
        apps[0].add("tea")
        try story.sync()
        #expect(apps.map(\.names) == [["tea"], ["tea"], ["tea"]])

        story.server.goAway()
        for (app, name) in zip(apps, ["bread", "milk", "salt"]) { app.add(name) }
        try story.advance(by: .seconds(3600))
        #expect(apps.map(\.names) == [["bread", "tea"], ["milk", "tea"], ["salt", "tea"]])
        #expect(try laptop.unsentReason() == .serverAway)

        try story.server.comeBack()
        try story.sync()
        for (app, device) in zip(apps, all) {
            #expect(app.names == ["bread", "milk", "salt", "tea"])
            #expect(
                try device.keyValues.value("favorites") == ["bread", "milk", "salt", "tea"]
            )
            // All were changes of other devices.
            #expect(Set(app.reasons) == [NSUbiquitousKeyValueStoreServerChange])
        }
        #expect(try story.difference() == nil)
        #expect(try laptop.unsentReason() == nil)
    }

    /// As most apps observe: their main queue is another thread than this test's.
    @Test
    func `an observer on the main queue has run when a sync ends`() throws {
        let seen = Mutex<[String?]>([])
        let store = phone.ubiquitousStore
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: .main
        ) { notification in
            dispatchPrecondition(condition: .onQueue(.main))
            let store = notification.object as? NSUbiquitousKeyValueStore
            seen.withLock { $0.append(store?.string(forKey: "theme")) }
            // It uses the story in the middle of its sync.
            store?.set(true, forKey: "seen")
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        for theme in ["dark", "light"] {
            laptop.ubiquitousStore.set(theme, forKey: "theme")
            try story.sync()
        }
        #expect(seen.withLock { $0 } == ["dark", "light"])
        #expect(try tablet.keyValues.value("seen") == true)
    }

    @Test
    func `a device that was put back gets what it has lost`() throws {
        let apps = all.map { Favorites(store: $0.ubiquitousStore) }
        apps[1].add("tea")
        try story.sync()
        try phone.copyDatabase()
        apps[1].add("bread")
        apps[0].add("milk")
        try story.sync()

        // The app starts again too, with what the backup has.
        try phone.putDatabaseBack()
        phone.endPrograms()
        let restored = Favorites(store: phone.ubiquitousStore)
        #expect(restored.names == ["tea"])
        try story.sync()
        #expect(restored.names == ["bread", "milk", "tea"])
        #expect(apps[2].names == ["bread", "milk", "tea"])
        #expect(try story.difference() == nil)
    }

    /// The app that goes on is not told that its device went back; it finds out.
    @Test
    func `an app that outlives the restore of its device brings back what that lost`() throws {
        let apps = all.map { Favorites(store: $0.ubiquitousStore) }
        apps[1].add("tea")
        try phone.copyDatabase()
        apps[1].add("bread")
        #expect(phone.ubiquitousStore.array(forKey: "favorites") as? [String] == ["bread", "tea"])
        try phone.putDatabaseBack()
        #expect(phone.ubiquitousStore.array(forKey: "favorites") as? [String] == ["tea"])
        try story.sync()
        #expect(apps[0].names == ["tea"])
        apps[1].add("milk")
        try story.sync()
        #expect(apps.map(\.names) == Array(repeating: ["bread", "milk", "tea"], count: 3))
    }

    @Test
    func `each device posts its own notifications, with the keys that changed`() throws {
        let apps = all.map { Favorites(store: $0.ubiquitousStore) }
        #expect(laptop.ubiquitousStore === laptop.ubiquitousStore)
        #expect(laptop.ubiquitousStore !== phone.ubiquitousStore)
        laptop.ubiquitousStore.set(3, forKey: "size")
        try story.sync()
        // The app hears of no other key, and of none of its own writes.
        #expect(apps.allSatisfy { $0.reasons.isEmpty })
        #expect(phone.ubiquitousStore.longLong(forKey: "size") == 3)
        apps[0].add("tea")
        try story.sync()
        #expect(apps.map { $0.reasons.count } == [0, 1, 1])
    }

    // MARK: Typed values

    @Test
    func `typed values merge without a handler`() throws {
        let lists = all.map { TaskList(store: $0.keyValueStore()) }
        try lists[0].add("wash")
        try lists[0].add("cook")
        try story.sync()
        story.server.goAway()
        try lists[0].finish("wash")
        try lists[1].add("iron")
        for list in lists { try list.visit() }
        try story.server.comeBack()
        try story.sync()
        for list in lists {
            #expect(list.tasks == ["cook", "iron"])
            #expect(list.visits == 3)
        }
        #expect(try phone.keyValues.value("visits") == 3)
    }

    @Test
    func `an app sees what other devices and other programs change`() throws {
        let changes = Changes(of: phone.keyValueStore())
        let own = Changes(of: laptop.keyValueStore())
        try laptop.keyValueStore().set("dark", forKey: "theme")
        #expect(changes.all.isEmpty)
        try story.sync()
        #expect(changes.all.map(\.source) == [.account])
        #expect(changes.all.first?.keys == ["theme"])
        #expect(own.all.isEmpty)
        // The user changes it with another program of the phone.
        try phone.keyValues.set("theme", to: "light")
        #expect(changes.all.map(\.source) == [.account, .device])
        #expect(phone.keyValueStore().value(forKey: "theme") == "light")
    }

    @Test
    func `stores of other names are apart`() throws {
        try phone.goOffline()
        let (settings, other) = (
            laptop.keyValueStore(named: "settings"), laptop.keyValueStore(named: "other")
        )
        try settings.set(1, forKey: "a")
        try story.sync()
        try phone.goOnline()
        #expect(try story.difference() != nil)
        try story.sync()
        #expect(try story.difference() == nil)
        #expect(other.value(Int.self, forKey: "a") == nil)
        #expect(laptop.keyValueStore().value(Int.self, forKey: "a") == nil)
        #expect(phone.keyValueStore(named: "settings").value(forKey: "a") == 1)
        let wrong = laptop.keyValueStore(named: "")
        #expect(throws: KeyValueStoreError.self) { try wrong.status() }
    }

    @Test
    func `a value's last change has the device and its clock`() throws {
        try laptop.setClock(ahead: .seconds(60))
        let before = laptop.date
        #expect(before.timeIntervalSince(phone.date) == 60)
        let store = laptop.keyValueStore()
        try store.set("dark", forKey: "theme")
        try story.sync()
        let (here, there) = (
            store.lastChange(forKey: "theme"),
            phone.keyValueStore().lastChange(forKey: "theme")
        )
        #expect(here?.device == "laptop" && there?.device == "laptop")
        #expect(here?.date == there?.date)
        #expect(here.map { (0...1).contains($0.date.timeIntervalSince(before)) } == true)
    }

    @Test
    func `a write that does not fit is refused, and reported with reason 2`() throws {
        let app = Favorites(store: laptop.ubiquitousStore)
        app.add(String(repeating: "x", count: 2 << 20))
        #expect(app.reasons == [NSUbiquitousKeyValueStoreQuotaViolationChange])
        #expect(try laptop.keyValues.value("favorites") == nil)
    }
}
