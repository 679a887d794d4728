internal import KSMerging
internal import KSQueues
internal import KSRecords
internal import KSStore

/// Calls the store on threads of its own: pushes in groups, everything else one by one.
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

    package let pushes: PushQueue
    let read: Caller
    /// Accounts, circles and nonces: rare beside pushes.
    let write: Caller

    /// `whenPushed`: see ``PushQueue``.
    init(
        store: any Store,
        observer: StoreObserver? = nil,
        whenPushed: @escaping @Sendable (PushRequest, PushAnswer) -> Void
    ) {
        pushes = PushQueue(store: store, observer: observer, whenPushed: whenPushed)
        read = Caller(store: store, .read, observer)
        write = Caller(store: store, .write, observer)
    }
}
