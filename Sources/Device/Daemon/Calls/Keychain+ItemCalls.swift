internal import GRDB
internal import KSKeychainFiles
package import KSKeychain

/// The item calls of the `keychain` command, for the keychain of the home or of a file.
extension ItemStore {
    /// Adds an item, or changes the one that an update finds.
    ///
    /// - Returns: the twins of that item, which the same options may find.
    @discardableResult
    package func add(
        _ request: ItemAddRequest,
        access: CallerAccess
    ) throws(ItemStoreError) -> [Item] {
        try write { database in
            let item = try addOrUpdate(request, access: access, in: database)
            return twins(of: item, access: access, in: database)
        }
    }

    private func addOrUpdate(
        _ request: ItemAddRequest,
        access: CallerAccess,
        in database: Database
    ) throws(ItemStoreError) -> Item {
        guard request.isUpdate, let found = try itemToUpdate(request, access: access, in: database)
        else { return try add(request.item, access: access, in: database) }
        let changes = ItemChanges(attributes: request.changes, secret: request.item.secret)
        do throws(ItemStoreError) {
            try update(KeychainQuery(exactly: found, access: access), changes, in: database)
            return found
        } catch .itemNotFound {
            // Its secret cannot be read any more: the row is quarantined, and the item is added
            // again with everything that can be read.
            var item = request.item
            item.attributes = found.attributes.merging(request.changes) { $1 }
            return try add(item, access: access, in: database)
        }
    }

    /// The item that an update changes.
    ///
    /// With `--sync` it is the synchronizable item. Without such an item the unsynced one becomes
    /// synchronizable; if there are both, the unsynced one is joined into the other.
    private func itemToUpdate(
        _ request: ItemAddRequest,
        access: CallerAccess,
        in database: Database
    ) throws(ItemStoreError) -> Item? {
        var query = request.query(access: access)
        // Without its secret, which may be damaged: its attributes can be kept.
        let found = try reader.newest(query, in: database).items.first
        guard request.item.isSynchronizable else { return found }
        query.wantsSecret = true
        query.wantsExtras = true
        guard let local = try unsynced(matching: query, in: database) else { return found }
        guard let found = try reader.newest(query, in: database).items.first else {
            return try makeSynced(local, access: access, in: database)
        }
        if local.isContained(in: found) {
            let isSecretNext = request.item.secret != nil
            try join(local, into: found, isSecretNext: isSecretNext, access: access, in: database)
        }
        return found
    }

    /// Deletes the first item that matches, or its newest twin; a damaged one only if no other
    /// matches.
    ///
    /// - Returns: the item, and its twins that are left.
    package func deleteFirst(
        _ query: KeychainQuery
    ) throws(ItemStoreError) -> (item: Item, twins: [Item]) {
        var query = query
        query.limit = 1
        return try write { database in
            let found = try reader.newest(query, in: database)
            guard let item = found.items.first else {
                guard let damaged = found.unreadable.first else {
                    throw ItemStoreError.itemNotFound
                }
                query.persistentReference = damaged.persistentReference
                try delete(query, in: database)
                // The row cannot be read, so the result has only the attributes of the query.
                return (Item(query.itemClass, attributes: query.attributes), [])
            }
            try delete(KeychainQuery(exactly: item, access: query.access), in: database)
            return (item, twins(of: item, access: query.access, in: database))
        }
    }
}

extension KeychainReader {
    /// The matches after the first `skip`, perhaps none; throws only if nothing matches at all.
    ///
    /// A search for one password prefers the newest twin of the first match.
    package func items(_ query: KeychainQuery, skip: Int) throws(ItemStoreError) -> [Item] {
        var query = query
        if let limit = query.limit {
            let (end, isBeyond) = limit.addingReportingOverflow(skip)
            query.limit = isBeyond ? .max : end
        }
        try checkFile()
        let found = query.limit == 1 ? try newest(query) : try find(query)
        guard !found.items.isEmpty else { throw found.unreadable.isEmpty ? .itemNotFound : .decode }
        return found.items.dropFirst(skip).map { shown($0, access: query.access) }
    }
}
