internal import KSAgent
internal import KSKeychain

/// A certificate and the private key to it.
struct KeyWithCertificate {
    let certificate: Item
    let key: Item
}

// An identity is not stored: it exists when a certificate and a private key have the same public
// key. It has the attributes of both; where they differ, results show those of the certificate.
// A query also finds it by its key's dates and protection class, as on Apple systems.

extension SecItemFinder {
    /// The identities that match, with only what the results need opened, or all with `opensAll`.
    ///
    /// - Throws: ``KeychainError/itemNotFound`` if no identity matches.
    func identities(
        _ query: SecItemQuery,
        opensAll: Bool = false,
        opensKeys: Bool = true
    ) throws(ItemStoreError) -> [KeyWithCertificate] {
        var search = try query.certificates()
        search.wantsSecret = opensAll || query.opensSecret(of: .certificate)
        try reader.checkFile()
        var identities: [KeyWithCertificate] = []
        let now = reader.now
        let certificates = try reader.find(search) { query.isMatched(by: $0, now: now) }
        var unreadable = certificates.unreadable
        for certificate in try issued(certificates.items, query, limit: nil) {
            guard identities.count != query.matches.limit else { break }
            guard let hash = certificate.attributes[.publicKeyHash] else { continue }
            var keySearch = query.keys(publicKeyHash: hash)
            keySearch.wantsSecret = opensAll || query.opensSecret(of: .key)
            let keys =
                opensKeys
                ? try privateKeys(keySearch, &unreadable) : try privateKeysUnopened(keySearch)
            for key in keys {
                guard identities.count != query.matches.limit else { break }
                let identity = KeyWithCertificate(certificate: certificate, key: key)
                if try query.admits(identity) { identities.append(identity) }
            }
        }
        if !unreadable.isEmpty { quarantine(unreadable) }
        guard !identities.isEmpty else { throw .itemNotFound }
        return identities
    }

    private func privateKeys(
        _ search: KeychainQuery,
        _ unreadable: inout [UnreadableRow]
    ) throws(ItemStoreError) -> [Item] {
        let found = try reader.find(search)
        unreadable += found.unreadable
        return found.items.filter(\.isPrivateKey)
    }

    /// The same without opening attributes, so that locked and damaged keys are found too.
    private func privateKeysUnopened(_ search: KeychainQuery) throws(ItemStoreError) -> [Item] {
        var search = search
        search.wantsAttributes = false
        var keys: [Item] = []
        for name in [AttributeName.keyClass, .isPrivate] {
            let given = search.attributes[name]
            let isPrivate = Item(.key, attributes: [name: .integer(1)])
            // A query for another kind of key matches nothing by this attribute.
            guard given.map({ isPrivate.has($0, as: name) }) ?? true else { continue }
            search.attributes[name] = .integer(1)
            let found = try reader.find(search)
            search.attributes[name] = given
            let known = Set(keys.map(\.persistentReference))
            keys += found.items.filter { !known.contains($0.persistentReference) }
        }
        return keys
    }
}

extension SecItemQuery {
    /// The query for all matches, without results: updates and deletes change every match and
    /// return nothing.
    var unlimited: SecItemQuery {
        var query = self
        query.matches.limit = nil
        query.returns = []
        return query
    }

    /// Attributes of both halves that an identity takes from its certificate.
    private static let fromCertificate: Set<AttributeName> = [.label]
    /// Attributes that must match in both halves.
    private static let fromBoth: Set<AttributeName> = [.accessGroup, .tombstone]

    /// Whether each half has its own value of the attribute, and a match in one half is enough.
    private static func isFromEither(_ name: AttributeName) -> Bool {
        ItemClass.certificate[name] != nil && ItemClass.key[name] != nil
            && !fromCertificate.contains(name) && !fromBoth.contains(name)
    }

    /// Whether the attributes of keys are needed to decide which match.
    var asksOfKeys: Bool {
        authentication == .fails || attributes.keys.contains(where: Self.isFromEither)
    }

    /// - Throws: ``KeychainError/interactionNotAllowed`` if the user would have to authenticate.
    fileprivate func admits(_ identity: KeyWithCertificate) throws(ItemStoreError) -> Bool {
        let isMatched = attributes.allSatisfy { name, value in
            guard Self.isFromEither(name) else { return true }
            return identity.certificate.has(value, as: name) || identity.key.has(value, as: name)
        }
        guard isMatched else { return false }
        // The secret that an identity gives out is its key.
        return try mayGive(.key, demanding: identity.demandsAuthentication)
    }

    fileprivate func certificates() throws(ItemStoreError) -> KeychainQuery {
        var search = try match(.certificate)
        search.attributes = attributes.filter { name, _ in
            ItemClass.certificate[name] != nil && !Self.isFromEither(name)
        }
        // The application label of a key is the public key hash in its certificate.
        if let label = attributes[.applicationLabel] {
            try search.require([.publicKeyHash: label])
        }
        if case .identity(let bytes, _) = reference {
            guard let criteria = CertificateAttributes.criteria(bytes) else { throw .parameter }
            try search.require(criteria)
        }
        return search
    }

    fileprivate func keys(publicKeyHash: AttributeValue) -> KeychainQuery {
        var search = KeychainQuery(
            .key,
            attributes: attributes.filter { name, _ in
                ItemClass.key[name] != nil && !Self.fromCertificate.contains(name)
                    && !Self.isFromEither(name)
            },
            synchronizable: matchedSynchronizable,
            access: access
        )
        search.attributes[.applicationLabel] = publicKeyHash
        return search
    }
}

extension KeyWithCertificate: CallResult {
    var classLetters: String { identityLetters }
    var secret: [UInt8]? { key.secret }

    var persistentReference: [UInt8]? {
        certificate.persistentReference.map { Array(identityLetters.utf8) + $0.dropFirst(4) }
    }

    func attributesResult(withSecret: Bool) -> AgentDictionary {
        var attributes = key.attributesResult(withSecret: true)
        attributes[AttributeName.label.text] = nil
        for entry in certificate.attributesResult(withSecret: true).entries {
            attributes[entry.key] = entry.value
        }
        return attributes
    }

    /// Whether either half requires the device's owner to authenticate.
    var demandsAuthentication: Bool {
        certificate.demandsAuthentication || key.demandsAuthentication
    }

    /// Nil if no object can be made of one half.
    var referenceObject: AgentValue? {
        guard var object = key.keyObject, let bytes = certificate.certificateBytes else {
            return nil
        }
        object["$ref"] = .string(identityLetters)
        object["certificate"] = .data(bytes)
        return .dictionary(object)
    }
}

extension Item {
    /// Checks two attributes, because a program that adds a key by its bytes may set only one.
    fileprivate var isPrivateKey: Bool {
        attributes[.keyClass] == .integer(1) || attributes[.isPrivate] == .integer(1)
    }
}
