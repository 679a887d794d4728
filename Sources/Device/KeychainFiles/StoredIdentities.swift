package import KSCertificates
internal import KSDigests
package import KSKeychain
package import KSPrivateKeys
internal import KSSecItem

/// A certificate of a keychain.
package struct StoredCertificate: Sendable {
    package let item: Item
    package let certificate: ParsedCertificate

    package var sha1: [UInt8] { SHA1.hash(certificate.der) }
    package var sha256: [UInt8] { SHA256.hash(certificate.der) }

    /// Checks only the dates: `valid`, `expired` or `notYetValid`.
    package func standing(at seconds: Int64) -> String {
        seconds < certificate.notBefore
            ? "notYetValid" : seconds > certificate.notAfter ? "expired" : "valid"
    }

    package var label: String {
        switch item.attributes[.label] {
        case .string(let text): text
        case .data(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer, .date, .none: certificate.summary
        }
    }
}

extension StoredCertificate {
    /// The certificate's common name and its label, in lower case.
    fileprivate var names: [String] { [certificate.summary, label].map { $0.lowercased() } }
}

extension Item {
    /// The item with the alias that macOS gives a certificate: its email address, or else its name.
    package func withAlias(of certificate: ParsedCertificate) -> Item {
        guard attributes[.alias] == nil else { return self }
        var item = self
        item.attributes[.alias] = .string(certificate.emailAddresses.first ?? certificate.summary)
        return item
    }
}

/// The conditions that a certificate has to meet.
package struct CertificateCriteria: Sendable {
    /// A part of the common name or the label, in any case; an empty one matches nothing.
    package var name: String?
    /// One of its addresses, in any case.
    package var email: String?
    /// SHA-1 or SHA-256 of the certificate.
    package var hash: [UInt8]?

    package init(name: String? = nil, email: String? = nil, hash: [UInt8]? = nil) {
        self.name = name
        self.email = email
        self.hash = hash
    }

    package func admits(_ stored: StoredCertificate) -> Bool {
        if let name {
            let part = name.lowercased()
            guard !part.isEmpty, stored.names.contains(where: { $0.contains(part) }) else {
                return false
            }
        }
        if let email {
            let wanted = email.lowercased()
            guard stored.certificate.emailAddresses.contains(where: { $0.lowercased() == wanted })
            else { return false }
        }
        if let hash { return hash == stored.sha1 || hash == stored.sha256 }
        return true
    }

    /// Whether the name is a whole name of the certificate, not a part of one.
    package func isWholeName(of stored: StoredCertificate) -> Bool {
        name.map { stored.names.contains($0.lowercased()) } ?? false
    }
}

extension KeychainQuery {
    /// All items of a class, or those with these attributes, whatever their access group.
    static func all(
        _ itemClass: ItemClass,
        _ attributes: [AttributeName: AttributeValue] = [:],
        wantsSecret: Bool = false
    ) -> KeychainQuery {
        KeychainQuery(
            itemClass,
            attributes: attributes,
            synchronizable: .any,
            access: KeychainFile.access,
            wantsSecret: wantsSecret
        )
    }
}

extension ItemStore {
    /// The certificates that meet the conditions, in the order in which they were added.
    ///
    /// Leaves out items of this class that cannot be read as a certificate.
    package func certificates(
        _ criteria: CertificateCriteria
    ) throws(ItemStoreError) -> [StoredCertificate] {
        try find(.all(.certificate, wantsSecret: true)).items.compactMap { item in
            guard let certificate = CertificateAttributes.parsed(item.secret ?? []) else {
                return nil
            }
            return StoredCertificate(item: item, certificate: certificate)
        }.filter(criteria.admits)
    }

    /// The private keys, by the hash of their public halves where `hash` is given.
    package func privateKeys(
        hash: [UInt8]? = nil
    ) throws(ItemStoreError) -> [(item: Item, key: PrivateKey)] {
        var query = KeychainQuery.all(.key, [.keyClass: .integer(1)], wantsSecret: true)
        query.attributes[.applicationLabel] = hash.map { .data($0) }
        return try find(query).items.compactMap { item in
            guard let key = PrivateKey(item) else { return nil }
            return (item, key)
        }
    }

    package func hasPrivateKey(hash: [UInt8]) throws(ItemStoreError) -> Bool {
        var query = KeychainQuery.all(
            .key,
            [.keyClass: .integer(1), .applicationLabel: .data(hash)]
        )
        query.limit = 1
        return try !find(query).items.isEmpty
    }

    package func delete(exactly item: Item) throws(ItemStoreError) {
        try delete(KeychainQuery(exactly: item, access: KeychainFile.access))
    }
}

extension KeychainReader {
    /// An item as commands show it: a certificate that can be read has its alias.
    package func shown(_ item: Item, access: CallerAccess) -> Item {
        guard item.itemClass == .certificate, item.persistentReference != nil else { return item }
        var query = KeychainQuery(exactly: item, access: access)
        query.limit = 1
        query.wantsSecret = true
        // If the certificate cannot be read, the item is shown without an alias.
        guard let bytes = try? find(query).items.first?.secret,
            let certificate = CertificateAttributes.parsed(bytes)
        else { return item }
        return item.withAlias(of: certificate)
    }
}

extension PrivateKey {
    /// The key in an item; nil if it cannot be read or its kind is unknown.
    fileprivate init?(_ item: Item) {
        guard let kind = Kind(rawValue: item.text(of: .type)), let secret = item.secret,
            // Programs may store any bytes as a key.
            let key = try? PrivateKey(external: secret, kind: kind)
        else { return nil }
        self = key
    }
}
