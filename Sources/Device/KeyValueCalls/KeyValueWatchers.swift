package import KSAgent
package import KSKeyValueRecords
package import KSKeyValues
internal import Synchronization

/// The calls that wait for changes of key-value stores.
package final class KeyValueWatchers: Sendable {
    /// Receives the reports, first number 0.
    package typealias Send = @Sendable (KeyValueReport) -> Void

    private struct Watcher {
        let store: StoreIdentifier
        let writer: [UInt8]?
        let send: Send
        var number: UInt64 = 0
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
            send(KeyValueReport(number: 0, origin: .device, keys: []))
            return state.next
        }
    }

    package func end(_ number: Int) {
        // Released after the lock: what `send` holds may be large.
        let ended = state.withLock { $0.watchers.removeValue(forKey: number) }
        withExtendedLifetime(ended) {}
    }

    /// Sends each watcher the report with this number that `body` makes for it.
    private func send(_ body: (Watcher, _ number: UInt64) -> KeyValueReport?) {
        state.withLock { state in
            for (place, watcher) in state.watchers {
                let number = watcher.number + 1
                guard let report = body(watcher, number) else { continue }
                state.watchers[place]?.number = number
                watcher.send(report)
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
            // Most changes have no watcher.
            lazy var entries = change.entries?.map { KeyValueEntry($0) }
            send { watcher, number in
                let isWriter = change.writer != nil && change.writer == watcher.writer
                guard watcher.store == change.store, !isWriter else { return nil }
                return .init(number: number, origin: origin, keys: change.keys, entries: entries)
            }
        }
    }

    /// Lets all programs read their stores again.
    package func reportReload() {
        send { _, number in .init(number: number, origin: .reload, keys: []) }
    }

    /// Reports that the device joined or left an account, with the keys that changed thereby.
    package func reportAccount(changes: [StoreChange] = []) {
        send { watcher, number in
            let keys = changes.filter { $0.store == watcher.store }.flatMap(\.keys)
            return .init(number: number, origin: .joined, keys: keys)
        }
    }
}
