package import GRDB

extension Keychain {
    /// Finds items; see ``KeychainReader/find(_:where:)``.
    package func find(
        _ query: ItemQuery,
        where isWanted: (Item) throws -> Bool = { _ in true }
    ) throws(KeychainError) -> FoundItems {
        try reader.find(query, where: isWanted)
    }

    /// Finds items as a part of a transaction; the limit counts only those that are wanted.
    package func find(
        _ query: ItemQuery,
        in database: Database,
        where isWanted: (Item) throws -> Bool = { _ in true }
    ) throws(KeychainError) -> FoundItems {
        try reader.find(query, in: database, where: isWanted)
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

    /// Whether this key has the tombstone of a synced item.
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
}
