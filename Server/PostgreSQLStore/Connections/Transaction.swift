/// A transaction, which begins with its first round trip.
///
/// Statements whose answers nobody needs wait for the next round trip.
package final class Transaction {
    enum Mode {
        /// All statements see the same state.
        case reading
        case writing
        /// Does not wait for the disk: a power cut may lose it, but no part of it.
        case lazy

        fileprivate var begin: Statement {
            switch self {
            case .reading: Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            // Each statement sees what was committed before it, so those after the account's lock
            // see the account as it is.
            case .writing, .lazy: Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
            }
        }
    }

    private let connection: DatabaseConnection
    private var waiting: [Statement]
    /// Whether an earlier attempt at the same call may have been committed.
    let isRepeated: Bool

    /// - Parameters:
    ///   - mode: what the transaction may do.
    ///   - connection: outside of a transaction.
    ///   - statementMax: how long one statement may take.
    ///   - isRepeated: whether an earlier attempt at the same call may have been committed.
    init(
        _ mode: Mode,
        on connection: DatabaseConnection,
        statementMax: Duration,
        isRepeated: Bool
    ) {
        self.connection = connection
        self.isRepeated = isRepeated
        let milliseconds = Int(statementMax / .milliseconds(1))
        // With a pooler in between a session's setting would reach other sessions. The second limit
        // ends the transaction of a server that has disappeared, whose locks would stay.
        waiting = [
            mode.begin,
            Statement(
                """
                SELECT set_config('statement_timeout', $1, true),
                    set_config('idle_in_transaction_session_timeout', $2, true)
                """,
                .text("\(milliseconds)"),
                .text("\(2 * milliseconds)")
            ),
        ]
        if mode == .lazy { waiting.append(Statement("SET LOCAL synchronous_commit = off")) }
    }

    /// Adds a statement to the next round trip.
    func later(_ statement: Statement) {
        waiting.append(statement)
    }

    /// Runs statements in one round trip, with those that wait.
    func run(_ statements: Statement...) throws(DatabaseFailure) -> [Rows] {
        try run(statements)
    }

    func run(_ statements: [Statement]) throws(DatabaseFailure) -> [Rows] {
        let all = waiting + statements
        waiting = []
        return Array(try connection.run(all).suffix(statements.count))
    }

    /// Runs the statements that wait, and commits.
    func commit() throws(DatabaseFailure) {
        _ = try run(Statement("COMMIT"))
    }

    /// Undoes the transaction after a failure.
    func rollBack() {
        // If this fails, the connection is closed, and PostgreSQL undoes the transaction.
        if connection.isInTransaction { _ = try? connection.run([Statement("ROLLBACK")]) }
    }
}
