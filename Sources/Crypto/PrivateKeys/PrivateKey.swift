internal import KSCOpenSSL
internal import Foundation
package import KSCertificates
internal import KSRedaction

/// A private key in the form of keychain items.
///
/// Its bytes are not overwritten: free the value soon.
package struct PrivateKey: Equatable, Sendable {
    /// `kSecAttrKeyType`'s values.
    package enum Kind: String, Sendable {
        case rsa = "42"
        case ellipticCurve = "73"
        case ed25519 = "105"
        case x25519 = "106"
    }

    /// Larger than any key in use: RSA with 16,384 bits takes 10 KiB.
    package static let bytesMax = 64 << 10
    package static let rsaBits = 512...16_384

    package let kind: Kind
    /// `kSecAttrKeySizeInBits`.
    package let bits: Int
    /// The bytes that SecKeyCopyExternalRepresentation returns: PKCS#1 for RSA; 04, X, Y and K for
    /// elliptic curves; otherwise the raw key.
    package let external: [UInt8]
    package let publicKey: PublicKeyInfo

    /// SHA-1 of the public key: `klbl`, equal to the `pkhh` of the key's certificates.
    package var publicKeyHash: [UInt8] { publicKey.hash }

    /// Reads a key in the form of an item.
    ///
    /// - Throws: ``OpenSSLError/malformed`` if the bytes are not such a key.
    package init(external: [UInt8], kind: Kind) throws(OpenSSLError) {
        guard external.count <= Self.bytesMax else { throw .tooLarge }
        try self.init(Self.handle(external: external, kind: kind))
    }

    /// Reads a key in DER: PKCS#8, PKCS#1 or SEC 1, which it detects.
    ///
    /// `passphrase` opens PKCS#8 that is encrypted.
    package init(der: [UInt8], passphrase: [UInt8]? = nil) throws(OpenSSLError) {
        guard der.count <= Self.bytesMax else { throw .tooLarge }
        if let encrypted = try EncryptedKey(der: der) {
            guard let passphrase else { throw .passphraseNeeded }
            try self.init(encrypted.open(passphrase))
        } else {
            try self.init(Self.handle(der: der))
        }
    }

    /// A block of PEM: PRIVATE KEY, ENCRYPTED PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY.
    package init(pem block: PEMBlock, passphrase: [UInt8]? = nil) throws(OpenSSLError) {
        guard block.text.utf8.count <= 2 * Self.bytesMax else { throw .tooLarge }
        let isEncrypted =
            block.label == "ENCRYPTED PRIVATE KEY" || block.text.contains("Proc-Type: 4,ENCRYPTED")
        guard !isEncrypted || passphrase != nil else { throw .passphraseNeeded }
        if block.label == "ENCRYPTED PRIVATE KEY" {
            try self.init(der: Self.body(of: block), passphrase: passphrase)
            return
        }
        let words = try CPassphrase(passphrase ?? [])
        let pointer: OpaquePointer
        do throws(OpenSSLError) {
            // With a passphrase, even an empty one, OpenSSL does not ask for it on the terminal.
            unsafe pointer = try TextInput.read(block.text) { input in
                unsafe PEM_read_bio_PrivateKey(input, nil, nil, words.pointer)
            }
        } catch .malformed where isEncrypted {
            throw .wrongPassphrase
        }
        try self.init(unsafe KeyHandle(taking: pointer))
    }

    init(_ handle: borrowing KeyHandle) throws(OpenSSLError) {
        defer { ERR_clear_error() }
        bits = Int(unsafe EVP_PKEY_get_bits(handle.pointer))
        guard let type = unsafe PublicKeyInfo.type(of: handle.pointer),
            let kind = Kind(rawValue: type)
        else { throw .unsupported }
        self.kind = kind
        switch kind {
        case .rsa:
            guard Self.rsaBits.contains(bits) else { throw .unsupported }
            external = try unsafe DER.encode { unsafe i2d_PrivateKey(handle.pointer, $0) }
            publicKey = try PublicKeyInfo(handle)
        case .ellipticCurve:
            external = try Self.numbers(handle)
            // OpenSSL would write the point in the form that the key was read in.
            let point = Array(external.prefix(external.count / 3 * 2 + 1))
            publicKey = PublicKeyInfo(type: type, bits: bits, external: point)
        case .ed25519, .x25519:
            external = try Self.rawBytes(handle)
            publicKey = try PublicKeyInfo(handle)
        }
    }
}

