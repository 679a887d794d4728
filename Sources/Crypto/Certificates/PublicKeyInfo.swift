internal import KSCOpenSSL
internal import KSDigests

/// A public key in the form of keychain items.
package struct PublicKeyInfo: Equatable, Sendable {
    /// `kSecAttrKeyType`'s value: "42" for RSA, "73" for elliptic curves, "105" for Ed25519, "106"
    /// for X25519.
    package let type: String
    package let bits: Int
    /// The bytes in the bit string of a certificate's key.
    ///
    /// SecKeyCopyExternalRepresentation returns the same: PKCS#1 for RSA, the point (X9.63) for
    /// elliptic curves, otherwise the raw key.
    package let external: [UInt8]

    /// SHA-1 of ``external``, by which certificate and key are matched (`pkhh`, `klbl`).
    package var hash: [UInt8] { SHA1.hash(external) }

    package init(type: String, bits: Int, external: [UInt8]) {
        self.type = type
        self.bits = bits
        self.external = external
    }

    /// Reads a block of PEM: PUBLIC KEY or RSA PUBLIC KEY.
    package init(pem block: PEMBlock) throws(OpenSSLError) {
        guard block.text.utf8.count <= ParsedCertificate.bytesMax else { throw .tooLarge }
        let key = try unsafe TextInput.read(block.text) { input in
            unsafe PEM_read_bio_PUBKEY(input, nil, nil, nil)
        }
        try self.init(unsafe KeyHandle(taking: key))
    }

    /// Reads a SubjectPublicKeyInfo in DER (RFC 5280 §4.1).
    package init(der: [UInt8]) throws(OpenSSLError) {
        guard der.count <= ParsedCertificate.bytesMax else { throw .tooLarge }
        let decoded = try unsafe DER.decode(der) { unsafe d2i_PUBKEY(nil, $0, $1) }
        let key = unsafe KeyHandle(taking: decoded.value)
        guard unsafe decoded.isWhole else { throw .malformed }
        try self.init(key)
    }

    /// The public half of a key.
    package init(_ key: borrowing KeyHandle) throws(OpenSSLError) {
        let pointer = unsafe key.pointer
        guard let type = unsafe Self.type(of: pointer) else { throw .malformed }
        let encoded = try unsafe DER.encode { unsafe i2d_PUBKEY(pointer, $0) }
        // SEQUENCE { algorithm SEQUENCE, BIT STRING }: the bits follow the count of unused bits.
        guard let outer = DER.contents(of: encoded[...])?.contents,
            let algorithm = DER.contents(of: outer),
            let bits = DER.contents(of: algorithm.rest)?.contents, bits.first == 0
        else { throw .malformed }
        self.init(
            type: type,
            bits: Int(unsafe EVP_PKEY_get_bits(pointer)),
            external: Array(bits.dropFirst())
        )
    }

    /// The type's number; nil if keychain items do not support it.
    package static func type(of key: OpaquePointer) -> String? {
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: "42"
        case EVP_PKEY_EC: "73"
        case EVP_PKEY_ED25519: "105"
        case EVP_PKEY_X25519: "106"
        default: nil
        }
    }

    /// The key as SubjectPublicKeyInfo in PEM.
    ///
    /// - Throws: ``OpenSSLError/malformed`` if the bytes are not such a key.
    package func pem() throws(OpenSSLError) -> String {
        let key = try handle()
        return try unsafe Output.text { unsafe PEM_write_bio_PUBKEY($0, key.pointer) }
    }

    /// OpenSSL's form of the key.
    ///
    /// - Throws: ``OpenSSLError/malformed`` if the bytes are not such a key.
    package func handle() throws(OpenSSLError) -> KeyHandle {
        let encoded = try subjectPublicKeyInfo()
        let decoded = try unsafe DER.decode(encoded) { unsafe d2i_PUBKEY(nil, $0, $1) }
        return unsafe KeyHandle(taking: decoded.value)
    }

    /// The key as SubjectPublicKeyInfo in DER.
    package func subjectPublicKeyInfo() throws(OpenSSLError) -> [UInt8] {
        let algorithm: [UInt8]
        switch (type, external.count) {
        case ("42", _):
            algorithm = DER.objectIdentifier("1.2.840.113549.1.1.1") + DER.encode(tag: 0x05, [])
        case ("73", 65): algorithm = Self.curve("1.2.840.10045.3.1.7")
        case ("73", 97): algorithm = Self.curve("1.3.132.0.34")
        case ("73", 133): algorithm = Self.curve("1.3.132.0.35")
        case ("105", 32): algorithm = DER.objectIdentifier("1.3.101.112")
        case ("106", 32): algorithm = DER.objectIdentifier("1.3.101.110")
        default: throw .malformed
        }
        return DER.encode(
            tag: 0x30,
            DER.encode(tag: 0x30, algorithm) + DER.encode(tag: 0x03, [0] + external)
        )
    }

    private static func curve(_ identifier: String) -> [UInt8] {
        DER.objectIdentifier("1.2.840.10045.2.1") + DER.objectIdentifier(identifier)
    }
}
