import Foundation
import KeyValueStore
import Synchronization
import UbiquitousKeyValueStore

/// The favorites of a user, on all of their devices, with a bug.
///
/// It keeps them in memory, and takes over what arrives. That works as long as one device is used
/// at a time.
final class Favorites: Sendable {
    private let store: NSUbiquitousKeyValueStore
    private let state = Mutex<Set<String>>([])

    init(store: NSUbiquitousKeyValueStore = .default) {
        self.store = store
        state.withLock { $0 = stored }
        _ = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { [weak self] _ in self?.takeOver() }
    }

    var names: [String] { state.withLock { $0.sorted() } }

    func add(_ name: String) {
        let all = state.withLock { names in
            names.insert(name)
            return names.sorted()
        }
        store.set(all, forKey: "favorites")
    }

    private var stored: Set<String> {
        Set(store.array(forKey: "favorites") as? [String] ?? [])
    }

    private func takeOver() {
        // The bug: what this device has added meanwhile is in no other device's list.
        state.withLock { $0 = stored }
    }
}

/// The same without the bug: a set on which all devices agree needs no handler.
struct MergedFavorites {
    private let favorites: KeyValueSet<String>

    init(store: KeyValueStore = .default) {
        favorites = store.set(of: String.self, "favorites")
    }

    var names: [String] { favorites.elements.sorted() }

    func add(_ name: String) throws { try favorites.insert(name) }
}
