package import KSAgent
package import KSKeychain

extension SecItemService {
    func add(
        _ dictionary: AgentDictionary,
        _ client: ProgramAccess
    ) throws(ItemStoreError) -> AgentValue? {
        let access = try client.access(for: .writing)
        try client.checkEntitled(to: dictionary)
        let query = try QueryParser.query(dictionary, access)
        if let group = query.attributes[.accessGroup] { try access.check(group) }
        try query.checkAddition(by: client)
        let kept = try add(query.newItems(), access)
        return query.shaped([try result(kept, query)])
    }

    /// Adds the items of several `SecItemAdd` queries, one item each, in one transaction; skips
    /// items that exist already.
    ///
    /// - Returns: for each query, whether its item is new.
    package func addTogether(
        _ queries: [AgentDictionary],
        client: ProgramAccess
    ) throws(ItemStoreError) -> [Bool] {
        let access = try client.access(for: .writing)
        let items = try queries.map { dictionary throws(ItemStoreError) in
            try QueryParser.query(dictionary, access).newItems()
        }
        return try addMissing(items.flatMap(\.self), access).map { $0 != nil }
    }

    /// Adds the items that do not exist yet.
    ///
    /// - Throws: ``KeychainError/duplicateItem`` if all of them exist.
    private func add(_ items: [Item], _ access: CallerAccess) throws(ItemStoreError) -> [Item] {
        guard items.count > 1 else { return [try keychain.add(items[0], access: access)] }
        let added = try addMissing(items, access)
        guard added.contains(where: { $0 != nil }) else { throw .duplicateItem }
        return zip(items, added).map { $1 ?? $0 }
    }

    /// Adds items in one transaction.
    ///
    /// - Returns: for each item, the stored one; nil if it exists already.
    private func addMissing(
        _ items: [Item],
        _ access: CallerAccess
    ) throws(ItemStoreError) -> [Item?] {
        try keychain.write { database in
            try items.map { item in
                do {
                    return try keychain.add(item, access: access, in: database)
                } catch ItemStoreError.duplicateItem {
                    return nil
                }
            }
        }
    }

    private func result(
        _ kept: [Item],
        _ query: SecItemQuery
    ) throws(ItemStoreError) -> AgentValue? {
        guard !query.returns.isEmpty else { return nil }
        guard kept.count == 2, query.target == .identities else {
            return kept.first.flatMap { query.result($0) }
        }
        guard kept.contains(where: { $0.persistentReference == nil }) else {
            return query.result(KeyWithCertificate(certificate: kept[0], key: kept[1]))
        }
        // One half existed already, so the identity is searched for.
        var search = SecItemQuery(target: .identities, access: query.access)
        search.reference = query.reference
        search.returns = query.returns
        search.synchronizable = query.synchronizable
        search.attributes[.accessGroup] = query.attributes[.accessGroup]
        return try finder.identities(search).first.flatMap { query.result($0) }
    }
}

extension SecItemQuery {
    fileprivate func checkAddition(by client: ProgramAccess) throws(ItemStoreError) {
        // Apple's keychain reports success for an add with match keys, and stores nothing.
        guard !matches.isNamed, persistentReference == nil, authentication != .skips else {
            throw .parameter
        }
        if synchronizable == .yes {
            if client.isAppClip { throw .restricted }
            if let accessControl, accessControl.flags != 0 { throw .parameter }
        }
        if let group = attributes[.sharingGroup], group != .string("") {
            if synchronizable == .yes { throw .parameter }
            try client.require(Entitlement.sharing)
        }
        if target == .identities, reference == nil { throw .parameter }
    }

    /// The items to add: one, or the certificate and the key of an identity.
    fileprivate func newItems() throws(ItemStoreError) -> [Item] {
        switch (target, reference) {
        case (.items(let itemClass), .none):
            var item = Item(itemClass, attributes: [:], secret: data)
            if itemClass == .certificate, let data {
                item.attributes = CertificateAttributes.ofItem(data) ?? [:]
            }
            return [complete(item)]
        case (_, .certificate(let bytes)): return [complete(try Self.certificate(bytes))]
        case (_, .key(let key)):
            return [complete(Item(.key, attributes: key.itemAttributes, secret: key.bytes))]
        case (_, .identity(let bytes, let key)):
            let certificate = try Self.certificate(bytes)
            var item = Item(.key, attributes: key.itemAttributes, secret: key.bytes)
            // This hash links the two halves: with another value they would not form an identity.
            let hash = certificate.attributes[.publicKeyHash]
            for name in [AttributeName.applicationLabel, .publicKeyHash] {
                guard attributes[name] ?? hash == hash else { throw .parameter }
            }
            item.attributes[.applicationLabel] = hash
            return [complete(certificate), complete(item)]
        case (.identities, .none): throw .parameter
        }
    }

    private static func certificate(_ bytes: [UInt8]) throws(ItemStoreError) -> Item {
        guard let attributes = CertificateAttributes.ofItem(bytes) else { throw .parameter }
        return Item(.certificate, attributes: attributes, secret: bytes)
    }

    /// The item with the attributes of the query.
    private func complete(_ given: Item) -> Item {
        var item = given
        for (name, value) in attributes where item.itemClass[name] != nil {
            item.attributes[name] = value
        }
        // An object has a secret of its own.
        if reference == nil, let data { item.secret = data }
        item.attributes[.synchronizable] = .boolean(synchronizable == .yes)
        if let accessControl, accessControl.flags != 0 {
            item.attributes[.accessControl] = .integer(accessControl.flags)
        }
        return item
    }
}

extension ProgramAccess {
    /// Refuses attributes whose entitlement is missing; runs before the query is parsed.
    ///
    /// - Throws: ``KeychainError/missingEntitlement``.
    func checkEntitled(to dictionary: AgentDictionary) throws(ItemStoreError) {
        for entry in dictionary.entries {
            switch entry.key {
            case "sysb":
                // 0, which every item has, needs no entitlement.
                if entry.value != .integer(0), entry.value != .bool(false) {
                    try require(Entitlement.systemBound)
                }
            case "pcss", "pcsk", "pcsi": try require(Entitlement.plaintextFields)
            case "binn", "bini", "bin0", "bin1", "bin2", "bin3":
                try require(Entitlement.internetPasswordFields)
            case "dspk": try require(Entitlement.derivedIdentifiers)
            default: break
            }
        }
    }
}
