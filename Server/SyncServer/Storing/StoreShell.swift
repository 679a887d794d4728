internal import KSStore

/// Calls the store on threads of its own: pushes gathered, everything else one by one beside them.
struct StoreShell: Sendable {
    /// One call after the other, away from Swift's shared threads.
    private actor Caller {
        private let executor: QueueExecutor
        private let store: any Store

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        init(store: any Store, label: String) {
            self.store = store
            executor = QueueExecutor(label: label)
        }

        func call<Value: Sendable>(
            _ body: @Sendable (any Store) throws(StoreError) -> Value
        ) throws(StoreError) -> Value {
            try body(store)
        }
    }

    let pushes: PushQueue
    private let reader: Caller
    private let writer: Caller

    init(store: any Store) {
        pushes = PushQueue(store: store)
        reader = Caller(store: store, label: "sync-server.read")
        writer = Caller(store: store, label: "sync-server.write")
    }

    func read<Value: Sendable>(
        _ body: @Sendable (any Store) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await reader.call(body)
    }

    /// Accounts, circles and nonces: rare beside pushes.
    func write<Value: Sendable>(
        _ body: @Sendable (any Store) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await writer.call(body)
    }
}
