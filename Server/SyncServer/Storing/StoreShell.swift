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

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        init(store: any Store, label: String) {
            self.store = store
            executor = QueueExecutor(label: label)
        }

        func callAsFunction<Value: Sendable>(
            _ body: @Sendable (any Store) throws -> Value
        ) throws -> Value {
            try body(store)
        }

        /// Makes a call of microseconds on the calling thread, if no other call is under way:
        /// waking up a thread for it would take longer.
        nonisolated func short<Value: Sendable>(
            _ body: @Sendable (any Store) throws -> Value
        ) async throws -> Value {
            if let value = try executor.borrowed({ try body(store) }) { return value }
            return try await self(body)
        }
    }

    package let pushes: PushQueue
    let read: Caller
    /// Accounts, circles and nonces: rare beside pushes.
    let write: Caller

    /// `whenPushed`: see ``PushQueue``.
    init(
        store: any Store,
        whenPushed: @escaping @Sendable (PushRequest, PushAnswer) -> Void
    ) {
        pushes = PushQueue(store: store, whenPushed: whenPushed)
        read = Caller(store: store, label: "sync-server.read")
        write = Caller(store: store, label: "sync-server.write")
    }
}
