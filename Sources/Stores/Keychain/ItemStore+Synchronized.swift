internal import KSSealing
package import GRDB

/// The state of an item according to sync.
package enum SynchronizedChange: Equatable, Sendable {
    /// The item exists with these contents; attributes that its class lacks are left out.
    case present(Item)
    /// The item was deleted.
    ///
    /// It is kept among the deleted ones, unless nothing is said of the deletion.
    case absent(ItemKey, ItemDeletion? = ItemDeletion())
}

/// The result of a ``SynchronizedChange``.
package enum AppliedChange: Equatable, Sendable {
    case added(Item)
    case changed(before: Item, after: Item)
    /// The item was removed; nil if it was damaged or locked.
    case removed(Item?)
    /// The keychain already was in this state.
    case unchanged
    /// The keychain cannot hold it: a value of the wrong type, or an item that is bound to this
    /// device has its key.
    case refused(ItemStoreError)
}

extension ItemStore {
    /// Applies changes that sync received; the recorder does not record them.
    ///
    /// An item keeps its row and its persistent reference when its contents change.
    ///
    /// - Returns: the result of each change.
    package func applySynchronized(
        _ changes: [SynchronizedChange],
        in database: Database
    ) throws(ItemStoreError) -> [AppliedChange] {
        try withKeychainErrors {
            try changes.map { change in
                switch change {
                case .present(let item): try present(item, in: database)
                case .absent(let key, let deletion): try absent(key, deletion, in: database)
                }
            }
        }
    }

    func present(_ given: Item, in database: Database) throws -> AppliedChange {
        var after: Item
        do throws(ItemStoreError) {
            after = try received(given)
        } catch {
            return .refused(error)
        }
        let primaryKey = try rows.primaryKey(of: after)
        let stored = try storedRow(after.itemClass, primaryKey: primaryKey, in: database)
        guard let stored else {
            try forgetReturned(after, primaryKey, in: database)
            return .added(try insert(after, sealed: rows.seal(after), in: database))
        }
        // A tombstone does not block an item.
        guard stored.isTombstone || !stored.accessibility.isThisDeviceOnly else {
            return .refused(.duplicateItem)
        }
        after.persistentReference = stored.persistentReference
        let before = try reader.open(stored)
        guard before != after else { return .unchanged }
        if before == nil { try copyToQuarantine(stored, in: database) }
        let sealed = try rows.seal(after, row: stored.row)
        try overwrite(stored, with: sealed, in: database)
        guard let before, !stored.isTombstone else {
            try forgetReturned(after, primaryKey, in: database)
            return .added(after)
        }
        return .changed(before: before, after: after)
    }

    private func forgetReturned(
        _ item: Item,
        _ primaryKey: [UInt8],
        in database: Database
    ) throws {
        try forgetDeleted(like: item, primaryKey: primaryKey, isOfAccount: true, in: database)
    }

    private func absent(
        _ key: ItemKey,
        _ deletion: ItemDeletion?,
        in database: Database
    ) throws -> AppliedChange {
        guard let stored = try storedRow(of: key, in: database),
            !stored.isTombstone, !stored.accessibility.isThisDeviceOnly
        else { return .unchanged }
        // Removing needs no key, so a locked row goes too.
        let opened = reader.opened(stored)
        if case .damaged = opened { try copyToQuarantine(stored, in: database) }
        if let before = opened.item {
            if let deletion, !deletion.isMove {
                try keepDeleted(before, deletion, in: database)
            }
            // A date that is the same on every device, and later than the item's own.
            let seconds = before.modificationSeconds.map { $0 + 0.001 }
            try bury(before, at: stored, modified: seconds, in: database)
        } else {
            try remove(stored, in: database)
        }
        return .removed(opened.item)
    }

    /// An item of another device, in its stored form.
    private func received(_ given: Item) throws(ItemStoreError) -> Item {
        var item = Item(
            given.itemClass,
            attributes: [:],
            secret: given.secret,
            extras: given.extras
        )
        for description in given.itemClass.attributes {
            let name = description.name
            if description.isSynced, let value = given.attributes[name] {
                item.attributes[name] = try description.kind.converted(value)
                continue
            }
            switch description.defaultValue {
            case .value(let value): item.attributes[name] = value
            // A date that is the same on every device, unlike the time of arrival.
            case .now: item.attributes[name] = .date(0)
            case .none, .absentAsEmpty: break
            case .callersGroup: throw .parameter
            }
        }
        item.attributes[.synchronizable] = .integer(1)
        item.attributes[.accessible] = .string(item.accessibility.portable.letters)
        item.attributes[.digest] = .data(ItemDigest.of(item))
        return item
    }
}
