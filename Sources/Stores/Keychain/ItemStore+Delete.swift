internal import KSSealing
internal import KSDigests
package import GRDB

extension ItemStore {
    /// Deletes the items that match, up to the query's limit.
    ///
    /// `leavesTombstones`: nil = those that were synchronizable leave one.
    /// `transaction`: one that includes the deletion, and that continues if the deletion fails.
    ///
    /// - Returns: the number of items.
    /// - Throws: ``KeychainError/itemNotFound`` when none matches.
    @discardableResult
    package func delete(
        _ query: KeychainQuery,
        leavesTombstones: Bool? = nil,
        in transaction: Database? = nil
    ) throws(ItemStoreError) -> Int {
        try change(in: transaction) { database in
            var query = query
            query.wantsAttributes = true
            query.wantsSecret = true
            query.wantsExtras = true
            let matches = try RowSearch(query, rows: rows).all(in: database)
                .prefix(query.limit ?? .max)
            for stored in matches { try delete(stored, query, leavesTombstones, in: database) }
            guard !matches.isEmpty else { throw ItemStoreError.itemNotFound }
            return matches.count
        }
    }

    private func delete(
        _ stored: StoredRow,
        _ query: KeychainQuery,
        _ leavesTombstone: Bool?,
        in database: Database
    ) throws {
        let isSynchronizable = stored.isSynchronizable && !stored.isTombstone
        let leavesTombstone = leavesTombstone ?? isSynchronizable
        let isSynced = isSynchronizable && !stored.accessibility.isThisDeviceOnly
        // An item that is bound to this device may hide the account's item, which then shows again.
        let isBound = isSynchronizable && !isSynced
        guard isSynchronizable || leavesTombstone else {
            // These rows are not opened, so they go even while they are locked or damaged.
            try keepDeleted(stored, in: database)
            return try remove(stored, in: database)
        }
        // The recorder has to learn the item's key, so the row must be opened.
        let mustBeOpen = isSynced || (isBound && recorder != nil)
        let opened = reader.opened(stored)
        if case .locked = opened, mustBeOpen { throw ItemStoreError.interactionNotAllowed }
        var before = opened.item
        if case .damaged = opened {} else { try keepDeleted(stored, in: database) }
        if before == nil, isSynced { before = try remains(of: stored, query, in: database) }
        guard let before else {
            // Without the item's key no other device learns of the deletion, so the quarantine
            // keeps the row.
            if isSynced { try copyToQuarantine(stored, in: database) }
            return try remove(stored, in: database)
        }
        if leavesTombstone {
            try bury(before, at: stored, in: database)
        } else {
            try remove(stored, in: database)
        }
        if isSynchronizable { try record(before: before, after: nil, in: database) }
    }

    /// The remains of a damaged item: its key, which names the deleted item to other devices.
    ///
    /// The half with the attributes may still open; otherwise the query may name the whole key.
    private func remains(
        of stored: StoredRow,
        _ query: KeychainQuery,
        in database: Database
    ) throws -> Item? {
        if let item = try openAttributes(of: stored, in: database) { return item }
        var item = Item(stored.itemClass, attributes: [:])
        for (name, value) in query.attributes {
            let description = try stored.itemClass.attribute(name)
            guard description.isInPrimaryKey else { continue }
            item.attributes[name] = try description.kind.converted(value)
        }
        item.attributes[.synchronizable] = .boolean(true)
        item.attributes[.accessible] = .string(stored.accessibility.letters)
        for group in query.groups {
            item.attributes[.accessGroup] = .string(group)
            let primaryKey = try rows.primaryKey(of: item)
            let named = try storedRow(stored.itemClass, primaryKey: primaryKey, in: database)
            guard named?.id == stored.id else { continue }
            item.persistentReference = stored.persistentReference
            return item
        }
        return nil
    }

    // MARK: Tombstones

    /// Turns a row into the tombstone of its item, dated as given or now.
    func bury(
        _ item: Item,
        at stored: StoredRow,
        modified seconds: Double? = nil,
        in database: Database
    ) throws {
        var tombstone = tombstone(of: item)
        if let seconds {
            tombstone.attributes[.modificationDate] = .date(seconds)
            tombstone.attributes[.digest] = .data(ItemDigest.of(tombstone))
        }
        try overwrite(stored, with: rows.seal(tombstone, row: stored.row), in: database)
    }

    /// Removes the tombstones of items that synced, without opening them; those of items that are
    /// bound to this device stay.
    package func removeTombstones(in database: Database) throws(ItemStoreError) {
        try withKeychainErrors {
            try removeTombstones(where: "1", in: database)
            try forgetDeletedOfAccount(in: database)
        }
    }

    /// Removes the tombstones of items that synced and were not deleted lately.
    package func removeOldTombstones(in database: Database) throws(ItemStoreError) {
        try withKeychainErrors {
            try removeTombstones(
                where: "primaryKey NOT IN (SELECT primaryKey FROM deleted_item)",
                in: database
            )
        }
    }

    private func removeTombstones(where condition: String, in database: Database) throws {
        for itemClass in ItemClass.allCases {
            let tombstones = try StoredRow.all(
                """
                SELECT \(ItemSQL.rowColumns), NULL, NULL, NULL FROM \(itemClass.rawValue)
                WHERE tomb = 1 AND sync = 1 AND \(condition)
                """,
                of: itemClass,
                in: database
            )
            for stored in tombstones where !stored.accessibility.isThisDeviceOnly {
                try remove(stored, in: database)
            }
        }
    }

    /// Leaves a tombstone at the old key of an item that has moved to another one.
    func leaveTombstone(
        of before: Item,
        movedTo after: Item,
        _ leavesTombstone: Bool?,
        in database: Database
    ) throws {
        let isLeft = leavesTombstone ?? before.isSynchronizable
        let isMoved = before.key != after.key || before.isSynchronizable != after.isSynchronizable
        guard isLeft, isMoved else { return }
        var tombstone = tombstone(of: before)
        // The moved item keeps the reference.
        tombstone.persistentReference = nil
        _ = try insert(tombstone, sealed: rows.seal(tombstone), in: database)
    }

    /// The tombstone of an item: its key, its protection class and two dates.
    private func tombstone(of item: Item) -> Item {
        var tombstone = Item(
            item.itemClass,
            attributes: item.attributes.filter { name, _ in
                name == .creationDate || name == .accessible
                    || item.itemClass[name]?.isInPrimaryKey == true
            },
            persistentReference: item.persistentReference
        )
        tombstone.attributes[.tombstone] = .integer(1)
        tombstone.attributes[.modificationDate] = .date(dateAfter(item))
        tombstone.attributes[.digest] = .data(ItemDigest.of(tombstone))
        return tombstone
    }
}

extension KeychainQuery {
    /// The access groups of its items, as far as their names are known.
    fileprivate var groups: [String] {
        if case .string(let group) = attributes[.accessGroup] { return [group] }
        switch access {
        case .all(let defaultGroup): return [defaultGroup]
        case .groups(let groups): return groups
        }
    }
}
