package import GRDB
internal import KSSealing

extension ItemStore {
    /// Finds items; see ``KeychainReader/find(_:in:where:)``.
    package func find(
        _ query: KeychainQuery,
        in transaction: Database? = nil,
        where isWanted: (Item) throws -> Bool = { _ in true }
    ) throws(ItemStoreError) -> FoundItems {
        try reader.find(query, in: transaction, where: isWanted)
    }

    /// The synced item of this key, with its secret, or nil.
    package func syncedItem(_ key: ItemKey, in database: Database) throws(ItemStoreError) -> Item? {
        try withKeychainErrors {
            guard let stored = try storedRow(of: key, in: database),
                !stored.isTombstone, !stored.accessibility.isThisDeviceOnly
            else { return nil }
            return try reader.open(stored)
        }
    }

    /// Whether this key has the tombstone of a synced item.
    package func hasTombstone(
        of key: ItemKey,
        in database: Database
    ) throws(ItemStoreError) -> Bool {
        try withKeychainErrors { try storedRow(of: key, in: database)?.isTombstone ?? false }
    }

    /// The row that holds the synchronizable item of this key, or its tombstone.
    func storedRow(of key: ItemKey, in database: Database) throws -> StoredRow? {
        let primaryKey = try rows.primaryKey(of: key, isSynchronizable: true, user: [])
        return try storedRow(key.itemClass, primaryKey: primaryKey, in: database)
    }

    /// Every synced item, with its secret, in the order in which they were added here.
    package func syncedItems(in database: Database) throws(ItemStoreError) -> [Item] {
        var items: [Item] = []
        for itemClass in ItemClass.allCases {
            let query = KeychainQuery(
                itemClass,
                synchronizable: .yes,
                access: .all(defaultGroup: ""),
                wantsSecret: true,
                wantsExtras: true
            )
            items += try find(query, in: database).items.filter(\.isSynced)
        }
        return items
    }
}
