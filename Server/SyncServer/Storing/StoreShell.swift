internal import KSMerging
internal import KSQueues
internal import KSRecords
internal import KSStore
internal import Synchronization

/// Calls the store on threads of its own: pushes in groups, everything else one by one, or as many
/// calls at once as the store serves well.
package struct StoreShell: Sendable {
    /// Makes one call after the other, away from Swift's shared threads.
    actor Caller {
        private let executor: QueueExecutor
        private let store: any Store
        private let call: ServerMetrics.StoreCall
        private let observer: StoreObserver?

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        init(store: any Store, _ call: ServerMetrics.StoreCall, _ observer: StoreObserver?) {
            self.store = store
            self.call = call
            self.observer = observer
            executor = QueueExecutor(label: "sync-server." + call.rawValue)
        }

        func callAsFunction<Value: Sendable>(
            _ body: @Sendable (any Store) throws -> Value
        ) throws -> Value {
            try observed(body)
        }

        /// Makes a call of microseconds on the calling thread, if no other call is under way:
        /// waking up a thread for it would take longer.
        nonisolated func short<Value: Sendable>(
            _ body: @Sendable (any Store) throws -> Value
        ) async throws -> Value {
            if let value = try executor.borrowed({ try observed(body) }) { return value }
            return try await self(body)
        }

        nonisolated private func observed<Value>(
            _ body: (any Store) throws -> Value
        ) throws -> Value {
            guard let observer else { return try body(store) }
            return try observer.observe(call) { try body(store) }
        }
    }

    /// Some callers of the same store, which take turns.
    final class Callers: Sendable {
        private let callers: [Caller]
        private let calls = Atomic<Int>(0)

        init(store: any Store, _ call: ServerMetrics.StoreCall, _ observer: StoreObserver?) {
            callers = (0..<max(1, store.concurrentCalls)).map { _ in
                Caller(store: store, call, observer)
            }
        }

        private var next: Caller {
            let number = calls.wrappingAdd(1, ordering: .relaxed).oldValue
            return callers[Int(UInt(bitPattern: number) % UInt(callers.count))]
        }

        func callAsFunction<Value: Sendable>(
            _ body: @Sendable (any Store) throws -> Value
        ) async throws -> Value {
            try await next(body)
        }

        /// Makes a call of microseconds, if the store is one that has such calls: a call over a
        /// network would hold up the calling thread.
        func short<Value: Sendable>(
            _ body: @Sendable (any Store) throws -> Value
        ) async throws -> Value {
            guard callers.count == 1 else { return try await next(body) }
            return try await callers[0].short(body)
        }
    }

    package let pushes: PushQueue
    let read: Callers
    /// Accounts, circles and nonces: rare beside pushes.
    let write: Callers

    /// `whenPushed`: see ``PushQueue``.
    init(
        store: any Store,
        observer: StoreObserver? = nil,
        whenPushed: @escaping @Sendable (PushRequest, PushAnswer) -> Void
    ) {
        pushes = PushQueue(store: store, observer: observer, whenPushed: whenPushed)
        read = Callers(store: store, .read, observer)
        write = Callers(store: store, .write, observer)
    }
}
