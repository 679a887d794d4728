internal import Foundation
internal import GRDB
internal import KSResolution
internal import KSSealing

/// How another device deleted an item, as far as this one knows.
package struct ItemDeletion: Equatable, Sendable {
    /// By the clock of that device, seconds since 2001-01-01 00:00 UTC; nil if it is unknown.
    package var seconds: Double?
    /// The name of that device; nil if it is unknown.
    package var device: String?
    /// Whether the item only has another key now.
    package var isMove: Bool

    package init(seconds: Double? = nil, device: String? = nil, isMove: Bool = false) {
        (self.seconds, self.device, self.isMove) = (seconds, device, isMove)
    }
}

/// An item that was deleted, and can be restored.
package struct DeletedItem: Equatable, Sendable {
    /// Who deleted an item.
    package enum Device: Equatable, Sendable {
        case thisOne
        case other(String)
        case unknown
    }

    /// 16 bytes that name this deletion on this device.
    package let id: [UInt8]
    /// The item without its secret and its hidden fields.
    package let item: Item
    /// When it was deleted, seconds since 2001-01-01 00:00 UTC.
    package let seconds: Double
    package let device: Device

    package init(id: [UInt8], item: Item, seconds: Double, device: Device) {
        (self.id, self.item, self.seconds, self.device) = (id, item, seconds, device)
    }
}

/// The deleted items that are kept.
package struct DeletedItems: Equatable, Sendable {
    /// The one that was deleted last comes first.
    package var items: [DeletedItem] = []
    /// Rows that cannot be opened.
    package var unreadableCount = 0
}

// Deleted items are kept for some time, so that a person can have one back. `SecItem` calls never
// see them.

extension ItemStore {
    /// How long a deleted item is kept, in seconds: 30 days, as people know it from their phones.
    package static let deletedSecondsMax = 30.0 * 24 * 60 * 60

    /// How many deleted items of one key are kept: a program may replace its item every minute.
    static let deletedOfKeyMax = 5

    /// How many are kept of all keys together.
    static let deletedMax = 2000
    /// How large all of them may be together, in bytes.
    static let deletedBytesMax = 64 << 20
    /// Both are looked at with every 64th, since a program may delete thousands.
    private static let deletionsBetweenLooks: Int64 = 64

    /// The extra of a kept item that names the device which deleted it.
    fileprivate static let deleter = ItemExtra.mark("deleted by").valueName

    /// The deleted items, without those that are kept for too long.
    ///
    /// One that an edit of another device has brought back is left out while it is there: it has
    /// another secret now, so the deleted one stays.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` while one is locked.
    package func deletedItems() throws(ItemStoreError) -> DeletedItems {
        try write { database in
            try forgetOldDeleted(in: database)
            var found = DeletedItems()
            for kept in try keptRows(in: database) {
                let stored = try storedDeleted(kept, withSecret: false, in: database)
                guard let stored else { continue }
                switch rows.opened(stored) {
                case .locked: throw ItemStoreError.interactionNotAllowed
                case .damaged: found.unreadableCount += 1
                case .item(let item):
                    guard try !isBack(item, kept, in: database) else { continue }
                    found.items.append(DeletedItem(item, stored, kept))
                }
            }
            return found
        }
    }

    /// Whether an item with the same key is there that was made at the same time, and not after
    /// the deletion.
    private func isBack(
        _ deleted: Item,
        _ kept: KeptRow,
        in database: Database
    ) throws -> Bool {
        let primaryKey = try rows.primaryKey(of: deleted)
        guard let date = deleted.attributes[.creationDate], case .date(let seconds) = date,
            seconds < kept.seconds,
            let stored = try storedRow(deleted.itemClass, primaryKey: primaryKey, in: database),
            !stored.isTombstone, let item = try reader.open(stored)
        else { return false }
        return item.attributes[.creationDate] == date
    }

