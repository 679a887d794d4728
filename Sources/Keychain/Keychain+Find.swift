package import GRDB

extension Keychain {
    /// Finds items; those that are not synchronizable come first, then by when they were added
    /// here.
    ///
    /// A row that cannot be opened is left out and reported; one whose class is locked fails the
    /// call.
    package func find(
        _ query: ItemQuery,
        where isWanted: (Item) throws -> Bool = { _ in true }
    ) throws(KeychainError) -> FoundItems {
        do {
            // A search reads the rows of one moment either way: only this connection writes.
            return try database.unsafeRead { try find(query, in: $0, where: isWanted) }
        } catch {
            throw KeychainError(error)
        }
    }

    /// Finds items as a part of a transaction; the limit counts those that are wanted.
    package func find(
        _ query: ItemQuery,
        in database: Database,
        where isWanted: (Item) throws -> Bool = { _ in true }
    ) throws(KeychainError) -> FoundItems {
        do {
            let search = try RowSearch(query, rows: rows)
            var found = FoundItems()
            guard query.limit ?? 1 > 0 else { return found }
            if query.limit == 1, let stored = recentRows.row(for: search, in: database),
                let item = try open(stored), try isWanted(item)
            {
                found.items.append(item)
                return found
            }
            var isFirst = true
            try search.visit(in: database) { stored in
                defer { isFirst = false }
                if let item = try open(stored) {
                    guard try isWanted(item) else { return true }
                    found.items.append(item)
                    // Another caller may want the first of several where this one did not.
                    if query.limit == 1, isFirst {
                        recentRows.keep(stored, for: search, in: database)
                    }
                } else {
                    found.unreadable.append(unreadable(stored))
                }
                return found.items.count != query.limit
            }
            return found
        } catch {
            throw KeychainError(error)
        }
    }

    /// The synced item of this key, with its secret, or nil.
    package func syncedItem(
        _ key: ItemKey,
        in database: Database
    ) throws(KeychainError) -> Item? {
        do {
            let primaryKey = try rows.primaryKey(of: key, isSynchronizable: true, user: [])
            guard
                let stored = try storedRow(key.itemClass, primaryKey: primaryKey, in: database),
                !stored.isTombstone, !stored.accessibility.isThisDeviceOnly
            else { return nil }
            return try open(stored)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Whether there is the tombstone of a synced item of this key.
    package func hasTombstone(
        of key: ItemKey,
        in database: Database
    ) throws(KeychainError) -> Bool {
        do {
            let primaryKey = try rows.primaryKey(of: key, isSynchronizable: true, user: [])
            let stored = try storedRow(key.itemClass, primaryKey: primaryKey, in: database)
            return stored?.isTombstone ?? false
        } catch {
            throw KeychainError(error)
        }
    }

    /// Every synced item, with its secret, in the order in which they were added here.
    package func syncedItems(in database: Database) throws(KeychainError) -> [Item] {
        var items: [Item] = []
        for itemClass in ItemClass.allCases {
            let query = ItemQuery(
                itemClass,
                synchronizable: .yes,
                access: .all(defaultGroup: ""),
                wantsSecret: true
            )
            items += try find(query, in: database).items.filter(\.isSynced)
        }
        return items
    }

    func unreadable(_ stored: StoredRow) -> UnreadableRow {
        UnreadableRow(
            itemClass: stored.itemClass,
            persistentReference: stored.persistentReference
        )
    }
}
