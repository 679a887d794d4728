internal import KSQueues
internal import KSStore

/// Calls the store on threads of its own: pushes in groups, everything else one by one.
package struct StoreShell: Sendable {
    /// One call after the other, away from Swift's shared threads.
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
    }

    package let pushes: PushQueue
    let read: Caller
    /// Accounts, circles and nonces: rare beside pushes.
    let write: Caller

    init(store: any Store) {
        pushes = PushQueue(store: store)
        read = Caller(store: store, label: "sync-server.read")
        write = Caller(store: store, label: "sync-server.write")
    }
}