    /// Makes a deleted item again, with all that it had.
    ///
    /// - Returns: the item, with its persistent reference.
    /// - Throws: ``KeychainError/duplicateItem`` if there is an item with its key,
    ///   ``KeychainError/itemNotFound`` if it is not kept any more.
    package func restoreDeleted(_ id: [UInt8]) throws(ItemStoreError) -> Item {
        try write { database in
            guard let kept = try keptRows("WHERE revision = ?", [Data(id)], in: database).first,
                let stored = try storedDeleted(kept, withSecret: true, in: database)
            else { throw ItemStoreError.itemNotFound }
            var item: Item
            switch rows.opened(stored) {
            case .locked: throw ItemStoreError.interactionNotAllowed
            case .damaged: throw ItemStoreError.decode
            case .item(let opened): item = opened
            }
            item.extras[Self.deleter] = nil
            item.attributes[.modificationDate] = .date(dateAfter(item))
            item.attributes[.digest] = .data(ItemDigest.of(item))
            let sealed = try rows.sealEarly(item)
            let reference = try makeWay(for: sealed, of: item, except: nil, in: database)
            item.persistentReference = reference
            let restored = try insert(item, sealed: sealed, in: database)
            try drop(kept, in: database)
            if restored.isSynced { try recorder?.record(.restored(restored), in: database) }
            return restored
        }
    }

    // MARK: Keeping

    /// Keeps a row that this device is about to delete, unopened.
    func keepDeleted(_ stored: StoredRow, in database: Database) throws {
        guard !stored.isTombstone else { return }
        try database.cachedStatement(sql: stored.itemClass.sql.keepDeleted)
            .execute(arguments: [now, now, stored.id])
        try boundDeleted(
            "(SELECT primaryKey FROM \(stored.itemClass.rawValue) WHERE id = ?)",
            stored.id,
            of: stored.itemClass,
            in: database
        )
    }

    /// Keeps an item that another device has deleted.
    func keepDeleted(_ item: Item, _ deletion: ItemDeletion, in database: Database) throws {
        var item = item
        item.extras[Self.deleter] = Array((deletion.device ?? "").utf8)
        let sealed = try rows.seal(item)
        let place = item.itemClass.sql.digested.firstIndex { $0.name == .accessGroup } ?? 0
        let clear = [
            item.itemClass.rawValue.databaseValue, Data(sealed.row).databaseValue,
            Data((item.persistentReference ?? []).dropFirst(4)).databaseValue,
        ]
        let columns = sealed.columns.map { $0?.databaseValue ?? .null }
        let group = columns[ItemSQL.sealedItemColumns.count + place]
        let names = ["origin", "row", "persistentReference"] + ItemSQL.sealedItemColumns
        try database.execute(
            sql: """
                INSERT INTO deleted_item
                    (\(names.joined(separator: ", ")), agrp, deletedSeconds, keptSeconds)
                VALUES (\(names.map { _ in "?" }.joined(separator: ", ")), ?, ?, ?)
                """,
            arguments: StatementArguments(
                clear + columns.prefix(ItemSQL.sealedItemColumns.count)
                    + [group, (deletion.seconds ?? now).databaseValue, now.databaseValue]
            )
        )
        let key = Data(sealed.primaryKey)
        try boundDeleted("?", key, of: item.itemClass, in: database)
    }

