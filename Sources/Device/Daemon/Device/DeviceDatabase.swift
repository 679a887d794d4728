internal import Synchronization
package import GRDB

/// A connection to the device's database, which can be opened again for all who use it.
///
/// A connection that has failed may stay unusable although the file is well.
package final class DeviceDatabase: Sendable {
    private let open: (@Sendable () throws -> DatabaseQueue)?
    private let current: Mutex<DatabaseQueue>

    init(_ open: @escaping @Sendable () throws -> DatabaseQueue) throws {
        self.open = open
        current = Mutex(try open())
    }

    /// A database in memory, which ends with its only connection.
    init(_ inMemory: DatabaseQueue) {
        open = nil
        current = Mutex(inMemory)
    }

    private var queue: DatabaseQueue { current.withLock { $0 } }

    /// Opens the file again, for ``take(_:)``.
    ///
    /// - Returns: nil for a database in memory.
    func reopened() throws -> DatabaseQueue? { try open?() }

    /// Replaces the connection; the old one closes when its last user is done.
    func take(_ fresh: DatabaseQueue) { current.withLock { $0 = fresh } }
}

// As `AnyDatabaseWriter` of GRDB does it.

extension DeviceDatabase: DatabaseReader {
    package var configuration: Configuration { queue.configuration }
    package var path: String { queue.path }
    package func close() throws { try queue.close() }
    package func interrupt() { queue.interrupt() }

    @_disfavoredOverload
    package func read<T>(_ value: (Database) throws -> T) throws -> T { try queue.read(value) }

    package func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await queue.read(value)
    }

    package func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        queue.asyncRead(value)
    }

    @_disfavoredOverload
    package func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try queue.unsafeRead(value)
    }

    package func unsafeRead<T: Sendable>(
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T { try await queue.unsafeRead(value) }

    package func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) { queue.asyncUnsafeRead(value) }

    package func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try queue.unsafeReentrantRead(value)
    }

    // swift-format-ignore: NoLeadingUnderscores
    package func _add<Reducer: ValueReducer>(
        observation: ValueObservation<Reducer>,
        scheduling scheduler: some ValueObservationScheduler,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        queue._add(observation: observation, scheduling: scheduler, onChange: onChange)
    }
}

extension DeviceDatabase: DatabaseWriter {
    @_disfavoredOverload
    package func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try queue.writeWithoutTransaction(updates)
    }

    package func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T { try await queue.writeWithoutTransaction(updates) }

    @_disfavoredOverload
    package func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try queue.barrierWriteWithoutTransaction(updates)
    }

    package func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T { try await queue.barrierWriteWithoutTransaction(updates) }

    package func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) { queue.asyncBarrierWriteWithoutTransaction(updates) }

    package func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        queue.asyncWriteWithoutTransaction(updates)
    }

    package func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try queue.unsafeReentrantWrite(updates)
    }

    package func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) { queue.spawnConcurrentRead(value) }
}
