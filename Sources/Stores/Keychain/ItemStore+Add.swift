internal import KSSealing
package import GRDB

extension ItemStore {
    /// Adds an item; attributes that it lacks get the class's defaults.
    ///
    /// `transaction`: one that includes the add, and that continues if the add fails.
    ///
    /// - Returns: the stored item, with its persistent reference.
    /// - Throws: ``KeychainError/duplicateItem`` if another item has the same key.
    @discardableResult
    package func add(
        _ given: Item,
        access: CallerAccess,
        in transaction: Database? = nil
    ) throws(ItemStoreError) -> Item {
        try change(in: transaction) { database in
            var item = try completed(given, access: access)
            // Seals first: a locked class is reported before anything else that is wrong.
            let sealed = try rows.sealEarly(item)
            // An item that is re-added over its tombstone keeps its persistent reference.
            item.persistentReference = try makeWay(for: sealed, of: item, except: nil, in: database)
            let kept = try insert(item, sealed: sealed, in: database)
            try forgetDeleted(like: kept, primaryKey: sealed.primaryKey, in: database)
            try record(before: nil, after: kept, in: database)
            return kept
        }
    }

    /// The item with all values in their stored form, and with defaults for missing ones.
    private func completed(_ given: Item, access: CallerAccess) throws(ItemStoreError) -> Item {
        let defaultGroup = try access.defaultGroup()
        var item = Item(
            given.itemClass,
            attributes: [:],
            secret: given.secret,
            extras: given.extras
        )
        for (name, value) in given.attributes.sorted(by: { $0.key < $1.key }) {
            item.attributes[name] = try given.itemClass.attribute(name).kind.converted(value)
        }
        if let group = item.attributes[.accessGroup] { try access.check(group) }
        item.attributes[.accessGroup] = item.attributes[.accessGroup] ?? .string(defaultGroup)
        if item.attributes[.accessible] == nil, item.accessGroup == Self.pushGroup {
            let accessibility = ProtectionClass.alwaysThisDeviceOnly
            item.attributes[.accessible] = .string(accessibility.letters)
        }
        let now = now
        for description in given.itemClass.attributes {
            switch description.defaultValue {
            case .none, .absentAsEmpty, .callersGroup:
                break
            case .value(let value):
                item.attributes[description.name] = item.attributes[description.name] ?? value
            case .now:
                item.attributes[description.name] = .date(now)
            }
        }
        try item.checkMeaning()
        item.attributes[.digest] = .data(ItemDigest.of(item))
        return item
    }

    /// Items of this access group default to `AlwaysThisDeviceOnly`, as on Apple systems.
    private static let pushGroup = "com.apple.apsd"
}

extension Item {
    /// The most that the attributes and secret of an item may take together.
    static let bytesMax = 16 << 20

    /// The same for a synced item, since a record may hold several versions of it.
    static let syncedBytesMax = 64 << 10

    /// Refuses attributes that no item may have.
    ///
    /// - Throws: ``KeychainError/parameter``, or ``KeychainError/dataTooLarge``.
    func checkMeaning() throws(ItemStoreError) {
        guard !isTombstone else { throw .parameter }
        if isSynchronizable {
            // Only this device can enforce an access control.
            guard attributes[.accessControl] == nil else { throw .parameter }
            // Neither a sharing group nor a user of this machine means anything on another device.
            guard attributes[.sharingGroup]?.content.isEmpty != false,
                attributes[.multiUser]?.content.isEmpty != false
            else { throw .parameter }
        }
        let size = attributes.values.reduce(secret?.count ?? 0) { $0 + $1.content.count }
        guard size <= (isSynced ? Self.syncedBytesMax : Self.bytesMax) else { throw .dataTooLarge }
    }
}