    /// Forgets what is older than 30 days, all but the newest of one key, and what is beyond the
    /// bounds of all keys together.
    private func boundDeleted(
        _ key: String,
        _ argument: any DatabaseValueConvertible,
        of itemClass: ItemClass,
        in database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM deleted_item WHERE id IN (
                    SELECT id FROM deleted_item
                    WHERE primaryKey = \(key) AND origin = '\(itemClass.rawValue)'
                    ORDER BY id DESC LIMIT -1 OFFSET \(Self.deletedOfKeyMax)
                )
                """
        ).execute(arguments: [argument])
        try forgetOldDeleted(in: database)
        if database.lastInsertedRowID.isMultiple(of: Self.deletionsBetweenLooks) {
            try boundAllDeleted(in: database)
        }
    }

    private func boundAllDeleted(in database: Database) throws {
        let newest = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, length(attributes) + length(secret) + coalesce(length(extras), 0)
                FROM deleted_item ORDER BY id DESC
                """
        )
        var (count, bytes) = (0, 0)
        var oldest: Int64?
        while let row = try newest.next(), oldest == nil {
            (count, bytes) = (count + 1, bytes + row[1])
            if count > Self.deletedMax || bytes > Self.deletedBytesMax { oldest = row[0] }
        }
        guard let oldest else { return }
        try database.execute(sql: "DELETE FROM deleted_item WHERE id <= ?", arguments: [oldest])
    }

    // MARK: Forgetting

    /// The year 2026, seconds since 2001: this program did not exist before.
    private static let earliestSeconds = 788_918_400.0

    /// Forgets what was deleted more than 30 days ago.
    ///
    /// - Returns: whether there were any.
    /// - Throws: ``ItemStoreError``.
    @discardableResult
    package func forgetOldDeleted() throws(ItemStoreError) -> Bool {
        try write { database in
            try forgetOldDeleted(in: database)
            return database.changesCount > 0
        }
    }

    private func forgetOldDeleted(in database: Database) throws {
        if now >= Self.earliestSeconds {
            // Kept while the clock was not set yet, as at the start of a machine without a battery.
            try database.cachedStatement(
                sql: "UPDATE deleted_item SET keptSeconds = ? WHERE keptSeconds < ?"
            ).execute(arguments: [now, Self.earliestSeconds])
        }
        try database.cachedStatement(sql: "DELETE FROM deleted_item WHERE keptSeconds < ?")
            .execute(arguments: [now - Self.deletedSecondsMax])
    }

    /// Forgets the deleted items of an account that this device leaves.
    func forgetDeletedOfAccount(in database: Database) throws {
        try database.execute(sql: "DELETE FROM deleted_item WHERE sync = 1")
    }

    /// How many deleted items of the key of this one are kept.
    ///
    /// `forgets`: whether they are forgotten now.
    package func deletedCount(like item: Item, forgets: Bool) throws(ItemStoreError) -> Int {
        let primaryKey = try rows.primaryKey(of: item)
        return try write { database in
            let kept = try keptRows(
                "WHERE primaryKey = ? AND origin = ?",
                [Data(primaryKey), item.itemClass.rawValue],
                in: database
            )
            for row in kept where forgets { try drop(row, in: database) }
            return kept.count
        }
    }

    private func drop(_ kept: KeptRow, in database: Database) throws {
        try database.execute(sql: "DELETE FROM deleted_item WHERE id = ?", arguments: [kept.id])
    }

    /// Forgets a deleted item that is there again with the same contents, as when another device
    /// has restored it.
    ///
    /// `isOfAccount`: whether the account has brought it back, with its history; then the same date
    /// of creation and the same secret are enough, as when a change outlived the deletion. No
    /// history may have a deleted secret.
    func forgetDeleted(
        like item: Item,
        primaryKey: [UInt8],
        isOfAccount: Bool = false,
        in database: Database
    ) throws {
        let same = try keptRows(
            "WHERE primaryKey = ? AND origin = ?",
            [Data(primaryKey), item.itemClass.rawValue],
            in: database
        )
        for kept in same {
            guard let stored = try storedDeleted(kept, withSecret: true, in: database),
                var before = rows.opened(stored).item
            else { continue }
            before.extras[Self.deleter] = nil
            let date = before.attributes[.creationDate]
            let isChanged =
                isOfAccount && before.secret == item.secret && date != nil
                && date == item.attributes[.creationDate]
            guard isChanged || before.contentsToTell == item.contentsToTell else { continue }
            try drop(kept, in: database)
        }
    }

    // MARK: Rows

    /// What is in the clear of a row of `deleted_item`.
    fileprivate struct KeptRow {
        let id: Int64
        let itemClass: ItemClass
        let seconds: Double
    }

    private func keptRows(
        _ condition: String = "",
        _ arguments: StatementArguments = [],
        in database: Database
    ) throws -> [KeptRow] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, origin, deletedSeconds FROM deleted_item \(condition)
                ORDER BY deletedSeconds DESC, id DESC
                """
        )
        return try Row.fetchAll(statement, arguments: arguments).compactMap { row in
            ItemClass(rawValue: row[1]).map { KeptRow(id: row[0], itemClass: $0, seconds: row[2]) }
        }
    }

    private func storedDeleted(
        _ kept: KeptRow,
        withSecret: Bool,
        in database: Database
    ) throws -> StoredRow? {
        let sealed = withSecret ? ItemSQL.sealedColumns : "attributes, NULL, NULL"
        return try StoredRow.all(
            "SELECT \(ItemSQL.rowColumns), \(sealed) FROM deleted_item WHERE id = ?",
            [.integer(kept.id)],
            of: kept.itemClass,
            in: database
        ).first
    }
}

extension DeletedItem {
    fileprivate init(_ item: Item, _ stored: StoredRow, _ kept: ItemStore.KeptRow) {
        var item = item
        let deleter = item.extras.removeValue(forKey: ItemStore.deleter)
        id = stored.revision
        self.item = item
        seconds = kept.seconds
        device =
            deleter.map {
                $0.isEmpty ? .unknown : .other(String(decoding: $0, as: UTF8.self))
            } ?? .thisOne
    }
}
