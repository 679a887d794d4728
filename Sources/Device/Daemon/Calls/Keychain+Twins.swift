internal import GRDB
internal import KSKeychain
internal import KSSealing

// Passwords that the same options find: one was added with --sync and one without, or one has a
// protocol that the other lacks. docs/KeychainCommand.md states the rules.

extension ItemClass {
    /// The attributes that name a password's account and place, and its access group.
    fileprivate var namesOfPassword: [AttributeName]? {
        switch self {
        case .genericPassword: [.service, .account, .accessGroup]
        case .internetPassword: [.server, .account, .accessGroup]
        case .certificate, .key: nil
        }
    }
}

extension KeychainReader {
    /// The first match, or a newer match with the same account, service or server, and group.
    ///
    /// Unlike `SecItemCopyMatching`, which takes the first match.
    func newest(
        _ query: KeychainQuery,
        in transaction: Database? = nil
    ) throws(ItemStoreError) -> FoundItems {
        var query = query
        query.limit = 1
        var found = try find(query, in: transaction)
        guard let first = found.items.first, let names = query.itemClass.namesOfPassword else {
            return found
        }
        query.limit = nil
        for name in names { query.attributes[name] = first.attributes[name] ?? .string("") }
        do throws(ItemStoreError) {
            for item in try find(query, in: transaction).items {
                guard let newest = found.items.first, item.isNewer(than: newest) else { continue }
                found.items = [item]
            }
        } catch .interactionNotAllowed {
            // A twin of a locked class; the first match can be read.
        }
        return found
    }
}

extension ItemStore {
    /// The other items that options for this item may find; see ``Item/isTwin(of:)``.
    func twins(of item: Item, access: CallerAccess, in database: Database) -> [Item] {
        guard let names = item.itemClass.namesOfPassword else { return [] }
        var query = KeychainQuery(item.itemClass, synchronizable: .any, access: access)
        for name in names { query.attributes[name] = item.attributes[name] ?? .string("") }
        // Twins are only reported: a locked one must not undo what was asked for.
        let found = try? find(query, in: database).items
        return (found ?? []).filter {
            $0.persistentReference != item.persistentReference && $0.isTwin(of: item)
        }
    }

    /// The newest unsynced item that an update with `--sync` may make a synchronizable one.
    ///
    /// An item of another access group belongs to another program, which would not find it any
    /// more.
    func unsynced(
        matching query: KeychainQuery,
        in database: Database
    ) throws(ItemStoreError) -> Item? {
        var query = query
        query.synchronizable = .no
        query.limit = nil
        let group = try query.access.defaultGroup()
        let candidates = try find(query, in: database).items.filter {
            $0.accessGroup == group && $0.mayBecomeSynced
        }
        return candidates.reduce(nil) { newest, item in
            newest.map { item.isNewer(than: $0) ? item : $0 } ?? item
        }
    }

    /// Makes an unsynced item a synchronized one, and returns it.
    func makeSynced(
        _ item: Item,
        access: CallerAccess,
        in database: Database
    ) throws(ItemStoreError) -> Item {
        let change = ItemChanges(attributes: [.synchronizable: .boolean(true)])
        try update(KeychainQuery(exactly: item, access: access), change, in: database)
        var synced = item
        synced.attributes[.synchronizable] = .boolean(true)
        return synced
    }

    /// Joins an unsynced item into its synchronized twin.
    ///
    /// Its secret goes into the history, and so does the twin's. The newer one of both becomes the
    /// current one, unless `isSecretNext`: the update gives another secret.
    func join(
        _ item: Item,
        into synced: Item,
        isSecretNext: Bool,
        access: CallerAccess,
        in database: Database
    ) throws(ItemStoreError) {
        let target = KeychainQuery(exactly: synced, access: access)
        let attributes = synced.attributesJoined(with: item)
        let joined = ItemChanges(
            attributes: attributes,
            secret: item.secret,
            extras: item.extras.mapValues { $0 }
        )
        try update(target, joined, in: database)
        if !item.isNewer(than: synced) {
            var newer = ItemChanges(extras: synced.extras.mapValues { $0 })
            if !isSecretNext { newer.secret = synced.secret }
            try update(target, newer, in: database)
        }
        try delete(KeychainQuery(exactly: item, access: access), in: database)
    }
}

extension Item {
    func isNewer(than other: Item) -> Bool {
        guard let seconds = modificationSeconds else { return false }
        return seconds > other.modificationSeconds ?? -.infinity
    }

    /// Whether two items of one account, place and group differ only in whether they are
    /// synchronizable, and in attributes of the key that one of them lacks.
    func isTwin(of other: Item) -> Bool { namesAgree(with: other) { lacks($0) || other.lacks($0) } }

    /// Whether it may be joined into a synchronizable item without losing a part of its key.
    func isContained(in synced: Item) -> Bool {
        accessGroup == synced.accessGroup && namesAgree(with: synced) { lacks($0) }
    }

    /// Whether all parts of the key agree but those that are allowed to differ.
    private func namesAgree(with other: Item, unless mayDiffer: (AttributeName) -> Bool) -> Bool {
        guard itemClass == other.itemClass, let names = itemClass.namesOfPassword else {
            return false
        }
        return itemClass.attributes.allSatisfy { description in
            let name = description.name
            guard description.isInPrimaryKey, name != .synchronizable,
                names.contains(name) || !mayDiffer(name)
            else { return true }
            return other.has(attributes[name] ?? .string(""), as: name)
        }
    }

    /// Whether a part of the key is missing, or says no more than a missing one.
    private func lacks(_ name: AttributeName) -> Bool {
        guard let value = attributes[name], !value.isEmpty else { return true }
        // As `security` adds all web passwords.
        return name == .authenticationType && has(.string("dflt"), as: name)
    }

    /// An item that is bound to this device stays on it, as the user who added it decided.
    fileprivate var mayBecomeSynced: Bool {
        !accessibility.isThisDeviceOnly && attributes[.accessControl] == nil
            && attributes[.sharingGroup]?.isEmpty != false
            && attributes[.multiUser]?.isEmpty != false
    }

    /// What an item that is joined into this one adds: attributes that this one lacks, and its
    /// comment below this one's.
    fileprivate func attributesJoined(with item: Item) -> [AttributeName: AttributeValue] {
        var joined: [AttributeName: AttributeValue] = [:]
        for (name, value) in item.syncedAttributes where !value.isEmpty {
            guard let description = itemClass[name], !description.isInPrimaryKey,
                !Self.ownAttributes.contains(name)
            else { continue }
            guard let own = attributes[name], !own.isEmpty else {
                joined[name] = value
                continue
            }
            guard name == .comment, case .string(let mine) = own, case .string(let theirs) = value,
                own != value
            else { continue }
            joined[name] = .string(mine + "\n" + theirs)
        }
        return joined
    }

    /// Attributes that say something about one item alone.
    private static let ownAttributes: Set<AttributeName> = [
        .creationDate, .modificationDate, .accessible, .digest, .tombstone, .synchronizable,
    ]
}

extension AttributeValue {
    /// Whether it says no more than a missing value.
    fileprivate var isEmpty: Bool {
        switch self {
        case .string(let text): text.isEmpty
        case .data(let bytes): bytes.isEmpty
        case .integer(let number): number == 0
        case .date: false
        }
    }
}
