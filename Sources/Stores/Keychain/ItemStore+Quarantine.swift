internal import GRDB

extension ItemStore {
    /// Quarantines rows that cannot be opened: they match nothing any more, and are kept.
    ///
    /// - Returns: the number of rows that still existed and could not be opened.
    @discardableResult
    package func quarantine(_ unreadable: [UnreadableRow]) throws(ItemStoreError) -> Int {
        guard !unreadable.isEmpty else { return 0 }
        return try write { database in
            var count = 0
            for row in unreadable {
                guard let stored = try storedRow(row, in: database),
                    case .damaged = rows.opened(stored)
                else { continue }
                try copyToQuarantine(stored, in: database)
                try remove(stored, in: database)
                count += 1
            }
            return count
        }
    }

    func storedRow(_ row: UnreadableRow, in database: Database) throws -> StoredRow? {
        try StoredRow.all(
            row.itemClass.sql.selectByReference,
            [.bytes(Array(row.persistentReference.dropFirst(4)))],
            of: row.itemClass,
            in: database
        ).first
    }

    /// The attributes of a row whose secret does not open; nil if they do not open either.
    func openAttributes(of stored: StoredRow, in database: Database) throws -> Item? {
        let row = try StoredRow.all(
            """
            SELECT \(ItemSQL.rowColumns), attributes, NULL, NULL FROM \(stored.itemClass.rawValue)
            WHERE id = ?
            """,
            [.integer(stored.id)],
            of: stored.itemClass,
            in: database
        ).first
        guard let row else { return nil }
        let opened = rows.opened(row)
        if case .locked = opened { throw ItemStoreError.interactionNotAllowed }
        return opened.item
    }

    // MARK: Leaving the quarantine

    /// Restores the quarantined rows that can be read again, as after the key file was restored.
    ///
    /// A row whose key another item has taken since stays in quarantine.
    ///
    /// - Returns: how many rows were restored.
    package func restoreQuarantined() throws(ItemStoreError) -> Int {
        try write { database in
            var count = 0
            let names = try Row.fetchAll(
                database,
                sql: "SELECT id, origin FROM quarantine ORDER BY id"
            )
            for name in names {
                guard let itemClass = ItemClass(rawValue: name[1]) else { continue }
                if try restore(name[0], of: itemClass, in: database) { count += 1 }
            }
            return count
        }
    }

    /// Deletes all quarantined rows.
    ///
    /// - Returns: how many there were.
    package func discardQuarantined() throws(ItemStoreError) -> Int {
        try write { database in
            try database.execute(sql: "DELETE FROM quarantine")
            return database.changesCount
        }
    }

    private func restore(
        _ id: Int64,
        of itemClass: ItemClass,
        in database: Database
    ) throws -> Bool {
        let found = try StoredRow.all(
            "SELECT \(ItemSQL.rowColumns), \(ItemSQL.sealedColumns) FROM quarantine WHERE id = ?",
            [.integer(id)],
            of: itemClass,
            in: database
        )
        guard let stored = found.first, let item = rows.opened(stored).item else { return false }
        let sealed = try rows.seal(item)
        guard try storedRow(itemClass, primaryKey: sealed.primaryKey, in: database) == nil,
            try storedRow(stored.unreadable, in: database) == nil
        else { return false }
        switch item.isSynced ? try recorder?.recorded(at: item.key, in: database) : nil {
        case .deleted where !stored.isTombstone:
            // The account deleted the item on purpose, after it was quarantined.
            return false
        case .present(let known):
            // If the account's item is refused, the quarantined one is the only one.
            if case .refused = try present(known, in: database) { return false }
        case .deleted, .unknown, nil:
            let kept = try insert(item, sealed: sealed, in: database)
            if !stored.isTombstone { try record(before: nil, after: kept, in: database) }
        }
        try database.execute(sql: "DELETE FROM quarantine WHERE id = ?", arguments: [id])
        return true
    }
}