// MARK: Reading

extension PrivateKey {
    func handle() throws(OpenSSLError) -> KeyHandle {
        try Self.handle(external: external, kind: kind)
    }

    private static func handle(external: [UInt8], kind: Kind) throws(OpenSSLError) -> KeyHandle {
        switch kind {
        case .rsa: return try handle(der: external, only: EVP_PKEY_RSA)
        case .ellipticCurve:
            guard let curve = Curve(externalCount: external.count), external.first == 0x04 else {
                throw .malformed
            }
            let key = try handle(der: curve.sec1(external), only: EVP_PKEY_EC)
            guard curve.matches(key) else { throw .malformed }
            return key
        case .ed25519, .x25519:
            guard external.count == 32 else { throw .malformed }
            let number = kind == .ed25519 ? EVP_PKEY_ED25519 : EVP_PKEY_X25519
            guard let pointer = unsafe EVP_PKEY_new_raw_private_key(number, nil, external, 32)
            else { throw .newest() }
            return unsafe KeyHandle(taking: pointer)
        }
    }

    private static func handle(
        der: [UInt8],
        only number: Int32? = nil
    ) throws(OpenSSLError) -> KeyHandle {
        let decoded = try unsafe DER.decode(der) { position, count in
            guard let number else { return unsafe d2i_AutoPrivateKey(nil, position, count) }
            return unsafe d2i_PrivateKey(number, nil, position, count)
        }
        let key = unsafe KeyHandle(taking: decoded.value)
        guard unsafe decoded.isWhole else { throw .malformed }
        return key
    }

    /// The bytes between a block's two lines.
    private static func body(of block: PEMBlock) throws(OpenSSLError) -> [UInt8] {
        let lines = block.text.split(separator: "\n").dropFirst().dropLast()
        let characters = lines.joined().utf8.filter { !" \r".utf8.contains($0) }
        guard let bytes = Data(base64Encoded: Data(characters)), !bytes.isEmpty else {
            throw .malformed
        }
        return [UInt8](bytes)
    }

    private static func rawBytes(_ handle: borrowing KeyHandle) throws(OpenSSLError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = 32
        guard unsafe EVP_PKEY_get_raw_private_key(handle.pointer, &bytes, &count) == 1, count == 32
        else { throw .newest() }
        return bytes
    }

    /// 04, X, Y and K.
    private static func numbers(_ handle: borrowing KeyHandle) throws(OpenSSLError) -> [UInt8] {
        guard let curve = Curve(handle) else { throw .unsupported }
        return try [0x04]
            + number(handle, OSSL_PKEY_PARAM_EC_PUB_X, count: curve.coordinateCount)
            + number(handle, OSSL_PKEY_PARAM_EC_PUB_Y, count: curve.coordinateCount)
            + number(handle, OSSL_PKEY_PARAM_PRIV_KEY, count: curve.coordinateCount)
    }

    private static func number(
        _ handle: borrowing KeyHandle,
        _ name: String,
        count: Int
    ) throws(OpenSSLError) -> [UInt8] {
        var value: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(handle.pointer, name, &value) == 1 else {
            throw .forgetting(.malformed)
        }
        defer { unsafe BN_clear_free(value) }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe BN_bn2binpad(value, &bytes, Int32(count)) == Int32(count) else {
            throw .forgetting(.malformed)
        }
        return bytes
    }
}

extension PrivateKey: Redacted {
    package var shownPart: String { "\(kind), \(bits) bits" }
}
