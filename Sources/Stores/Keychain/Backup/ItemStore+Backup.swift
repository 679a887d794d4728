internal import KSSealing
internal import Foundation
package import GRDB

extension ItemStore {
    /// The items of this device alone that may leave it.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` if any of it is locked. A damaged row is
    ///   left out and noted.
    package func backup(in database: Database) throws(ItemStoreError) -> [BackupItem] {
        try withKeychainErrors {
            var items: [BackupItem] = []
            for itemClass in ItemClass.allCases {
                let sql = itemClass.sql.selectAll
                for stored in try StoredRow.all(sql, of: itemClass, in: database) {
                    guard !stored.isTombstone, !stored.accessibility.isThisDeviceOnly,
                        let item = try reader.open(stored), !item.isSynced, !item.isBoundToSystem
                    else { continue }
                    items.append(BackupItem(item))
                }
            }
            return items
        }
    }

    /// Merges an item of a backup into those of this device alone.
    ///
    /// Apple's rule: the newer version stays; at equal times, the one with the smaller digest.
    package func restore(
        _ backup: BackupItem,
        in database: Database
    ) throws(ItemStoreError) -> RestoredItem {
        try withKeychainErrors {
            let item = backup.item
            let primaryKey = try rows.primaryKey(of: item)
            let stored = try storedRow(item.itemClass, primaryKey: primaryKey, in: database)
            guard let stored else {
                try add(item, in: database)
                return .added
            }
            guard let local = try reader.open(stored) else {
                try copyToQuarantine(stored, in: database)
                try remove(stored, in: database)
                try add(item, in: database)
                return .added
            }
            if local.contentsToRestore == item.contentsToRestore { return .unchanged }
            guard isNewer(item, than: local) else { return .newerHere }
            try replace(stored, local, with: item, in: database)
            return .replaced
        }
    }

    /// Gives a synced item the reference by which programs knew it, unless another item has it.
    package func take(
        reference: [UInt8],
        of key: ItemKey,
        in database: Database
    ) throws(ItemStoreError) {
        try withKeychainErrors {
            guard reference.count == 20, let stored = try storedRow(of: key, in: database),
                try !isTaken(reference, in: database)
            else { return }
            try set(reference, of: stored, in: database)
        }
    }

    private func isNewer(_ item: Item, than local: Item) -> Bool {
        guard item.changedSeconds == local.changedSeconds else {
            return item.changedSeconds > local.changedSeconds
        }
        return ItemDigest.of(item).lexicographicallyPrecedes(ItemDigest.of(local))
    }

    private func add(_ item: Item, in database: Database) throws {
        var item = item
        if try isTaken(item.persistentReference, in: database) { item.persistentReference = nil }
        _ = try insert(item, sealed: rows.seal(item), in: database)
    }

    private func replace(
        _ stored: StoredRow,
        _ local: Item,
        with backup: Item,
        in database: Database
    ) throws {
        var item = backup
        item.persistentReference = local.persistentReference
        if let reference = backup.persistentReference, reference != local.persistentReference,
            try !isTaken(reference, in: database)
        {
            try set(reference, of: stored, in: database)
            item.persistentReference = reference
        }
        try overwrite(stored, with: try rows.seal(item, row: stored.row), in: database)
    }

    private func set(
        _ reference: [UInt8],
        of stored: StoredRow,
        in database: Database
    ) throws {
        try database.execute(
            sql: "UPDATE \(stored.itemClass.rawValue) SET persistentReference = ? WHERE id = ?",
            arguments: [Data(reference.dropFirst(4)), stored.id]
        )
    }

    private func isTaken(_ reference: [UInt8]?, in database: Database) throws -> Bool {
        // Bytes that are not a reference belong to no row.
        guard let reference, let itemClass = try? KeychainQuery.itemClass(ofReference: reference)
        else { return false }
        let row = UnreadableRow(itemClass: itemClass, persistentReference: reference)
        return try storedRow(row, in: database) != nil
    }
}

extension Item {
    /// Whether the item belongs to the system or to a sharing group, and is left out of backups.
    ///
    /// Apple's rule: `kSecAttrSysBound`, the access group or the sharing group says so.
    package var isBoundToSystem: Bool {
        if let mark = attributes[.systemBound], mark != .integer(0) { return true }
        if let group = attributes[.sharingGroup], group != .string("") { return true }
        return Self.systemGroups.contains(accessGroup)
    }

    private static let systemGroups: Set = ["com.apple.security.sos", "lockdown-identities"]

    /// The later one of its dates.
    fileprivate var changedSeconds: Double {
        let dates = [attributes[.modificationDate], attributes[.creationDate]]
        let seconds = dates.compactMap { value -> Double? in
            if case .date(let seconds) = value { seconds } else { nil }
        }
        return seconds.max() ?? 0
    }

    /// The contents by which two versions are compared, without their dates.
    fileprivate var contentsToRestore: Item {
        var item = self
        item.persistentReference = nil
        for name in [AttributeName.creationDate, .modificationDate, .digest] {
            item.attributes[name] = nil
        }
        return item
    }
}
