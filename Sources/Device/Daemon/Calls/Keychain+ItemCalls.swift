internal import KSKeychainFiles
package import KSKeychain

/// The item calls of the `keychain` command, for the keychain of the home or of a file.
extension Keychain {
    package func add(_ request: ItemAddRequest, access: CallerAccess) throws(KeychainError) {
        try write { database in
            guard request.isUpdate,
                let found = try find(request.query(access: access), in: database).items.first
            else {
                try add(request.item, access: access, in: database)
                return
            }
            let changes = ItemChanges(attributes: request.changes, secret: request.item.secret)
            do throws(KeychainError) {
                try update(ItemQuery(exactly: found, access: access), changes, in: database)
            } catch .itemNotFound {
                // Its secret cannot be read any more: the row is quarantined, and the item is added
                // again with everything that can be read.
                var item = request.item
                item.attributes = found.attributes.merging(request.changes) { $1 }
                try add(item, access: access, in: database)
            }
        }
    }

    /// Deletes the first item that matches; a damaged one only if no other matches.
    package func deleteFirst(_ query: ItemQuery) throws(KeychainError) -> Item {
        var query = query
        query.limit = 1
        return try write { database in
            let found = try find(query, in: database)
            guard let item = found.items.first else {
                guard let damaged = found.unreadable.first else { throw KeychainError.itemNotFound }
                query.persistentReference = damaged.persistentReference
                try delete(query, in: database)
                // The row cannot be read, so the result has only the attributes of the query.
                return Item(query.itemClass, attributes: query.attributes)
            }
            try delete(ItemQuery(exactly: item, access: query.access), in: database)
            return item
        }
    }
}

extension KeychainReader {
    /// The matches after the first `skip`, perhaps none; throws only if nothing matches at all.
    package func items(_ query: ItemQuery, skip: Int) throws(KeychainError) -> [Item] {
        var query = query
        if let limit = query.limit { query.limit = limit + skip }
        try checkFile()
        let found = try find(query)
        guard !found.items.isEmpty else { throw found.unreadable.isEmpty ? .itemNotFound : .decode }
        return found.items.dropFirst(skip).map { shown($0, access: query.access) }
    }
}
