internal import Dispatch
internal import Synchronization

/// A bounded number of connections, made when they are needed and kept for the next call.
package final class ConnectionPool: Sendable {
    private struct State {
        var idle: [DatabaseConnection] = []
        var backOff = BackOff()
        /// No connection is tried before this time.
        var nextAttempt = ContinuousClock.now
        var isClosed = false
    }

    private let address: String
    private let answerMax: Duration
    /// How long a call waits for one of the connections.
    private static let waitMax = DispatchTimeInterval.seconds(10)
    private let free: DispatchSemaphore
    private let state = Mutex(State())

    package init(address: String, countMax: Int, answerMax: Duration) {
        self.address = address
        self.answerMax = answerMax
        free = DispatchSemaphore(value: countMax)
    }

    /// Closes the connections; later calls fail.
    package func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    /// Lends a connection outside of a transaction.
    package func withConnection<Value>(
        _ body: (DatabaseConnection) throws -> Value
    ) throws -> Value {
        guard free.wait(timeout: .now() + Self.waitMax) == .success else {
            throw DatabaseFailure.noneFree
        }
        defer { free.signal() }
        let connection = try take()
        do {
            let value = try body(connection)
            giveBack(connection)
            return value
        } catch {
            if (error as? DatabaseFailure)?.endsConnections == true {
                dropIdle()
            } else {
                giveBack(connection)
            }
            throw error
        }
    }

    private func take() throws(DatabaseFailure) -> DatabaseConnection {
        let idle = try state.withLock { state throws(DatabaseFailure) -> DatabaseConnection? in
            guard !state.isClosed else { throw .closed }
            if let connection = state.idle.popLast() { return connection }
            // While the database is away, calls fail at once: each attempt may take seconds.
            guard ContinuousClock.now >= state.nextAttempt else { throw .unreachable }
            return nil
        }
        if let idle { return idle }
        do throws(DatabaseFailure) {
            let connection = try DatabaseConnection(address, answerMax: answerMax)
            state.withLock { $0.backOff.reset() }
            return connection
        } catch {
            state.withLock { state in
                state.nextAttempt = ContinuousClock.now + state.backOff.next()
            }
            throw error
        }
    }

    /// A connection in a transaction would hold its locks: it is closed, and PostgreSQL undoes the
    /// transaction.
    private func giveBack(_ connection: DatabaseConnection) {
        guard !connection.isBroken, !connection.isInTransaction else { return }
        state.withLock { state in
            if !state.isClosed { state.idle.append(connection) }
        }
    }

    private func dropIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }
}
