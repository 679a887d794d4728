internal import KSKeychain

extension SecItemService {
    /// All identities that match, to be changed or deleted.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` if the user would have to authenticate.
    private func allIdentities(
        _ query: SecItemQuery,
        opensAll: Bool
    ) throws(ItemStoreError) -> [KeyWithCertificate] {
        let identities = try finder.identities(
            query.unlimited,
            opensAll: opensAll,
            opensKeys: opensAll || query.asksOfKeys
        )
        if query.authentication == .fails, identities.contains(where: \.demandsAuthentication) {
            throw .interactionNotAllowed
        }
        return identities
    }

    /// Changes the certificates, then their keys.
    func updateIdentities(_ query: SecItemQuery, _ update: ParsedUpdate) throws(ItemStoreError) {
        // Every change seals both halves of an item again, so both must open.
        let identities = try allIdentities(query, opensAll: true)
        let leavesTombstones = query.leavesTombstones
        try keychain.write { database in
            for item in identities.items {
                let changes = update.changes(of: item.itemClass)
                guard update.isEmpty || !changes.attributes.isEmpty else { continue }
                try keychain.update(
                    KeychainQuery(exactly: item, access: query.access),
                    changes,
                    leavesTombstones: leavesTombstones,
                    in: database
                )
            }
        }
    }

    /// Deletes the certificates, and each key that no other certificate belongs to.
    func deleteIdentities(_ query: SecItemQuery) throws(ItemStoreError) {
        let identities = try allIdentities(query, opensAll: false)
        let leavesTombstones = query.leavesTombstones
        try keychain.write { database in
            for item in identities.items where item.itemClass == .certificate {
                let certificate = KeychainQuery(exactly: item, access: query.access)
                try keychain.delete(certificate, leavesTombstones: leavesTombstones, in: database)
            }
            var seen: Set<[UInt8]?> = []
            for identity in identities {
                // The key may not be opened, so its label is read from the certificate.
                guard let label = identity.certificate.attributes[.publicKeyHash],
                    seen.insert(identity.key.persistentReference).inserted
                else { continue }
                let others = KeychainQuery(
                    .certificate,
                    attributes: [.publicKeyHash: label],
                    synchronizable: .any,
                    access: query.access,
                    limit: 1,
                    wantsAttributes: false
                )
                guard try keychain.find(others, in: database).items.isEmpty else { continue }
                let key = KeychainQuery(exactly: identity.key, access: query.access)
                try keychain.delete(key, leavesTombstones: leavesTombstones, in: database)
            }
        }
    }
}

extension [KeyWithCertificate] {
    /// Every certificate and every key once, the certificates first.
    fileprivate var items: [Item] {
        var seen: Set<[UInt8]> = []
        return (map(\.certificate) + map(\.key)).filter { item in
            seen.insert(item.persistentReference ?? []).inserted
        }
    }
}
