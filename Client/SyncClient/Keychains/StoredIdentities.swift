internal import Agent
internal import Certificates
internal import Digests
internal import Keychain
internal import PrivateKeys
internal import SecItem

/// A certificate of a keychain.
struct StoredCertificate: Sendable {
    let item: Item
    let certificate: ParsedCertificate

    var sha1: [UInt8] { SHA1.hash(certificate.der) }
    var sha256: [UInt8] { SHA256.hash(certificate.der) }

    /// Whether its time has begun and not ended; nothing else is checked.
    func standing(at seconds: Int64) -> String {
        seconds < certificate.notBefore
            ? "notYetValid" : seconds > certificate.notAfter ? "expired" : "valid"
    }

    var label: String {
        switch item.attributes[.label] {
        case .string(let text): text
        case .data(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer, .date, .none: certificate.summary
        }
    }
}

/// Which certificates are meant.
struct CertificateCriteria: Sendable {
    /// A part of the common name, or all of it.
    var name: String?
    var isWholeName = false
    /// Case does not count.
    var email: String?
    /// SHA-1 or SHA-256 of the certificate.
    var hash: [UInt8]?

    func admits(_ stored: StoredCertificate) -> Bool {
        if let name {
            let isMatch =
                isWholeName
                ? stored.certificate.summary == name || stored.label == name
                : stored.certificate.summary.contains(name) || stored.label.contains(name)
            guard isMatch else { return false }
        }
        if let email {
            let wanted = email.lowercased()
            guard stored.certificate.emailAddresses.contains(where: { $0.lowercased() == wanted })
            else { return false }
        }
        if let hash { return hash == stored.sha1 || hash == stored.sha256 }
        return true
    }
}

extension Keychain {
    /// The certificates that are meant, in the order in which they were added; what is stored as
    /// one and cannot be read is left out.
    func certificates(_ criteria: CertificateCriteria) throws(KeychainError) -> [StoredCertificate]
    {
        let query = ItemQuery(
            .certificate,
            synchronizable: .any,
            access: KeychainFile.access,
            wantsSecret: true
        )
        return try find(query).items.compactMap { item in
            // Programs may store what they like as a certificate.
            guard let certificate = try? ParsedCertificate(der: item.secret ?? []) else {
                return nil
            }
            return StoredCertificate(item: item, certificate: certificate)
        }.filter(criteria.admits)
    }

    /// The private keys, by the hash of their public halves where `hash` is given.
    func privateKeys(hash: [UInt8]? = nil) throws(KeychainError) -> [(item: Item, key: PrivateKey)]
    {
        var query = ItemQuery(
            .key,
            attributes: [.keyClass: .integer(1)],
            synchronizable: .any,
            access: KeychainFile.access,
            wantsSecret: true
        )
        if let hash { query.attributes[.applicationLabel] = .data(hash) }
        return try find(query).items.compactMap { item in
            guard let key = PrivateKey(item) else { return nil }
            return (item, key)
        }
    }

    func hasPrivateKey(hash: [UInt8]) throws(KeychainError) -> Bool {
        let query = ItemQuery(
            .key,
            attributes: [.keyClass: .integer(1), .applicationLabel: .data(hash)],
            synchronizable: .any,
            access: KeychainFile.access,
            limit: 1
        )
        return try !find(query).items.isEmpty
    }

    func delete(exactly item: Item) throws(KeychainError) {
        var query = ItemQuery(item.itemClass, synchronizable: .any, access: KeychainFile.access)
        query.persistentReference = item.persistentReference
        try delete(query)
    }
}

extension PrivateKey {
    /// The key in an item; nil for one of a kind that is not known.
    fileprivate init?(_ item: Item) {
        let type: String
        switch item.attributes[.type] {
        case .integer(let number): type = String(number)
        case .string(let text): type = text
        case .data, .date, .none: return nil
        }
        guard let kind = Kind(rawValue: type), let secret = item.secret,
            // Programs may store what they like as a key.
            let key = try? PrivateKey(external: secret, kind: kind)
        else { return nil }
        self = key
    }
}
