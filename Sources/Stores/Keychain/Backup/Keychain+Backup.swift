internal import KSSealing
internal import Foundation
package import GRDB

extension Keychain {
    /// Everything that may leave this device, tombstones too.
    ///
    /// `past`: looks up an item's other secrets.
    /// - Throws: ``KeychainError/interactionNotAllowed`` if any of it is locked. A damaged row is
    ///   left out and noted.
    package func backup(
        past: (Item, Database) throws -> ItemPast?
    ) throws(KeychainError) -> [BackupItem] {
        try withKeychainErrors {
            try database.unsafeRead { database in
                var items: [BackupItem] = []
                for itemClass in ItemClass.allCases {
                    let sql = itemClass.sql.selectAll
                    for stored in try StoredRow.all(sql, of: itemClass, in: database) {
                        guard !stored.accessibility.isThisDeviceOnly,
                            let item = try reader.open(stored), !item.isBoundToSystem
                        else { continue }
                        let past = try item.isSynced ? past(item, database) : nil
                        items.append(
                            BackupItem(
                                item: item,
                                changedSeconds: item.changedSeconds(past),
                                history: past?.secrets ?? []
                            )
                        )
                    }
                }
                return items
            }
        }
    }

    /// Merges a backup's items into the keychain, all of them or none.
    ///
    /// The newer version of an item stays, or at equal times the one with the smaller digest. The
    /// losing secret goes to the history, if the item is synced.
    package func restore(
        _ items: [BackupItem],
        past: (Item, Database) throws -> ItemPast?,
        in database: Database
    ) throws -> RestoreCounts {
        var counts = RestoreCounts()
        for backup in items { try restore(backup, past: past, &counts, in: database) }
        return counts
    }

    private func restore(
        _ backup: BackupItem,
        past: (Item, Database) throws -> ItemPast?,
        _ counts: inout RestoreCounts,
        in database: Database
    ) throws {
        let item = backup.item
        let primaryKey = try rows.primaryKey(of: item)
        let stored = try storedRow(item.itemClass, primaryKey: primaryKey, in: database)
        if stored?.isTombstone ?? true, try isDeletedSince(backup, in: database) {
            counts.kept += 1
            return
        }
        guard let stored else {
            try add(backup, in: database)
            counts.added += 1
            return
        }
        guard let local = try reader.open(stored) else {
            try copyToQuarantine(stored, in: database)
            try remove(stored, in: database)
            try add(backup, in: database)
            counts.added += 1
            return
        }
        guard local.contentsToRestore != item.contentsToRestore else {
            counts.unchanged += 1
            return
        }
        let localPast = try local.isSynced ? past(local, database) : nil
        guard isNewer(backup, than: local, localPast) else {
            let known = (localPast?.secrets ?? []) + [local.secret].compactMap { $0 }
            try keepHistory(backup, beside: local, known: known, in: database)
            counts.kept += 1
            return
        }
        try replace(stored, local, with: backup, in: database)
        counts.replaced += 1
    }

    /// Whether the account deleted the item after the backup's version: a device that never had the
    /// item has no tombstone of it.
    private func isDeletedSince(_ backup: BackupItem, in database: Database) throws -> Bool {
        guard backup.item.isSynced, !backup.item.isTombstone,
            case .deleted(let milliseconds) = try recorder?.recorded(
                at: backup.item.key,
                in: database
            )
        else { return false }
        return Double(milliseconds) / 1000 - Self.secondsFrom1970To2001 >= backup.changedSeconds
    }

    private func isNewer(_ backup: BackupItem, than local: Item, _ past: ItemPast?) -> Bool {
        let localSeconds = local.changedSeconds(past)
        guard backup.changedSeconds == localSeconds else {
            return backup.changedSeconds > localSeconds
        }
        return ItemDigest.of(backup.item).lexicographicallyPrecedes(ItemDigest.of(local))
    }

    /// Adds an item that is not here, with its history if it has one.
    private func add(_ backup: BackupItem, in database: Database) throws {
        var item = backup.item
        if try isTaken(item.persistentReference, in: database) { item.persistentReference = nil }
        let kept = try insert(item, sealed: rows.seal(item), in: database)
        guard !kept.isTombstone else { return }
        try record(backup.history, of: kept, after: nil, in: database)
    }

    private func replace(
        _ stored: StoredRow,
        _ local: Item,
        with backup: BackupItem,
        in database: Database
    ) throws {
        var item = backup.item
        item.persistentReference = local.persistentReference
        if let reference = backup.item.persistentReference, reference != local.persistentReference,
            try !isTaken(reference, in: database)
        {
            let table = item.itemClass.rawValue
            try database.execute(
                sql: "UPDATE \(table) SET persistentReference = ? WHERE id = ?",
                arguments: [Data(reference.dropFirst(4)), stored.id]
            )
            item.persistentReference = reference
        }
        try overwrite(stored, with: try rows.seal(item, row: stored.row), in: database)
        if item.isTombstone {
            guard !local.isTombstone else { return }
            try record(before: local, after: nil, in: database)
        } else if local.isTombstone {
            try record(backup.history, of: item, after: nil, in: database)
        } else {
            try record(backup.history, of: local, after: local, in: database)
            try record(before: local, after: item, in: database)
        }
    }

    /// Adds the secrets of a version that is not the newest to the history of the newest.
    private func keepHistory(
        _ backup: BackupItem,
        beside local: Item,
        known: [[UInt8]],
        in database: Database
    ) throws {
        guard !local.isTombstone, !backup.item.isTombstone else { return }
        let further = (backup.history + [backup.item.secret].compactMap { $0 })
            .filter { !known.contains($0) }
        try record(further, of: local, after: local, in: database)
    }

    /// Tells the recorder that an item had these secrets in turn, and then its own.
    ///
    /// `before`: the item as it is recorded; nil for a new one.
    private func record(
        _ secrets: [[UInt8]],
        of item: Item,
        after before: Item?,
        in database: Database
    ) throws {
        var before = before
        for secret in secrets + [item.secret] {
            var after = item
            after.secret = secret
            try record(before: before, after: after, in: database)
            before = after
        }
    }

    private func isTaken(_ reference: [UInt8]?, in database: Database) throws -> Bool {
        // Bytes that are not a reference belong to no row.
        guard let reference, let itemClass = try? ItemQuery.itemClass(ofReference: reference)
        else { return false }
        let row = UnreadableRow(itemClass: itemClass, persistentReference: reference)
        return try storedRow(row, in: database) != nil
    }
}

extension Item {
    /// Whether the item belongs to the system or to a sharing group, and is left out of backups.
    ///
    /// Apple's rule: `kSecAttrSysBound`, the access group or the sharing group says so.
    fileprivate var isBoundToSystem: Bool {
        if let mark = attributes[.systemBound], mark != .integer(0) { return true }
        if let group = attributes[.sharingGroup], group != .string("") { return true }
        return Self.systemGroups.contains(accessGroup)
    }

    private static let systemGroups: Set = ["com.apple.security.sos", "lockdown-identities"]

    /// The latest date of the item and its past: another device's item has no date of its own here.
    fileprivate func changedSeconds(_ past: ItemPast?) -> Double {
        let dates = [attributes[.modificationDate], attributes[.creationDate]]
        let seconds = dates.compactMap { value -> Double? in
            if case .date(let seconds) = value { seconds } else { nil }
        }
        return max(seconds.max() ?? 0, past?.changedSeconds ?? 0)
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
