package import KSAgent
package import KSKeyValueRecords
package import KSKeyValues
internal import Synchronization

/// The calls that wait for changes of key-value stores.
package final class KeyValueWatchers: Sendable {
    /// Receives the number of a report and the report, first number 0 with none.
    package typealias Send = @Sendable (UInt64, Report?) -> Void

    private struct Watcher {
        let store: StoreIdentifier
        let writer: [UInt8]?
        let send: Send
        var number: UInt64 = 0
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

    private struct State {
        var next = 0
        var watchers: [Int: Watcher] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Reports the changes of a store from now on.
    ///
    /// - Parameters:
    ///   - store: whose entries are watched.
    ///   - writer: whose writes are not reported.
    ///   - send: called for each store and transaction, on the thread of the change and one call
    ///     at a time; it must not block.
    /// - Returns: what ``end(_:)`` takes.
    package func watch(
        _ store: StoreIdentifier,
        except writer: [UInt8]? = nil,
        _ send: @escaping Send
    ) -> Int {
        state.withLock { state in
            state.next += 1
            state.watchers[state.next] = Watcher(store: store, writer: writer, send: send)
            send(0, nil)
            return state.next
        }
    }

    package func end(_ number: Int) {
        // Released after the lock: what `send` holds may be large.
        let ended = state.withLock { $0.watchers.removeValue(forKey: number) }
        withExtendedLifetime(ended) {}
    }

    /// Sends each watcher the report that `body` makes for it.
    private func send(_ body: (Watcher) -> Report?) {
        state.withLock { state in
            for (number, watcher) in state.watchers {
                guard let report = body(watcher) else { continue }
                state.watchers[number]?.number += 1
                watcher.send(watcher.number + 1, report)
            }
        }
    }

    package func report(_ changes: [StoreChange]) {
        if changes.contains(where: { $0.store == .limitSettings }) {
            reportReload()
        }
        for change in changes {
            let origin: KeyValueOrigin =
                switch change.origin {
                case .device: .device
                case .account: .account
                case .firstSync: .firstSync
                }
            let report = Report(origin: origin, keys: change.keys, entries: change.entries)
            send { watcher in
                let isWriter = change.writer != nil && change.writer == watcher.writer
                return watcher.store == change.store && !isWriter ? report : nil
            }
        }
    }

    /// Lets all programs read their stores again.
    package func reportReload() {
        send { _ in Report(origin: .reload, keys: []) }
    }

    /// Reports that the device joined or left an account, with the keys that changed thereby.
    package func reportAccount(changes: [StoreChange] = []) {
        send { watcher in
            let keys = changes.filter { $0.store == watcher.store }.flatMap(\.keys)
            return Report(origin: .joined, keys: keys)
        }
    }
}
