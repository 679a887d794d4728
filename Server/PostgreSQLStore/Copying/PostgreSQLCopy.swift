internal import Foundation
package import KSDigests
package import KSMerging
package import KSRecords
package import KSStore

/// A database as the source or the target of a copy: one transaction, in which nobody else writes.
///
/// A copy that is cut off leaves none of its rows, and a target that no server accepts.
package final class PostgreSQLCopy: CopyTarget {
    private let connection: DatabaseConnection
    /// Which store this is, wherever it is named.
    package let place: String

    /// Opens a store that is copied, and that stays unchanged.
    ///
    /// - Throws: ``StoreError/notFound`` without a store, ``StoreError/inUse``,
    ///   ``StoreError/copyUnfinished``, ``StoreError/olderVersion``, ``StoreError/newerVersion``,
    ///   or the database's trouble.
    package init(reading address: String) throws(StoreError) {
        (connection, place) = try rethrowing {
            let connection = try Self.connect(address)
            let plan = try PostgreSQLSchema.plan(connection)
            guard plan.version > 0, let server = try connection.run([.server])[0].first else {
                throw StoreError.notFound
            }
            guard plan.missing.isEmpty else { throw StoreError.olderVersion }
            guard try !server.boolean(2) else { throw StoreError.copyUnfinished }
            _ = try Self.begin(on: connection)
            return (connection, try Self.place(connection))
        }
    }

    /// Makes the tables where a store is to be copied to, and begins to fill them.
    ///
    /// - Parameters:
    ///   - address: of the database, as a URI.
    ///   - source: where the rows come from; nil if that is no database.
    ///   - random: makes an epoch, which the copy replaces.
    /// - Throws: ``StoreError/notEmpty``, ``StoreError/inUse``, ``StoreError/newerVersion``, or the
    ///   database's trouble.
    package init(
        filling address: String,
        from source: PostgreSQLCopy?,
        random: any RandomSource
    ) throws(StoreError) {
        (connection, place) = try rethrowing {
            let connection = try Self.connect(address)
            try PostgreSQLSchema.migrate(connection)
            let place = try Self.place(connection)
            guard place != source?.place else { throw StoreError.notEmpty }
            if try connection.run([.server])[0].first == nil {
                _ = try connection.run([.addServer(epoch: random.bytes(StoreEpoch.byteCount))])
            }
            // The first transaction says that the copy has begun, whatever happens to the second.
            for isLast in [false, true] {
                guard try Self.begin(on: connection) else { throw StoreError.notEmpty }
                if !isLast { _ = try connection.run([.beginCopy, Statement("COMMIT")]) }
            }
            return (connection, place)
        }
    }

    private static func connect(_ address: String) throws(DatabaseFailure) -> DatabaseConnection {
        try DatabaseConnection(address, answerMax: .seconds(3600))
    }

    private static func place(_ connection: DatabaseConnection) throws -> String {
        guard let row = try connection.run([.place])[0].first else { throw StoreError.damaged }
        return try row.text(0)
    }

    /// Begins the transaction in which nobody else writes.
    ///
    /// A server first says that it runs, and then looks for a copy; a copy first takes the lock,
    /// and then looks for servers: one of them sees the other.
    /// - Returns: whether the store has no accounts.
    private static func begin(on connection: DatabaseConnection) throws -> Bool {
        _ = try connection.run([
            Statement("BEGIN ISOLATION LEVEL READ COMMITTED"), .liftLimits,
        ])
        guard try isLocked(by: connection), let uses = try connection.run([.uses])[0].first,
            try !uses.boolean(1)
        else { throw StoreError.inUse }
        // A server that has not said so for a while can write nothing from now on.
        _ = try connection.run([.lockTables])
        return try connection.run([.uses])[0].first?.boolean(0) == false
    }

    /// Takes the lock of copies; the database needs a moment to notice that another copy has ended.
    private static func isLocked(by connection: DatabaseConnection) throws -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { Thread.sleep(forTimeInterval: 0.1) }
            if try connection.run([.lockForCopy])[0].first?.boolean(0) == true { return true }
        }
        return false
    }

    private func run(_ statements: Statement...) throws(StoreError) -> [Rows] {
        try rethrowing { try connection.run(statements) }
    }

    // MARK: Rows

    package func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures {
        let rows = try run(.figures(quotaBytes: quotaBytes ?? AccountSummary.unlimitedBytes))
        return try rethrowing { try StoreFigures(rows[0]) }
    }

    package func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID] {
        let rows = try run(.accounts(after: id, countMax: countMax))
        return try rethrowing { try rows[0].rows.map { try $0.fixed(0) } }
    }

    package func rows(
        of table: StoredTable,
        in account: AccountID,
        after last: StoredRow?
    ) throws(StoreError) -> [StoredRow] {
        let rows = try run(.rows(of: table, in: account, after: last))[0].rows
        return try rethrowing {
            try rows.map { row in
                try zip(row.fieldIndices, table.columns).map { index, column in
                    try row.value(index, as: column.kind)
                }
            }
        }
    }

    package func add(
        _ rows: [StoredRow],
        to table: StoredTable,
        of account: AccountID
    ) throws(StoreError) {
        _ = try run(.add(rows, to: table, of: account))
        guard table == .account, case .text(let lookUpName)? = rows.first?[1] else { return }
        guard try run(.addName(lookUpName, of: account))[0].count == 1 else { throw .damaged }
    }

    package func sharedRows() throws(StoreError) -> SharedRows {
        let answers = try run(.server, .usedNonces, .secret, .invitations)
        return try rethrowing {
            guard let server = answers[0].first else { throw StoreError.damaged }
            return SharedRows(
                epoch: try server.fixed(0),
                servedSeconds: try server.integer(1),
                usedNonces: try answers[1].rows.map { row in
                    SharedRows.UsedNonce(
                        nonce: try row.bytes(0),
                        expirySeconds: try row.integer(1)
                    )
                },
                secret: try answers[2].first?.bytes(0),
                invitations: Set(try answers[3].rows.map { try $0.bytes(0) })
            )
        }
    }

    package func setSharedRows(_ rows: SharedRows) throws(StoreError) {
        _ = try run(
            .setServer(epoch: rows.epoch, servedSeconds: rows.servedSeconds),
            .addUsedNonces(rows.usedNonces),
            .addInvitations(rows.invitations.sorted { $0.lexicographicallyPrecedes($1) })
        )
        if let secret = rows.secret { _ = try run(.setSecret(secret)) }
    }

    package func finish() throws(StoreError) {
        _ = try run(.finishCopy, Statement("COMMIT"))
    }
}

extension Row {
    fileprivate func value(_ index: Int, as kind: StoredColumn.Kind) throws -> StoredValue {
        if isNull(index) { return .null }
        return switch kind {
        case .integer: .integer(try signed(index))
        case .boolean: .integer(try boolean(index) ? 1 : 0)
        case .bytes, .id: .bytes(try bytes(index))
        case .text: .text(try text(index))
        }
    }
}
