import Foundation
import KeyValueStore
import Synchronization
import UbiquitousKeyValueStore

// Code as apps have it: nothing here knows of stories.

/// The favorites of a user, which an app of Apple's systems merges by hand.
final class Favorites: Sendable {
    private static let key = "favorites"

    private let store: NSUbiquitousKeyValueStore
    private let state = Mutex<(names: Set<String>, reasons: [Int])>(([], []))

    init(store: NSUbiquitousKeyValueStore) {
        self.store = store
        state.withLock { $0.names = stored }
        // The observer lives as long as the process.
        _ = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { [weak self] in self?.merge($0) }
    }

    var names: [String] { state.withLock { $0.names.sorted() } }

    /// The reasons of all notifications.
    var reasons: [Int] { state.withLock { $0.reasons } }

    private var stored: Set<String> {
        Set(store.array(forKey: Self.key) as? [String] ?? [])
    }

    func add(_ name: String) {
        let names = state.withLock { state in
            state.names.insert(name)
            return state.names.sorted()
        }
        store.set(names, forKey: Self.key)
        store.synchronize()
    }

    private func merge(_ notification: Notification) {
        let info = notification.userInfo
        let keys = info?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
        guard keys.contains(Self.key) else { return }
        let reason = info?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
        let stored = stored
        let merged = state.withLock { state in
            state.names.formUnion(stored)
            if let reason { state.reasons.append(reason) }
            return state.names
        }
        // What was refused would be refused again.
        guard merged != stored, reason != NSUbiquitousKeyValueStoreQuotaViolationChange else {
            return
        }
        store.set(merged.sorted(), forKey: Self.key)
        store.synchronize()
    }
}

/// A list of tasks and a number of visits, in typed values.
struct TaskList {
    let store: KeyValueStore

    var tasks: [String] { store.list(of: String.self, "tasks").elements }
    var visits: Int64 { store.counter("visits").value }

    func add(_ task: String) throws { try store.list(of: String.self, "tasks").append(task) }

    func finish(_ task: String) throws {
        guard let place = tasks.firstIndex(of: task) else { return }
        try store.list(of: String.self, "tasks").remove(at: place)
    }

    func visit() throws { try store.counter("visits").increment() }
}

/// What an app hears of changes.
final class Changes: Sendable {
    private let seen = Mutex<[KeyValueChange]>([])
    var all: [KeyValueChange] { seen.withLock { $0 } }

    init(of store: KeyValueStore) {
        _ = store.observe { [weak self] change in self?.seen.withLock { $0.append(change) } }
    }
}
