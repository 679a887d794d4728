internal import KSCertificates
package import KSKeychain
internal import KSPrivateKeys

/// The format of a file with keys and certificates.
package enum KeyFileFormat: String, Sendable {
    /// PEM; private keys that are not encrypted have their traditional forms.
    case openssl
    /// The bytes of one key, which do not say of what kind it is: nothing imports them.
    case raw
    /// Certificates alone.
    case pkcs7
    case pkcs8
    case pkcs12
    case x509
    case pemseq
}

/// Collects certificates and keys of keychains, and writes them into one file.
package struct KeychainExport: Sendable {
    package enum Kind: String, Sendable {
        case certificates = "certs"
        case allKeys
        case publicKeys = "pubKeys"
        case privateKeys = "privKeys"
        case identities
        case all
    }

    private var certificates: [ParsedCertificate] = []
    private var privateKeys: [PrivateKey] = []
    private var publicKeys: [PublicKeyInfo] = []
    /// How many keys were left out because they are damaged or of an unknown kind.
    package private(set) var leftOut = 0

    package init() {}

    /// Adds the certificates and keys of this kind from a keychain.
    package mutating func collect(_ kind: Kind, from keychain: ItemStore) throws(ItemStoreError) {
        let allCertificates = try keychain.certificates(CertificateCriteria()).map(\.certificate)
        // Keys that were imported with -x must not leave the keychain.
        let known = try keychain.privateKeys()
        let allKeys = known.filter { $0.item.attributes[.isExtractable] != .integer(0) }.map(\.key)
        let unknown =
            try keychain.find(.all(.key, [.keyClass: .integer(1)])).items.count - known.count
        if [.certificates, .all].contains(kind) { certificates += allCertificates }
        if [.privateKeys, .allKeys, .all].contains(kind) {
            privateKeys += allKeys
            leftOut += unknown
        }
        if [.publicKeys, .allKeys, .all].contains(kind) { try collectPublicKeys(of: keychain) }
        if kind == .identities {
            let hashes = Set(allKeys.map(\.publicKeyHash))
            certificates += allCertificates.filter { hashes.contains($0.publicKeyHash) }
            let wanted = Set(certificates.map(\.publicKeyHash))
            privateKeys += allKeys.filter { wanted.contains($0.publicKeyHash) }
        }
    }

    private mutating func collectPublicKeys(of keychain: ItemStore) throws(ItemStoreError) {
        let query = KeychainQuery.all(.key, [.keyClass: .integer(0)], wantsSecret: true)
        for item in try keychain.find(query).items {
            if let key = PublicKeyInfo(item) { publicKeys.append(key) } else { leftOut += 1 }
        }
    }

    private var hasNoKeys: Bool { privateKeys.isEmpty && publicKeys.isEmpty }
    private var count: Int { certificates.count + privateKeys.count + publicKeys.count }

    // MARK: Writing

    /// The file's bytes.
    ///
    /// `isArmoured`: writes PEM even for a single item. `passphrase`: encrypts private keys.
    package func file(
        _ format: KeyFileFormat?,
        isArmoured: Bool,
        passphrase: [UInt8]?
    ) throws(KeychainFileError) -> [UInt8] {
        guard count > 0 else { throw leftOut > 0 ? .unsupported : .nothingFound }
        do throws(OpenSSLError) {
            switch format {
            case .pkcs12:
                guard let passphrase else { throw .passphraseNeeded }
                guard certificates.count + privateKeys.count > 0 else { throw .unsupported }
                let bundle = KeyBundle(keys: privateKeys, certificates: certificates)
                return try bundle.pkcs12(passphrase: passphrase)
            case .pkcs7:
                guard hasNoKeys else { throw .unsupported }
                return isArmoured
                    ? try Array(CertificateBundle.pem(certificates).utf8)
                    : try CertificateBundle.der(certificates)
            case .raw:
                // The raw format cannot be encrypted, and no key must be written in the clear.
                guard passphrase == nil, count == 1, certificates.isEmpty else {
                    throw .unsupported
                }
                return privateKeys.first?.external ?? publicKeys[0].external
            case .x509:
                guard hasNoKeys else { throw .unsupported }
                return isArmoured || count > 1 ? try pem(.x509, passphrase) : certificates[0].der
            case .pkcs8:
                guard certificates.isEmpty else { throw .unsupported }
                guard !isArmoured, count == 1, passphrase == nil else {
                    return try pem(.pkcs8, passphrase)
                }
                if let key = privateKeys.first { return try key.pkcs8() }
                return try publicKeys[0].subjectPublicKeyInfo()
            case .openssl: return try pem(.openssl, passphrase)
            case .pemseq, .none: return try pem(.pemseq, passphrase)
            }
        } catch {
            throw KeychainFileError(error)
        }
    }

    private func pem(
        _ format: KeyFileFormat,
        _ passphrase: [UInt8]?
    ) throws(OpenSSLError) -> [UInt8] {
        var text = ""
        for certificate in certificates { text += try certificate.pem() }
        for key in privateKeys {
            // Only these kinds have a traditional form.
            let isOld =
                format == .openssl && passphrase == nil
                && (key.kind == .rsa || key.kind == .ellipticCurve)
            text += try isOld ? key.traditionalPEM() : key.pem(passphrase: passphrase)
        }
        for key in publicKeys { text += try key.pem() }
        return Array(text.utf8)
    }
}

extension PublicKeyInfo {
    /// The key in an item; nil if it cannot be read or its kind is unknown: programs may store
    /// anything as a key.
    fileprivate init?(_ item: Item) {
        guard case .integer(let type) = item.attributes[.type],
            case .integer(let bits) = item.attributes[.keySize], let bytes = item.secret
        else { return nil }
        self.init(type: String(type), bits: Int(bits), external: bytes)
        // A key that cannot be written as PEM counts as unreadable.
        guard (try? pem()) != nil else { return nil }
    }
}
