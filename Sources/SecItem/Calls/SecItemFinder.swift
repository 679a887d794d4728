package import KSAgent
package import KSKeychain

/// `SecItemCopyMatching` over a keychain, with the meaning it has on iOS.
package struct SecItemFinder {
    let reader: KeychainReader
    /// Learns of what matched and could not be opened, which is to be in nobody's way any more.
    let quarantine: ([UnreadableRow]) -> Void

    package init(reader: KeychainReader, quarantine: @escaping ([UnreadableRow]) -> Void) {
        self.reader = reader
        self.quarantine = quarantine
    }

    package func copyMatching(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        SecItemReply { () throws(KeychainError) in try find(query, client) }
    }

    func find(
        _ dictionary: AgentDictionary,
        _ client: ProgramAccess
    ) throws(KeychainError) -> AgentValue? {
        let access = try client.access(for: .reading)
        let query = try QueryParser.query(dictionary)
        if let group = query.attributes[.accessGroup] { try access.check(group) }
        try query.matches.check(query.target)
        guard query.persistentReference == nil || query.attributes.isEmpty else {
            throw .parameter
        }
        guard query.matches.limit != .count(0) else { throw .itemNotFound }
        switch query.target {
        case .items(let itemClass):
            let items = try find(try query.search(itemClass, access), query)
            return query.shaped(items.map { query.result($0) })
        case .identities:
            let identities = try identities(query, access)
            return query.shaped(identities.map { query.result($0) })
        }
    }

    /// - Throws: ``KeychainError/itemNotFound`` when nothing matches that can be opened.
    private func find(_ search: ItemQuery, _ query: SecItemQuery) throws(KeychainError) -> [Item] {
        try reader.checkFile()
        let now = reader.now
        let found =
            try query.hasFilters(of: search.itemClass)
            ? reader.find(search) { try query.admits($0, now: now) } : reader.find(search)
        if !found.unreadable.isEmpty { quarantine(found.unreadable) }
        let items = try issued(
            found.items,
            query,
            search.access,
            limit: query.matches.limit.maximum
        )
        guard !items.isEmpty else { throw .itemNotFound }
        return items
    }

    /// Those certificates that one of the named issuers stands above, as many as are wanted.
    func issued(
        _ certificates: [Item],
        _ query: SecItemQuery,
        _ access: CallerAccess,
        limit: Int?
    ) throws(KeychainError) -> [Item] {
        guard let names = query.matches.issuers else { return certificates }
        let search = IssuerSearch(reader: reader, access: access, names: names)
        var issued: [Item] = []
        for certificate in certificates where issued.count != limit {
            if try search.admits(certificate.secret ?? []) { issued.append(certificate) }
        }
        return issued
    }
}

extension SecItemQuery {
    /// The query for the keychain, with as much opened as the results take.
    func search(_ itemClass: ItemClass, _ access: CallerAccess) throws(KeychainError) -> ItemQuery {
        var search = try match(itemClass, access)
        // Issuers are looked for afterwards, among all.
        search.limit = matches.issuers == nil ? matches.limit.maximum : nil
        search.wantsSecret = opensSecret(of: itemClass)
        // A call for the data alone does not read the attributes. Any other call does, and so fails
        // while they are locked.
        search.wantsAttributes =
            !returns.contains(.data) || returns.contains(.attributes)
            || returns.contains(.reference) || matches.host != nil
        return search
    }

    /// What the query says of items of one class, whatever is done with them.
    func match(_ itemClass: ItemClass, _ access: CallerAccess) throws(KeychainError) -> ItemQuery {
        var match = ItemQuery(
            itemClass,
            attributes: attributes,
            synchronizable: matchedSynchronizable,
            access: access
        )
        if let persistentReference {
            match.synchronizable = .any
            match.persistentReference = try persistentReference.bytes(of: itemClass)
        }
        switch reference {
        case .certificate(let bytes):
            guard let criteria = CertificateAttributes.criteria(bytes) else { throw .parameter }
            try match.require(criteria)
        case .key(let key):
            try match.require(key.criteria)
        case .identity, .none:
            break
        }
        return match
    }

    /// Whether the secrets of a class come with the results: as data or in objects, which passwords
    /// have none of.
    private func givesSecret(of itemClass: ItemClass) -> Bool {
        let hasObjects = itemClass == .certificate || itemClass == .key
        return returns.contains(.data) || hasObjects && returns.contains(.reference)
    }

    /// Whether the secrets of a class have to be opened, to give them or to say what matches.
    func opensSecret(of itemClass: ItemClass) -> Bool {
        givesSecret(of: itemClass) || itemClass == .certificate && matches.needsCertificate
    }

    /// Whether more is asked than what the keychain compares.
    fileprivate func hasFilters(of itemClass: ItemClass) -> Bool {
        matches.host != nil || matches.needsCertificate
            || authentication != .allowed && givesSecret(of: itemClass)
    }

    /// - Throws: ``KeychainError/interactionNotAllowed`` when someone would have to be asked.
    fileprivate func admits(_ item: Item, now: Double) throws(KeychainError) -> Bool {
        guard isMatched(by: item, now: now) else { return false }
        return try mayGive(item.itemClass, demanding: item.demandsAuthentication)
    }

    /// Whether an item is what its match keys ask for, its issuers aside.
    func isMatched(by item: Item, now: Double) -> Bool {
        if let host = matches.host, !item.isOf(host) { return false }
        guard item.itemClass == .certificate, matches.needsCertificate else { return true }
        return matches.admits(item.secret ?? [], now: now)
    }

    /// Whether something of a class may be given out, which demands its owner or not.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` when someone would have to be asked.
    func mayGive(_ itemClass: ItemClass, demanding: Bool) throws(KeychainError) -> Bool {
        guard demanding, givesSecret(of: itemClass) else { return true }
        switch authentication {
        case .allowed: return true
        case .skips: return false
        case .fails: throw .interactionNotAllowed
        }
    }
}

extension ItemQuery {
    /// Asks also for what an object says of itself.
    ///
    /// - Throws: ``KeychainError/itemNotFound`` where the query says otherwise: who names an object
    ///   means no other one, whatever else is named beside it.
    mutating func require(
        _ criteria: [AttributeName: AttributeValue]
    ) throws(KeychainError) {
        let object = Item(itemClass, attributes: criteria)
        for (name, value) in attributes where criteria[name] != nil {
            guard object.has(value, as: name) else { throw .itemNotFound }
        }
        attributes.merge(criteria) { given, _ in given }
    }
}

extension Item {
    /// Whether its server is this host or one under it; a server that is data is neither.
    fileprivate func isOf(_ host: String) -> Bool {
        guard case .string(let server) = attributes[.server] else { return false }
        let server8 = Array(server.utf8)
        let host8 = Array(host.utf8)
        return server8 == host8
            || server8.count > host8.count
                && server8.suffix(host8.count + 1) == [UInt8(ascii: ".")] + host8
    }
}
