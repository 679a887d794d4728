package import GRDB

/// How a device leaves its account: on this device alone, without asking the server.
package enum Departure {
    /// All tables of sync; a test compares them with the schema.
    private static let tables = [
        "sync_state", "sync_vector", "mirror", "outbox", "batch", "batch_record",
        "sibling_quarantine", "waiting", "rewrite", "circle_entry", "account_value",
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

    /// Deletes the account's data and keys from the device; entries stay.
    package static func forgetAccount(in database: Database) throws {
        for table in tables { try database.execute(sql: "DELETE FROM \(table)") }
    }
}

extension SyncedStore {
    /// Counts the entries: most stores hold nothing else of an account.
    package func keepWithoutAccount(in database: Database) throws -> Int {
        try entries(in: database).count
    }

    /// Removes every synced entry, without recording deletions that an account could receive.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``SealingError/classLocked(_:)`` while an entry's class is locked.
    package func removeEntries(in database: Database) throws -> Int {
        let entries = try entries(in: database)
        for entry in entries { _ = try show(entry, isAlive: false, in: database) }
        return entries.count
    }
}
