internal import KSRecords
internal import KSStore

// The rows of a copy, and what keeps servers and copies apart.

extension Statement {
    // MARK: Rows

    /// A page of a table's rows: those that fit, and the one with which the page is full.
    static func rows(
        of table: StoredTable,
        in account: AccountID,
        after last: StoredRow?
    ) -> Statement {
        let columns = table.columns.map(\.name).joined(separator: ", ")
        guard table != .account else {
            return Statement("SELECT \(columns) FROM account WHERE account = $1", .id(account))
        }
        let key = table.columns.prefix(table.keyCount)
        let names = key.map(\.name).joined(separator: ", ")
        let places = (4..<4 + key.count).map { "$\($0)" }.joined(separator: ", ")
        let sizes = table.columns.filter { $0.kind == .bytes }
            .map { "octet_length(\($0.name))" }
        return Statement(
            """
            SELECT \(columns) FROM (
                SELECT *, sum(\((["0"] + sizes).joined(separator: " + "))) OVER (
                    ORDER BY \(names) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS bytes_before
                FROM (
                    SELECT \(columns) FROM \(table.rawValue)
                    WHERE account = $1\(last == nil ? "" : " AND (\(names)) > (\(places))")
                    ORDER BY \(names) LIMIT $2
                ) AS next
            ) AS counted
            WHERE coalesce(bytes_before, 0) <= $3
            ORDER BY \(names)
            """,
            [.id(account), .integer(StoredTable.pageRowsMax), .integer(StoredTable.pageBytesMax)]
                + zip(key, last ?? []).map { column, value in .value(value, as: column.kind) }
        )
    }

    static func add(
        _ rows: [StoredRow],
        to table: StoredTable,
        of account: AccountID
    ) -> Statement {
        let columns = table.columns
        let names = columns.map(\.name).joined(separator: ", ")
        let lists = columns.indices.map { "$\($0 + 2)::\(columns[$0].kind.sqlName)[]" }
        // A member's row has the account's epoch too.
        let isMember = table == .member
        return Statement(
            """
            INSERT INTO \(table.rawValue) (account, \(names)\(isMember ? ", epoch" : ""))
            SELECT $1, \(names)\(isMember ? ", (\(epoch))" : "")
            FROM unnest(\(lists.joined(separator: ", "))) AS new (\(names))
            """,
            [.id(account)]
                + columns.indices.map { index in
                    .values(rows.map { $0[index] }, as: columns[index].kind)
                }
        )
    }

    private static let epoch = "SELECT account.epoch FROM account WHERE account.account = $1"

    // MARK: Rows of no account

    static let usedNonces = Statement(
        "SELECT nonce, expiry_seconds FROM used_nonce ORDER BY nonce"
    )

    /// Adds used nonces; the call that has used one is not made again.
    static func addUsedNonces(_ nonces: [SharedRows.UsedNonce]) -> Statement {
        Statement(
            """
            INSERT INTO used_nonce (nonce, expiry_seconds, used_by)
            SELECT nonce, expiry_seconds, $1
            FROM unnest($2::bytea[], $3::bigint[]) AS new (nonce, expiry_seconds)
            ON CONFLICT DO NOTHING
            """,
            .id(bytes: [UInt8](repeating: 0, count: 16)),
            .byteLists(nonces.map(\.nonce)),
            .integers(nonces.map { Int64(clamping: $0.expirySeconds) })
        )
    }

    static func addInvitations(_ codeHashes: [[UInt8]]) -> Statement {
        Statement(
            """
            INSERT INTO invitation (code_hash) SELECT unnest($1::bytea[])
            ON CONFLICT (code_hash) DO UPDATE SET used_by = NULL
            """,
            .byteLists(codeHashes)
        )
    }

    // MARK: Servers and copies

    /// Which store this is among all schemas, databases and servers of PostgreSQL.
    static let place = Statement(
        """
        SELECT format('%s %s %s', pg_postmaster_start_time(), current_database(),
            'server'::regclass::oid)
        """
    )

    /// Of the store's own lock, which leaves no trace: 'KySt', and its table `server`.
    private static let lockKey = "(1266242420::bigint << 32) | 'server'::regclass::oid::bigint"

    /// Whether no copy has the store; true as long as the transaction lasts.
    static let lockAgainstCopies = Statement("SELECT pg_try_advisory_xact_lock_shared(\(lockKey))")

    /// Whether nobody else copies from or to the store; true as long as the transaction lasts.
    static let lockForCopy = Statement("SELECT pg_try_advisory_xact_lock(\(lockKey))")

    /// Lets everybody read the store, and nobody else write to it.
    static let lockTables = Statement(
        """
        LOCK TABLE \(accountTables.joined(separator: ", ")), account_name, server, server_secret,
            used_nonce, invitation
        IN SHARE ROW EXCLUSIVE MODE
        """
    )

    /// Lifts the limits of time, but not for locks.
    static let liftLimits = Statement(
        """
        SELECT set_config(name, CASE name WHEN 'lock_timeout' THEN '10s' ELSE '0' END, true)
        FROM pg_settings
        WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')
        """
    )

    /// Whether accounts are there, and whether servers run: each says so every ten seconds.
    static let uses = Statement(
        """
        SELECT EXISTS (SELECT 1 FROM account),
            EXISTS (SELECT 1 FROM node WHERE announced_at > now() - interval '30 seconds')
        """
    )

    /// Says that a copy into the store has begun.
    static let beginCopy = Statement("UPDATE server SET is_copy = true WHERE number = 1")

    /// Says that the copy is a store.
    static let finishCopy = Statement("UPDATE server SET is_copy = false WHERE number = 1")

    static func setServer(epoch: StoreEpoch, servedSeconds: UInt64) -> Statement {
        Statement(
            "UPDATE server SET epoch = $1, served_seconds = $2 WHERE number = 1",
            .id(epoch),
            .integer(servedSeconds)
        )
    }
}

extension StoredColumn.Kind {
    fileprivate var sqlName: String {
        switch self {
        case .integer: "bigint"
        case .bytes: "bytea"
        case .id: "uuid"
        case .text: "text"
        case .boolean: "boolean"
        }
    }
}
