package import KSAgent
package import KSKeyValueRecords
package import KSKeyValues
internal import Synchronization

/// The calls that wait for changes of key-value stores.
package final class KeyValueWatchers: Sendable {
    private struct Watcher {
        let store: StoreIdentifier
        let writer: [UInt8]?
        let continuation: AsyncStream<Report>.Continuation
    }

    /// Which keys changed, and the origin of the change.
    package struct Report: Equatable, Sendable {
        package let origin: KeyValueOrigin
        package let keys: [String]
        /// Those of the keys that have a value; nil if the values are too large for a report.
        package let entries: [StoredEntry]?

        package init(origin: KeyValueOrigin, keys: [String], entries: [StoredEntry]? = nil) {
            (self.origin, self.keys, self.entries) = (origin, keys, entries)
        }
    }

    private let watchers = Mutex<(next: Int, all: [Int: Watcher])>((0, [:]))

    package init() {}

    /// The changes of a store from now on; it ends when nobody reads it any more.
    ///
    /// - Parameters:
    ///   - store: whose entries are watched.
    ///   - writer: whose writes are not reported.
    /// - Returns: a report for each store and transaction.
    package func changes(
        of store: StoreIdentifier,
        except writer: [UInt8]? = nil
    ) -> AsyncStream<Report> {
        let (stream, continuation) = AsyncStream<Report>.makeStream()
        let watcher = Watcher(store: store, writer: writer, continuation: continuation)
        let number = watchers.withLock { watchers in
            watchers.next += 1
            watchers.all[watchers.next] = watcher
            return watchers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.watchers.withLock { $0.all[number] = nil }
        }
        return stream
    }

    package func report(_ changes: [StoreChange]) {
        let watchers = watchers.withLock { Array($0.all.values) }
        if changes.contains(where: { $0.store == .limitSettings }) {
            for watcher in watchers {
                watcher.continuation.yield(Report(origin: .limits, keys: []))
            }
        }
        for change in changes {
            let origin: KeyValueOrigin =
                switch change.origin {
                case .device: .device
                case .account: .account
                case .firstSync: .firstSync
                }
            let report = Report(origin: origin, keys: change.keys, entries: change.entries)
            for watcher in watchers where watcher.store == change.store {
                if let writer = change.writer, writer == watcher.writer { continue }
                watcher.continuation.yield(report)
            }
        }
    }

    /// Reports that the device joined or left an account, with the keys that changed thereby.
    package func reportAccount(changes: [StoreChange] = []) {
        for watcher in watchers.withLock({ Array($0.all.values) }) {
            let keys = changes.filter { $0.store == watcher.store }.flatMap(\.keys)
            watcher.continuation.yield(Report(origin: .joined, keys: keys))
        }
    }
}
