package import KSAgent
internal import KSCertificates
package import KSKeychain
internal import KSPrivateKeys
internal import KSSecItem

/// Reads certificates and keys from a file, and adds them to a keychain.
package struct KeychainImport: Sendable {
    /// Which parts of the file to add.
    package enum Kind: String, Sendable {
        case publicKeys = "pub"
        case privateKeys = "priv"
        case certificates = "cert"
        case all = "agg"
    }

    private var certificates: [ParsedCertificate] = []
    private var privateKeys: [PrivateKey] = []
    private var publicKeys: [PublicKeyInfo] = []
    /// Whether a key and its certificate count as one identity, as in PKCS#12.
    private var isBundle = false

    /// Reads a file; without a format it is detected from the bytes.
    ///
    /// - Throws: ``KeychainFileError``.
    package init(
        _ bytes: [UInt8],
        format: KeyFileFormat?,
        kind: Kind,
        passphrase: [UInt8]?
    ) throws(KeychainFileError) {
        do throws(OpenSSLError) {
            if format == .pkcs12 || format == nil && KeyBundle.isPKCS12(bytes) {
                guard let passphrase else { throw .passphraseNeeded }
                let bundle = try KeyBundle(pkcs12: bytes, passphrase: passphrase)
                (certificates, privateKeys) = (bundle.certificates, bundle.keys)
                isBundle = true
            } else if let text = String(validating: bytes, as: UTF8.self),
                text.contains("-----BEGIN ")
            {
                try read(try PEMBlock.blocks(in: text), passphrase)
            } else {
                try read(der: bytes, passphrase)
            }
        } catch {
            throw KeychainFileError(error)
        }
        // A bundle is imported whole, as on macOS: scripts that pass "cert" expect the identity.
        if !isBundle { keep(kind) }
        guard certificates.count + privateKeys.count + publicKeys.count > 0 else {
            throw .nothingFound
        }
    }

    private mutating func read(_ blocks: [PEMBlock], _ passphrase: [UInt8]?) throws(OpenSSLError) {
        for block in blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
                certificates.append(try ParsedCertificate(pem: block.text))
            case "PKCS7", "PKCS #7 SIGNED DATA", "CMS":
                certificates += try CertificateBundle.certificates(pem: block)
            case "PUBLIC KEY", "RSA PUBLIC KEY":
                publicKeys.append(try PublicKeyInfo(pem: block))
            case _ where block.label.hasSuffix("PRIVATE KEY"):
                privateKeys.append(try PrivateKey(pem: block, passphrase: passphrase))
            default:
                // Parameters, revocation lists and requests are not keychain items.
                continue
            }
        }
    }

    private mutating func read(der: [UInt8], _ passphrase: [UInt8]?) throws(OpenSSLError) {
        // Tries one format after the other: a file without a certificate may hold several, or keys.
        if let certificate = try? ParsedCertificate(der: der) {
            certificates = [certificate]
            return
        }
        // A file that is not a bundle of certificates may hold a key.
        if let bundle = try? CertificateBundle.certificates(der: der) {
            certificates = bundle
            return
        }
        // A file that is not a public key may be a private one.
        if let key = try? PublicKeyInfo(der: der) {
            publicKeys = [key]
            return
        }
        privateKeys = [try PrivateKey(der: der, passphrase: passphrase)]
    }

    private mutating func keep(_ kind: Kind) {
        if kind == .certificates || kind == .publicKeys { privateKeys = [] }
        if kind == .privateKeys || kind == .publicKeys { certificates = [] }
        if kind == .certificates || kind == .privateKeys { publicKeys = [] }
    }

    // MARK: Adding

    /// Adds the parts that the keychain lacks, in one transaction.
    ///
    /// - Throws: ``KeychainError/duplicateItem`` when it has everything.
    package func add(
        to keychain: ItemStore,
        isExtractable: Bool
    ) throws(ItemStoreError) -> ImportedKeys {
        let areNew = try SecItemService(keychain: keychain)
            .addTogether(queries(isExtractable: isExtractable), client: KeychainFile.program)
        var counts = ImportedKeys()
        let firstCertificate = privateKeys.count + publicKeys.count
        let newKeys = zip(privateKeys, areNew).filter(\.1).map(\.0.publicKeyHash)
        counts.keys = areNew[privateKeys.count..<firstCertificate].count { $0 }
        var loneKeys = Set(newKeys)
        for (certificate, isNew) in zip(certificates, areNew[firstCertificate...]) where isNew {
            if isBundle, loneKeys.remove(certificate.publicKeyHash) != nil {
                counts.identities += 1
            } else {
                counts.certificates += 1
            }
        }
        counts.keys += loneKeys.count
        guard counts.identities + counts.keys + counts.certificates > 0 else {
            throw .duplicateItem
        }
        return counts
    }

    /// One query for each part of the file: private keys, public keys, certificates.
    private func queries(isExtractable: Bool) -> [AgentDictionary] {
        let privateQueries = privateKeys.map { key in
            let label = certificates.first { $0.publicKeyHash == key.publicKeyHash }?.summary
            var query = Self.query(key, label: label ?? "Imported Private Key")
            if !isExtractable { query["extr"] = 0 }
            return query
        }
        let publicQueries = publicKeys.map { key in
            Self.query(key, keyClass: "0", bytes: key.external, label: "Imported Public Key")
        }
        return privateQueries + publicQueries + certificates.map(Self.query)
    }

    private static func query(_ key: PrivateKey, label: String) -> AgentDictionary {
        query(key.publicKey, keyClass: "1", bytes: key.external, label: label)
    }

    private static func query(
        _ key: PublicKeyInfo,
        keyClass: String,
        bytes: [UInt8],
        label: String
    ) -> AgentDictionary {
        [
            "class": "keys",
            "labl": .string(label),
            "v_Ref": [
                "$ref": "keys",
                "key": .data(bytes),
                "kcls": .string(keyClass),
                "type": .string(key.type),
                "bsiz": .integer(Int64(key.bits)),
                "klbl": .data(key.hash),
            ],
        ]
    }

    private static func query(_ certificate: ParsedCertificate) -> AgentDictionary {
        [
            "class": "cert",
            "labl": .string(certificate.summary),
            "v_Ref": ["$ref": "cert", "certificate": .data(certificate.der)],
        ]
    }
}
