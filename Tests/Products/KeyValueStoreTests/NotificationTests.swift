import Foundation
import KSKeyValues
import KeyValueStore
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// Notifications of Apple's class; they go to one queue, so these tests run one after the other.
@Suite(.serialized)
struct NotificationTests {
    /// The notifications that an observer got.
    final class Seen: Sendable {
        struct Post: Sendable, Equatable {
            let handle: ObjectIdentifier?
            let reason: Int?
            /// Whether the reason is an `NSNumber`, and nothing that only casts to one.
            let isNumber: Bool
            let keys: [String]?
        }

        private let posts = Mutex<[Post]>([])
        var all: [Post] { posts.withLock { $0 } }

        /// Observes one handle; nil observes all of the process.
        init(of store: NSUbiquitousKeyValueStore?) {
            let name = NSUbiquitousKeyValueStore.didChangeExternallyNotification
            // The observer lives as long as the test.
            _ = NotificationCenter.default.addObserver(
                forName: name,
                object: store,
                queue: nil
            ) { [weak self] post in
                let info = post.userInfo
                let reason = info?[NSUbiquitousKeyValueStoreChangeReasonKey]
                let keys = info?[NSUbiquitousKeyValueStoreChangedKeysKey].flatMap {
                    type(of: $0) == [String].self ? $0 as? [String] : nil
                }
                let handle = post.object as? NSUbiquitousKeyValueStore
                let seen = Post(
                    handle: handle.map { ObjectIdentifier($0) },
                    reason: reason as? Int,
                    isNumber: reason.map { type(of: $0) == NSNumber.self } ?? false,
                    keys: keys
                )
                self?.posts.withLock { $0.append(seen) }
            }
        }

        /// All keys that came with a reason.
        func keys(_ reason: Int) -> Set<String> {
            Set(all.filter { $0.reason == reason }.flatMap { $0.keys ?? [] })
        }
    }

    @Test
    func `a write that is too large is reported with reason 2, to its handle`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StoreHome.with { home in
            let (one, other) = (
                NSUbiquitousKeyValueStore(store: home.store),
                NSUbiquitousKeyValueStore(store: home.store)
            )
            let (seen, unseen) = (Seen(of: one), Seen(of: other))
            one.set(Data(count: 2 << 20), forKey: "large")
            one.set("x", forKey: String(repeating: "k", count: 129))
            one.set("fits", forKey: String(repeating: "k", count: 128))
            #expect(seen.all.map(\.reason) == [2, 2])
            #expect(seen.all.first?.keys == ["large"] && seen.all.allSatisfy(\.isNumber))
            #expect(unseen.all.isEmpty)
            #expect(one.object(forKey: "large") == nil && one.synchronize())
            // Both handles have the same values.
            #expect(other.dictionaryRepresentation.count == 1)
            #expect(unseen.all.isEmpty)
        }
    }

    @Test
    func `notifications are posted on the main queue unless another queue is set`() async throws {
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            MainQueue.mark()
            let isMain = Mutex<Bool?>(nil)
            let observer = NotificationCenter.default.addObserver(
                forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
                object: store,
                queue: nil
            ) { _ in isMain.withLock { $0 = MainQueue.isCurrent } }
            defer { NotificationCenter.default.removeObserver(observer) }
            store.set(Data(count: 2 << 20), forKey: "large")
            #expect(await eventually { isMain.withLock { $0 } != nil })
            #expect(isMain.withLock { $0 } == true)
        }
    }

    @Test
    func `one's own writes and those of programs of this device are not reported`() async throws {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            let seen = Seen(of: store)
            store.set("mine", forKey: "a")
            #expect(store.synchronize())
            try home.set("b", .string("theirs"))
            #expect(await eventually { store.string(forKey: "b") == "theirs" })
            #expect(seen.all.isEmpty)
        }
    }

    @Test
    func `a reason is a number of Foundation, and the keys are an array of texts`() {
        NSUbiquitousKeyValueStore.notificationQueue = nil
        defer { NSUbiquitousKeyValueStore.notificationQueue = .main }
        let store = NSUbiquitousKeyValueStore(
            store: KeyValueStore(home: "/dev/null/userInfo-\(UUID())")
        )
        let types = Mutex<[String]>([])
        let reads = Mutex<[Bool]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { post in
            let info = post.userInfo ?? [:]
            let reason = info[NSUbiquitousKeyValueStoreChangeReasonKey] ?? "none"
            let keys = info[NSUbiquitousKeyValueStoreChangedKeysKey] ?? "none"
            types.withLock { $0 = ["\(type(of: reason))", "\(type(of: keys))"] }
            // As programs read them.
            reads.withLock {
                $0 = [
                    reason as? Int == 2, reason as? NSNumber == 2,
                    (reason as? NSNumber)?.intValue == 2, keys as? [String] == [""],
                    info.count == 2,
                ]
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        store.set("x", forKey: "")
        #expect(types.withLock(\.self) == ["NSNumber", "Array<String>"])
        #expect(reads.withLock(\.self) == [true, true, true, true, true])
    }

    @Test
    func `names and reasons are Apple's`() {
        let name = NSUbiquitousKeyValueStore.didChangeExternallyNotification.rawValue
        #expect(name == "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")
        let reasons = [
            NSUbiquitousKeyValueStoreServerChange, NSUbiquitousKeyValueStoreInitialSyncChange,
            NSUbiquitousKeyValueStoreQuotaViolationChange, NSUbiquitousKeyValueStoreAccountChange,
        ]
        #expect(reasons == [0, 1, 2, 3])
        #expect(
            NSUbiquitousKeyValueStoreChangedKeysKey == "NSUbiquitousKeyValueStoreChangedKeysKey"
        )
    }
}
