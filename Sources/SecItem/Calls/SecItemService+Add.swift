package import KSAgent
package import KSKeychain

extension SecItemService {
    func added(
        _ dictionary: AgentDictionary,
        _ client: ProgramAccess
    ) throws(SecItemError) -> AgentValue? {
        let access = try client.access(for: .writing)
        try client.checkEntitled(to: dictionary)
        let query = try QueryParser.query(dictionary)
        try query.checkGroup(access)
        try query.checkAddition(by: client)
        let items = try query.newItems()
        let kept = try add(items, access)
        return query.shaped([try result(kept, query, access)])
    }

    /// Adds what several queries of `SecItemAdd` describe, in one transaction: all of it, but for
    /// what is there already, or nothing.
    ///
    /// - Returns: for each query, whether anything of it is new.
    package func addTogether(
        _ queries: [AgentDictionary],
        client: ProgramAccess
    ) throws(KeychainError) -> [Bool] {
        do throws(SecItemError) {
            let access = try client.access(for: .writing)
            let items = try queries.map { dictionary throws(SecItemError) in
                try QueryParser.query(dictionary).newItems()
            }
            return try perform { () throws(KeychainError) in
                try keychain.write { database in
                    var areNew: [Bool] = []
                    for items in items {
                        var isNew = false
                        for item in items {
                            do throws(KeychainError) {
                                try keychain.add(item, access: access, in: database)
                                isNew = true
                            } catch .duplicateItem {
                                continue
                            }
                        }
                        areNew.append(isNew)
                    }
                    return areNew
                }
            }
        } catch {
            guard case .keychain(let error) = error else { throw .parameter }
            throw error
        }
    }

    /// Adds all that are not there, in one transaction.
    ///
    /// - Throws: ``SecItemError/duplicateItem`` when all are.
    private func add(_ items: [Item], _ access: CallerAccess) throws(SecItemError) -> [Item] {
        guard items.count > 1 else {
            return try perform { () throws(KeychainError) in
                try items.map { item throws(KeychainError) in
                    try keychain.add(item, access: access)
                }
            }
        }
        return try perform { () throws(KeychainError) in
            try keychain.write { database in
                var kept: [Item] = []
                var count = 0
                for item in items {
                    do throws(KeychainError) {
                        kept.append(try keychain.add(item, access: access, in: database))
                        count += 1
                    } catch .duplicateItem {
                        kept.append(item)
                    }
                }
                guard count > 0 else { throw KeychainError.duplicateItem }
                return kept
            }
        }
    }

    private func result(
        _ kept: [Item],
        _ query: SecItemQuery,
        _ access: CallerAccess
    ) throws(SecItemError) -> AgentValue? {
        guard !query.returns.isEmpty else { return nil }
        guard kept.count == 2, query.target == .identities else {
            return kept.first.flatMap { query.result($0) }
        }
        guard kept.contains(where: { $0.persistentReference == nil }) else {
            return query.result(Identity(certificate: kept[0], key: kept[1]))
        }
        // One half was there already, as it has been found by now.
        var search = SecItemQuery(target: .identities)
        search.reference = query.reference
        search.returns = query.returns
        search.synchronizable = query.synchronizable
        search.attributes[.accessGroup] = query.attributes[.accessGroup]
        return try finder.identities(search, access).first.flatMap { query.result($0) }
    }
}

extension SecItemQuery {
    /// - Throws: ``SecItemError/missingEntitlement`` for a group that the caller may not use.
    func checkGroup(_ access: CallerAccess) throws(SecItemError) {
        guard case .string(let group) = attributes[.accessGroup] else { return }
        guard access.allows(group) else { throw .missingEntitlement }
    }

    fileprivate func checkAddition(by client: ProgramAccess) throws(SecItemError) {
        // Apple's keychain takes an add that says how to match for done, and keeps nothing.
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

    /// What to add: one item, or the two that make an identity, the certificate first.
    fileprivate func newItems() throws(SecItemError) -> [Item] {
        switch (target, reference) {
        case (.items(let itemClass), .none):
            var item = Item(itemClass, attributes: [:], secret: data)
            if itemClass == .certificate, let data {
                item.attributes = CertificateAttributes.ofItem(data) ?? [:]
            }
            return [complete(item)]
        case (_, .certificate(let bytes)):
            return [complete(try Self.certificate(bytes))]
        case (_, .key(let key)):
            return [complete(Item(.key, attributes: key.itemAttributes, secret: key.bytes))]
        case (_, .identity(let bytes, let key)):
            let certificate = try Self.certificate(bytes)
            var item = Item(.key, attributes: key.itemAttributes, secret: key.bytes)
            // By this the two find each other; by another value they would be no identity.
            let hash = certificate.attributes[.publicKeyHash]
            for name in [AttributeName.applicationLabel, .publicKeyHash] {
                guard attributes[name] ?? hash == hash else { throw .parameter }
            }
            item.attributes[.applicationLabel] = hash
            return [complete(certificate), complete(item)]
        case (.identities, .none):
            throw .parameter
        }
    }

    private static func certificate(_ bytes: [UInt8]) throws(SecItemError) -> Item {
        guard let attributes = CertificateAttributes.ofItem(bytes) else { throw .parameter }
        return Item(.certificate, attributes: attributes, secret: bytes)
    }

    /// The item with what the query says of it.
    private func complete(_ given: Item) -> Item {
        var item = given
        for (name, value) in attributes where item.itemClass[name] != nil {
            item.attributes[name] = value
        }
        // An object brings its own.
        if reference == nil, let data { item.secret = data }
        item.attributes[.synchronizable] = .boolean(synchronizable == .yes)
        if let accessControl, accessControl.flags != 0 {
            item.attributes[.accessControl] = .integer(accessControl.flags)
        }
        return item
    }
}

extension ProgramAccess {
    /// Refuses attributes that take an entitlement; asked before anything else is looked at.
    ///
    /// - Throws: ``SecItemError/missingEntitlement``.
    func checkEntitled(to dictionary: AgentDictionary) throws(SecItemError) {
        for entry in dictionary.entries {
            switch entry.key {
            case "sysb":
                // What every item has needs no entitlement.
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
