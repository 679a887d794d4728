package import KSDigests
internal import Glibc
package import KSMerging
internal import KSRecords
package import KSStore

/// The store in a PostgreSQL database, which several servers may use at once.
///
/// Each call is one transaction, and locks no more than the row of one account. A call whose
/// outcome is unknown, as when the database fails over, is made again: all are idempotent.
package final class PostgreSQLStore: Store {
    /// What an operator may want to change.
    package struct Options: Sendable {
        /// How many connections the store makes at most.
        package var connectionsMax = 16
        /// How long one statement may take.
        package var statementMax = Duration.seconds(10)
        /// For how long a call is repeated while the database is away or fails over.
        package var patience = Duration.seconds(5)

        package init() {}
    }

    let pool: ConnectionPool
    let options: Options
    let quota: AccountQuota
    let random: any RandomSource
    let clockSeconds: @Sendable () -> UInt64
    let whenLeftOut: @Sendable (LeftOutRow) -> Void
    let time: ServedTime
    /// The life that new accounts begin in.
    let epoch: StoreEpoch

    /// How many batches of different accounts are committed at once.
    static let pushesMax = 8

    /// Opens the store, and creates or migrates its tables.
    ///
    /// - Parameters:
    ///   - address: a URI or another connection string of libpq.
    ///   - options: limits of connections and times.
    ///   - quota: how much an account may hold.
    ///   - random: makes epochs and tags.
    ///   - whenLeftOut: called for each damaged row that an answer leaves out.
    ///   - clockSeconds: seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``StoreError/newerVersion``, ``StoreError/migrationUnfinished``,
    ///   ``StoreError/copyUnfinished``, or the database's trouble.
    package init(
        address: String,
        options: Options = Options(),
        quota: AccountQuota = AccountQuota(),
        random: any RandomSource,
        whenLeftOut: @escaping @Sendable (LeftOutRow) -> Void = { _ in },
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        guard DatabaseConnection.canRead(address) else {
            throw DatabaseFailure.badAddress.storeError
        }
        self.options = options
        self.quota = quota
        self.whenLeftOut = whenLeftOut
        self.random = random
        self.clockSeconds = clockSeconds
        let pool = ConnectionPool(
            address: address,
            countMax: options.connectionsMax,
            // A statement that PostgreSQL cancels has an answer in time.
            answerMax: options.statementMax + .seconds(5)
        )
        self.pool = pool
        let row = try repeating(for: options.patience) { _ in
            try pool.withConnection { connection in
                try PostgreSQLSchema.migrate(connection)
                // It is read first: while a copy is made nobody can add it.
                if let row = try connection.run([.server])[0].first { return row }
                _ = try connection.run([
                    .addServer(epoch: random.bytes(StoreEpoch.byteCount))
                ])
                guard let row = try connection.run([.server])[0].first else {
                    throw StoreError.damaged
                }
                return row
            }
        }
        let isCopy: Bool
        do {
            epoch = try row.fixed(0)
            time = ServedTime(seconds: try row.integer(1))
            isCopy = try row.boolean(2)
        } catch {
            throw .damaged
        }
        guard !isCopy else { throw .copyUnfinished }
    }

    /// Closes the store; every later call fails.
    package func close() {
        pool.close()
    }

    package var concurrentCalls: Int { max(1, min(8, options.connectionsMax / 2)) }

    func newEpoch() -> StoreEpoch { StoreEpoch(validated: random.bytes(StoreEpoch.byteCount)) }

    // MARK: Transactions

    /// Runs single statements, each of which is a transaction of its own.
    func run(_ statements: Statement...) throws(StoreError) -> [Rows] {
        try repeating(for: options.patience) { _ in
            try pool.withConnection { try $0.run(statements) }
        }
    }

    /// Runs a transaction, again if its outcome is unknown.
    ///
    /// `patience`: for how long; nil for the store's.
    func transaction<Value>(
        _ mode: Transaction.Mode = .writing,
        patience: Duration? = nil,
        _ body: (Transaction) throws -> Value
    ) throws(StoreError) -> Value {
        try repeating(for: patience ?? options.patience) { isRepeated in
            try pool.withConnection { connection in
                let transaction = Transaction(
                    mode,
                    on: connection,
                    statementMax: options.statementMax,
                    isRepeated: isRepeated
                )
                do {
                    let value = try body(transaction)
                    try transaction.commit()
                    return value
                } catch {
                    transaction.rollBack()
                    throw error
                }
            }
        }
    }

    /// Runs a transaction that changes one account, whose row is locked.
    func change<Value>(
        _ account: AccountID,
        _ body: (Transaction, AccountSnapshot) throws -> Value
    ) throws(StoreError) -> Value {
        try transaction { transaction in
            let rows = try transaction.run(.lockAccount(account))
            return try body(transaction, try AccountSnapshot(rows[0]))
        }
    }

    // MARK: Time

    /// The store's own time, at most half a minute old beside what other servers have counted.
    func servedSeconds() throws(StoreError) -> UInt64 {
        if let seconds = time.recentSeconds() { return seconds }
        let rows = try run(.server)
        do {
            guard let row = rows[0].first else { throw StoreError.damaged }
            return time.note(try row.integer(1))
        } catch {
            throw .damaged
        }
    }
}

/// Repeats `body` while it fails for a reason that passes, and converts any error.
///
/// `body` gets whether it may have succeeded before.
func repeating<Value>(
    for patience: Duration,
    _ body: (Bool) throws -> Value
) throws(StoreError) -> Value {
    let end = ContinuousClock.now + patience
    var backOff = BackOff()
    var isRepeated = false
    while true {
        do {
            return try body(isRepeated)
        } catch let error as StoreError {
            throw error
        } catch let failure as DatabaseFailure {
            let pause = backOff.next()
            guard failure.isTemporary, ContinuousClock.now + pause < end else {
                throw failure.storeError
            }
            isRepeated = isRepeated || failure == .lost
            usleep(UInt32(clamping: Int(pause / .microseconds(1))))
        } catch {
            // A stored value does not have the form in which it was written.
            throw .damaged
        }
    }
}
