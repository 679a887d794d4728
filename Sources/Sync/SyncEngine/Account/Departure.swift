package import GRDB
internal import KSCausality
package import KSRecords
package import KSSealing

/// How a device leaves its account: on this device alone, without asking the server.
package enum Departure {
    /// The tables of what only a member of the account needs; a test compares both lists with the
    /// schema.
    private static let membershipTables = [
        "sync_state", "rewrite", "circle_entry", "account_value", "reconciliation",
        "recent_deletion", "deleted_history",
    ]

    /// The tables of what the device knows of the account's records, and has still to send.
    static let recordTables = [
        "sync_vector", "mirror", "outbox", "batch", "batch_record", "sibling_quarantine", "waiting",
        "departed_account", "departed_entry", "unconfirmed_mirror", "uncompared",
    ]

    /// How many records have changes that the server has not confirmed.
    package static func unsentCount(in database: Database) throws -> Int {
        try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM
                    (SELECT record FROM outbox UNION SELECT record FROM batch_record)
                """
        ) ?? 0
    }

    /// Whether a batch has been sealed that the server has not confirmed.
    package static func hasBatch(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM batch")
    }

    /// Deletes the account's data and keys from the device; entries stay.
    ///
    /// - Parameters:
    ///   - stores: those whose entries stay on the device; what it knows of the account's records
    ///     then stays too, sealed as before, for a return (``Return``). While sync is paused, or
    ///     records are compared with a server that went back, it does not. There must be no batch
    ///     under way. The account's id stays in any case.
    ///   - keyRing: the account's.
    ///   - database: the transaction in which the device leaves.
    /// - Throws: what the stores and the database throw.
    package static func forgetAccount(
        keepingRecordsOf stores: [any SyncedStore] = [],
        _ keyRing: KeyRing,
        in database: Database
    ) throws {
        let state = stores.isEmpty ? nil : try SyncStateTable.load(from: database)
        let keepsRecords =
            try state?.hold == nil && ReconciliationTable.areAllCompared(in: database)
        let tables = membershipTables + (state == nil || !keepsRecords ? recordTables : [])
        for table in tables { try database.execute(sql: "DELETE FROM \(table)") }
        guard let state else { return }
        if keepsRecords {
            let hasBatch = try hasBatch(in: database)
            precondition(!hasBatch, "its answer would be for another device")
            for store in stores { try store.noteDeparted(keyRing, in: database) }
        }
        try database.run(
            "INSERT OR REPLACE INTO departed_account (id, account, epoch, own_time)"
                + " VALUES (1, ?, ?, ?)",
            [
                state.account.column, keepsRecords ? state.epoch.column : nil,
                state.ownTime.rawValue.column,
            ]
        )
    }

    /// The account that the device left with its entries, before it joins one; nil if it left none.
    package static func account(in database: Database) throws -> AccountID? {
        try database.rows("SELECT account FROM departed_account").first?.fixed("account")
    }
}

extension SyncedStore {
    /// Notes which records with an unsent edit have an entry now.
    fileprivate func noteDeparted(_ keyRing: KeyRing, in database: Database) throws {
        for entry in try entries(in: database) {
            try database.run(
                "INSERT INTO departed_entry SELECT record FROM outbox WHERE record = ?",
                [keyRing.recordID(of: entry, kind: Self.kind).column]
            )
        }
    }

    /// Counts the entries: most stores hold nothing else of an account.
    package func keepWithoutAccount(in database: Database) throws -> Int {
        try entries(in: database).count
    }

    /// Removes every synced entry, and what the store remembers of deleted ones, without recording
    /// deletions that an account could receive.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``SealingError/classLocked(_:)`` while an entry's class is locked.
    package func removeEntries(in database: Database) throws -> Int {
        let entries = try entries(in: database)
        for entry in entries { _ = try show(entry, isAlive: false, in: database) }
        try forgetDeletions(in: database)
        return entries.count
    }
}
