internal import Agent
internal import Certificates
internal import Keychain
internal import PrivateKeys

/// Certificates and keys of some keychains, on their way into a file.
struct KeychainExport: Sendable {
    enum Kind: String, Sendable {
        case certificates = "certs"
        case allKeys
        case publicKeys = "pubKeys"
        case privateKeys = "privKeys"
        case identities
        case all
    }

    enum Format: String, Sendable {
        /// What the kind suggests: the certificates' own, PKCS#8 for keys, PEM for several.
        case openssl
        case raw
        case pkcs8
        case pkcs12
        case x509
        case pemseq
    }

    private var certificates: [ParsedCertificate] = []
    private var privateKeys: [PrivateKey] = []
    private var publicKeys: [PublicKeyInfo] = []

    init() {}

    /// Takes in what a keychain has of a kind.
    mutating func collect(_ kind: Kind, from keychain: Keychain) throws(KeychainError) {
        let allCertificates = try keychain.certificates(CertificateCriteria()).map(\.certificate)
        // Those that were imported with -x stay.
        let allKeys = try keychain.privateKeys()
            .filter { $0.item.attributes[.isExtractable] != .integer(0) }.map(\.key)
        switch kind {
        case .certificates: certificates += allCertificates
        case .privateKeys: privateKeys += allKeys
        case .publicKeys: publicKeys += try Self.publicKeys(of: keychain)
        case .allKeys:
            privateKeys += allKeys
            publicKeys += try Self.publicKeys(of: keychain)
        case .identities:
            let hashes = Set(allKeys.map(\.publicKeyHash))
            certificates += allCertificates.filter { hashes.contains($0.publicKeyHash) }
            let wanted = Set(certificates.map(\.publicKeyHash))
            privateKeys += allKeys.filter { wanted.contains($0.publicKeyHash) }
        case .all:
            certificates += allCertificates
            privateKeys += allKeys
            publicKeys += try Self.publicKeys(of: keychain)
        }
    }

    private static func publicKeys(
        of keychain: Keychain
    ) throws(KeychainError) -> [PublicKeyInfo] {
        let query = ItemQuery(
            .key,
            attributes: [.keyClass: .integer(0)],
            synchronizable: .any,
            access: KeychainFile.access,
            wantsSecret: true
        )
        return try keychain.find(query).items.compactMap { item in
            guard case .integer(let type) = item.attributes[.type],
                case .integer(let bits) = item.attributes[.keySize], let bytes = item.secret
            else { return nil }
            return PublicKeyInfo(type: String(type), bits: Int(bits), external: bytes)
        }
    }

    private var count: Int { certificates.count + privateKeys.count + publicKeys.count }

    // MARK: Writing

    /// The file's bytes.
    ///
    /// `isArmoured`: PEM also where one item could be written as it is. `passphrase`: private keys
    /// are encrypted under it.
    func file(
        _ format: Format?,
        isArmoured: Bool,
        passphrase: [UInt8]?
    ) throws(KeychainFileError) -> [UInt8] {
        guard count > 0 else { throw .nothingFound }
        do {
            switch format {
            case .pkcs12:
                guard let passphrase else { throw KeychainFileError.passphraseNeeded }
                guard certificates.count + privateKeys.count > 0 else {
                    throw KeychainFileError.unsupported
                }
                let bundle = KeyBundle(keys: privateKeys, certificates: certificates)
                return try bundle.pkcs12(passphrase: passphrase)
            case .raw:
                return try one {
                    $0.external
                } key: {
                    $0.external
                }
            case .x509:
                guard privateKeys.isEmpty, publicKeys.isEmpty else {
                    throw KeychainFileError.unsupported
                }
                return isArmoured || count > 1 ? try pem(.x509, passphrase) : certificates[0].der
            case .pkcs8:
                guard certificates.isEmpty else { throw KeychainFileError.unsupported }
                guard !isArmoured, count == 1, passphrase == nil else {
                    return try pem(.pkcs8, passphrase)
                }
                return try one {
                    try $0.pkcs8()
                } key: {
                    try $0.subjectPublicKeyInfo()
                }
            case .openssl: return try pem(.openssl, passphrase)
            case .pemseq, .none: return try pem(.pemseq, passphrase)
            }
        } catch let error as KeychainFileError {
            throw error
        } catch let error as PrivateKeysError {
            throw KeychainFileError(error)
        } catch {
            throw .unsupported
        }
    }

    private func one(
        _ privateKey: (PrivateKey) throws -> [UInt8],
        key publicKey: (PublicKeyInfo) throws -> [UInt8]
    ) throws -> [UInt8] {
        guard count == 1, certificates.isEmpty else { throw KeychainFileError.unsupported }
        if let key = privateKeys.first { return try privateKey(key) }
        return try publicKey(publicKeys[0])
    }

    private func pem(_ format: Format, _ passphrase: [UInt8]?) throws -> [UInt8] {
        var text = ""
        for certificate in certificates { text += try certificate.pem() }
        for key in privateKeys {
            let isOld = format == .openssl && passphrase == nil && key.kind != .ed25519
            text += try isOld ? key.traditionalPEM() : key.pem(passphrase: passphrase)
        }
        for key in publicKeys { text += try key.pem() }
        return Array(text.utf8)
    }
}
