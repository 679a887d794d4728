package import KSAgent
package import KSKeychain

/// `SecItemCopyMatching` over a keychain, with the meaning it has on iOS.
package struct SecItemFinder {
    let reader: KeychainReader
    /// Quarantines rows that matched a search but could not be opened.
    let quarantine: ([UnreadableRow]) -> Void

    package init(reader: KeychainReader, quarantine: @escaping ([UnreadableRow]) -> Void) {
        self.reader = reader
        self.quarantine = quarantine
    }

    package func copyMatching(_ query: AgentDictionary, client: ProgramAccess) -> SecItemReply {
        SecItemReply { () throws(ItemStoreError) in try find(query, client) }
    }

    func find(
        _ dictionary: AgentDictionary,
        _ client: ProgramAccess
    ) throws(ItemStoreError) -> AgentValue? {
        let query = try QueryParser.query(dictionary, client.access(for: .reading))
        if let group = query.attributes[.accessGroup] { try query.access.check(group) }
        try query.matches.check(query.target)
        guard query.persistentReference == nil || query.attributes.isEmpty else { throw .parameter }
        guard query.matches.limit != 0 else { throw .itemNotFound }
        switch query.target {
        case .items(let itemClass):
            let items = try find(try query.search(itemClass), query)
            return query.shaped(items.map { query.result($0) })
        case .identities:
            return query.shaped(try identities(query).map { query.result($0) })
        }
    }

    /// - Throws: ``KeychainError/itemNotFound`` if nothing that matches can be opened.
    private func find(
        _ search: KeychainQuery,
        _ query: SecItemQuery
    ) throws(ItemStoreError) -> [Item] {
        try reader.checkFile()
        let now = reader.now
        let found =
            try query.hasFilters(of: search.itemClass)
            ? reader.find(search) { try query.admits($0, now: now) } : reader.find(search)
        if !found.unreadable.isEmpty { quarantine(found.unreadable) }
        let items = try issued(found.items, query, limit: query.matches.limit)
        guard !items.isEmpty else { throw .itemNotFound }
        return items
    }

    /// The certificates whose chain contains one of the named issuers, up to the limit.
    func issued(
        _ certificates: [Item],
        _ query: SecItemQuery,
        limit: Int?
    ) throws(ItemStoreError) -> [Item] {
        guard let names = query.matches.issuers else { return certificates }
        let search = IssuerSearch(reader: reader, access: query.access, names: names)
        var issued: [Item] = []
        for certificate in certificates where issued.count != limit {
            if try search.admits(certificate.secret ?? []) { issued.append(certificate) }
        }
        return issued
    }
}

extension SecItemQuery {
    /// The keychain's query, which opens only what the results need.
    func search(_ itemClass: ItemClass) throws(ItemStoreError) -> KeychainQuery {
        var search = try match(itemClass)
        // Issuers are checked after the search, so the search must find all certificates.
        search.limit = matches.issuers == nil ? matches.limit : nil
        search.wantsSecret = opensSecret(of: itemClass)
        // A call for the data alone does not read the attributes. Any other call does, and so fails
        // while they are locked.
        search.wantsAttributes =
            !returns.contains(.data) || returns.contains(.attributes)
            || returns.contains(.reference) || matches.host != nil
        return search
    }

    /// The conditions of the query for items of one class, for any kind of call.
    func match(_ itemClass: ItemClass) throws(ItemStoreError) -> KeychainQuery {
        var match = KeychainQuery(
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
        case .key(let key): try match.require(key.criteria)
        case .identity, .none: break
        }
        return match
    }

    /// Whether the results contain the secrets of this class, as data or in objects; passwords
    /// have no objects.
    private func givesSecret(of itemClass: ItemClass) -> Bool {
        let hasObjects = itemClass == .certificate || itemClass == .key
        return returns.contains(.data) || hasObjects && returns.contains(.reference)
    }

    /// Whether secrets of this class must be opened, to return them or to decide which match.
    func opensSecret(of itemClass: ItemClass) -> Bool {
        givesSecret(of: itemClass) || itemClass == .certificate && matches.needsCertificate
    }

    /// Whether the query has conditions that the keychain's own search does not check.
    fileprivate func hasFilters(of itemClass: ItemClass) -> Bool {
        matches.host != nil || matches.needsCertificate
            || authentication != .allowed && givesSecret(of: itemClass)
    }

    /// - Throws: ``KeychainError/interactionNotAllowed`` if the user would have to authenticate.
    fileprivate func admits(_ item: Item, now: Double) throws(ItemStoreError) -> Bool {
        guard isMatched(by: item, now: now) else { return false }
        return try mayGive(item.itemClass, demanding: item.demandsAuthentication)
    }

    /// Whether an item meets the match keys, except for the issuers.
    func isMatched(by item: Item, now: Double) -> Bool {
        if let host = matches.host, !item.isOf(host) { return false }
        guard item.itemClass == .certificate, matches.needsCertificate else { return true }
        return matches.admits(item.secret ?? [], now: now)
    }

    /// Whether an item may be returned; `demanding`: whether it requires authentication.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` if the user would have to authenticate.
    func mayGive(_ itemClass: ItemClass, demanding: Bool) throws(ItemStoreError) -> Bool {
        guard demanding, givesSecret(of: itemClass) else { return true }
        switch authentication {
        case .allowed: return true
        case .skips: return false
        case .fails: throw .interactionNotAllowed
        }
    }
}

extension KeychainQuery {
    /// Also requires the attributes that identify an object.
    ///
    /// - Throws: ``KeychainError/itemNotFound`` if the query's own attributes contradict them: a
    ///   query that names an object matches no other item.
    mutating func require(_ criteria: [AttributeName: AttributeValue]) throws(ItemStoreError) {
        let object = Item(itemClass, attributes: criteria)
        for (name, value) in attributes where criteria[name] != nil {
            guard object.has(value, as: name) else { throw .itemNotFound }
        }
        attributes.merge(criteria) { given, _ in given }
    }
}

extension Item {
    /// Whether the server is this host or a subdomain of it; false for a server stored as data.
    fileprivate func isOf(_ host: String) -> Bool {
        guard case .string(let server) = attributes[.server] else { return false }
        let server8 = Array(server.utf8)
        let host8 = Array(host.utf8)
        return server8 == host8
            || server8.count > host8.count
                && server8.suffix(host8.count + 1) == [UInt8(ascii: ".")] + host8
    }
}
