package import KSKeyValueStore
package import KSKeyValues
internal import Synchronization

/// The calls that wait for changes of key-value stores.
package final class KeyValueWatchers: Sendable {
    private struct Watcher {
        let store: StoreIdentifier
        let continuation: AsyncStream<StoreChange>.Continuation
    }

    private let watchers = Mutex<(next: Int, all: [Int: Watcher])>((0, [:]))

    package init() {}

    /// The changes of a store from now on; it ends when nobody reads it any more.
    package func changes(of store: StoreIdentifier) -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream<StoreChange>.makeStream()
        let number = watchers.withLock { watchers in
            watchers.next += 1
            watchers.all[watchers.next] = Watcher(store: store, continuation: continuation)
            return watchers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.watchers.withLock { $0.all[number] = nil }
        }
        return stream
    }

    package func report(_ changes: [StoreChange]) {
        let watchers = watchers.withLock { Array($0.all.values) }
        for change in changes {
            for watcher in watchers where watcher.store == change.store {
                watcher.continuation.yield(change)
            }
        }
    }
}
