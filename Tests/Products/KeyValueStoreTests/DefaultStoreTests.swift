import Foundation
import KSAgent
import KSKeyValues
import KeyValueStore
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// The store that a program gets without naming one; each test has its own process, because a
/// process has one such store.
struct DefaultStoreTests {
    /// Counts notifications.
    private final class Count: Sendable {
        private let posts = Mutex(0)
        var all: Int { posts.withLock { $0 } }

        init(_ name: NSNotification.Name, _ object: NSUbiquitousKeyValueStore?) {
            // The observer lives as long as the process.
            _ = NotificationCenter.default.addObserver(
                forName: name,
                object: object,
                queue: nil
            ) { [weak self] _ in self?.posts.withLock { $0 += 1 } }
        }
    }

    /// Makes a daemon the one that a program without a home of its own finds.
    private static func withDaemon(
        store: String? = nil,
        _ body: (StandInDaemon) async throws -> Void
    ) async throws {
        try await StandInDaemon.with { daemon in
            unsafe setenv("KEYCHAIN_SYNC_HOME", daemon.path, 1)
            unsafe setenv("KEYCHAIN_SYNC_STORE", store ?? "", 1)
            NSUbiquitousKeyValueStore.notificationQueue = nil
            try await body(daemon)
        }
    }

    private static let changed = NSUbiquitousKeyValueStore.didChangeExternallyNotification

    @Test
    func `default is one handle, init makes others, and all have the same values`() async {
        await #expect(processExitsWith: .success) {
            try await DefaultStoreTests.withDaemon { daemon in
                let shared = NSUbiquitousKeyValueStore.default
                #expect(shared === NSUbiquitousKeyValueStore.default)
                let own = NSUbiquitousKeyValueStore()
                #expect(own !== shared)
                own.set("x", forKey: "a")
                #expect(shared.string(forKey: "a") == "x")
                shared.removeObject(forKey: "a")
                #expect(own.object(forKey: "a") == nil)
                // The call names no store, so the daemon uses that of the executable.
                #expect(own.synchronize() && daemon.stores == [nil])
            }
        }
    }

    /// A double that is its program's default store, and overrides the initializer.
    private final class OwnDefault: NSUbiquitousKeyValueStore, @unchecked Sendable {
        // Safety: it never changes.
        static let only = OwnDefault()
        let name: String

        override init() {
            name = "double"
            super.init()
        }

        override class var `default`: NSUbiquitousKeyValueStore { only }
        override func string(forKey key: String) -> String? { name }
    }

    @Test
    func `a double overrides init and default`() async {
        await #expect(processExitsWith: .success) {
            try await DefaultStoreTests.withDaemon { _ in
                #expect(OwnDefault.default === OwnDefault.only)
                #expect(OwnDefault.default.string(forKey: "a") == "double")
                #expect(NSUbiquitousKeyValueStore.default.string(forKey: "a") == nil)
                OwnDefault.default.set(1.5, forKey: "a")
                #expect(NSUbiquitousKeyValueStore.default.double(forKey: "a") == 1.5)
            }
        }
    }

    @Test
    func `observers of default, of an own handle and of nil all hear of a change`() async {
        await #expect(processExitsWith: .success) {
            try await DefaultStoreTests.withDaemon { daemon in
                // The program's own handle is made before the default one.
                let own = NSUbiquitousKeyValueStore()
                let changed = DefaultStoreTests.changed
                let ofDefault = Count(changed, .default)
                let (ofOwn, ofAny) = (Count(changed, own), Count(changed, nil))
                try #require(await daemon.isHeard(by: own))
                daemon.change(from: .account, set: ["a": .integer(1)])
                #expect(await eventually { ofAny.all > 1 && ofDefault.all > 0 && ofOwn.all > 0 })
                // The default handle and the program's own post once each.
                #expect(ofAny.all == 2 && ofDefault.all == 1 && ofOwn.all == 1)
            }
        }
    }

    @Test
    func `a device has no token before it joins, and one notification says that it did`() async {
        await #expect(processExitsWith: .success) {
            try await DefaultStoreTests.withDaemon { daemon in
                let files = FileManager.default
                #expect(files.ubiquityIdentityToken == nil)
                let own = NSUbiquitousKeyValueStore()
                own.set("mine", forKey: "a")
                #expect(own.synchronize() && own.string(forKey: "a") == "mine")
                let identity = Count(.NSUbiquityIdentityDidChange, nil)
                let ofDefault = Count(DefaultStoreTests.changed, .default)
                try #require(await daemon.isHeard(by: own))
                daemon.join(account: [1, 2, 3])
                daemon.change(from: .joined, set: ["theirs": .integer(1)])
                #expect(await eventually { identity.all > 0 && ofDefault.all > 0 })
                let token = try #require(files.ubiquityIdentityToken)
                let again = try #require(files.ubiquityIdentityToken)
                #expect(token.isEqual(again))
                #expect(own.string(forKey: "a") == "mine" && own.longLong(forKey: "theirs") == 1)
                daemon.join(account: nil)
                daemon.change(from: .joined, delete: ["theirs"])
                #expect(await eventually { identity.all > 1 && ofDefault.all > 1 })
                #expect(files.ubiquityIdentityToken == nil)
                #expect(own.object(forKey: "theirs") == nil)
                #expect(identity.all == 2 && ofDefault.all == 2)
            }
        }
    }

    @Test
    func `a change of accounts opens no store that the program did not ask for`() async {
        await #expect(processExitsWith: .success) {
            try await DefaultStoreTests.withDaemon(store: "own") { daemon in
                let named = NSUbiquitousKeyValueStore(storeIdentifier: "named")
                let changes = Count(DefaultStoreTests.changed, named)
                try #require(await daemon.isHeard(by: named))
                // They take longer than it would take to read another store.
                for number in 1...20 {
                    daemon.join(account: [UInt8(number)])
                    daemon.change(from: .joined)
                    #expect(await eventually { changes.all == number })
                }
                #expect(daemon.stores == ["named"])
            }
        }
    }

    @Test
    func `a variable names the store of a program that names none`() async {
        await #expect(processExitsWith: .success) {
            try await DefaultStoreTests.withDaemon(store: "team") { daemon in
                let store = NSUbiquitousKeyValueStore.default
                #expect(store.object(forKey: "a") == nil && daemon.stores == ["team"])
                // The program's own setting precedes the environment.
                let named = NSUbiquitousKeyValueStore(storeIdentifier: "other")
                #expect(named.object(forKey: "a") == nil && daemon.stores == ["team", "other"])
            }
        }
    }
}
