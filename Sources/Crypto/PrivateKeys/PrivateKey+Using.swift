internal import KSCOpenSSL
package import KSCertificates

// Operations with keys. An operation that a kind of key does not have is refused as unsupported.

extension PrivateKey {
    /// A new key.
    ///
    /// - Throws: ``OpenSSLError/unsupported`` for a size that the kind does not allow.
    package static func generate(_ kind: Kind, bits: Int) throws(OpenSSLError) -> PrivateKey {
        let name: String
        switch (kind, bits) {
        case (.rsa, 1024...8192): name = "RSA"
        case (.ellipticCurve, 256): name = "P-256"
        case (.ellipticCurve, 384): name = "P-384"
        case (.ellipticCurve, 521): name = "P-521"
        case (.ed25519, 256): name = "ED25519"
        case (.x25519, 256): name = "X25519"
        default: throw .unsupported
        }
        let type = kind == .ellipticCurve ? "EC" : name
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
            throw .newest()
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { throw .newest() }
        if kind == .rsa {
            guard unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1 else {
                throw .newest()
            }
        } else if kind == .ellipticCurve {
            guard unsafe EVP_PKEY_CTX_set_group_name(context, name) == 1 else { throw .newest() }
        }
        var pointer: OpaquePointer?
        guard unsafe EVP_PKEY_generate(context, &pointer) == 1, let pointer = unsafe pointer else {
            throw .newest()
        }
        return try PrivateKey(unsafe KeyHandle(taking: pointer))
    }

    package func sign(_ bytes: [UInt8], _ scheme: SignatureScheme) throws(OpenSSLError) -> [UInt8] {
        guard scheme.form.isOfRSA ? kind == .rsa : kind == .ellipticCurve else {
            throw .unsupported
        }
        // Raw signing and raw decryption are the same computation.
        if scheme.form == .raw { return try decrypt(bytes, .rsa(.zeros)) }
        let key = try handle()
        let signature = try KeyOperation(key).sign(bytes, scheme)
        guard scheme.form == .rfc4754 else { return signature }
        guard let numbers = SignatureNumbers(der: signature),
            let flat = numbers.flat(count: external.count / 3)
        else { throw .malformed }
        return flat
    }

    /// The secret that this key shares with another's public key.
    package func sharedSecret(with other: PublicKeyInfo) throws(OpenSSLError) -> [UInt8] {
        guard kind == .ellipticCurve || kind == .x25519, other.type == kind.rawValue else {
            throw .unsupported
        }
        let key = try handle()
        let peer = try other.handle()
        return try KeyOperation(key).sharedSecret(with: peer)
    }
}

extension PublicKeyInfo {
    /// Whether a signature is valid for these bytes; false for a malformed one.
    package func isValid(
        _ signature: [UInt8],
        of bytes: [UInt8],
        _ scheme: SignatureScheme
    ) throws(OpenSSLError) -> Bool {
        let kind: PrivateKey.Kind = scheme.form.isOfRSA ? .rsa : .ellipticCurve
        guard type == kind.rawValue else { throw .unsupported }
        if scheme.form == .raw {
            // As on Apple systems, bytes that begin with a zero are never equal.
            return try Array(encrypt(signature, .rsa(.zeros)).drop { $0 == 0 }) == bytes
        }
        var signature = signature
        if scheme.form == .rfc4754 {
            guard let numbers = SignatureNumbers(flat: signature, count: external.count / 2) else {
                return false
            }
            signature = numbers.der
        }
        let key = try handle()
        return try KeyOperation(key).isValid(signature, of: bytes, scheme)
    }
}

/// The two numbers of an ECDSA signature, without leading zeros.
private struct SignatureNumbers {
    private let numbers: [[UInt8]]

    /// SEQUENCE { INTEGER, INTEGER }.
    init?(der: [UInt8]) {
        guard let outer = DER.contents(of: der[...]), outer.tag == 0x30, outer.rest.isEmpty,
            let first = DER.contents(of: outer.contents), first.tag == 0x02,
            let second = DER.contents(of: first.rest), second.tag == 0x02, second.rest.isEmpty
        else { return nil }
        numbers = [first.contents, second.contents].map { Array($0.drop { $0 == 0 }) }
    }

    /// Both of `count` bytes, one after the other.
    init?(flat: [UInt8], count: Int) {
        guard flat.count == 2 * count else { return nil }
        numbers = [flat.prefix(count), flat.suffix(count)].map { Array($0.drop { $0 == 0 }) }
    }

    func flat(count: Int) -> [UInt8]? {
        var flat: [UInt8] = []
        for number in numbers {
            guard number.count <= count else { return nil }
            flat += [UInt8](repeating: 0, count: count - number.count) + number
        }
        return flat
    }

    var der: [UInt8] {
        DER.encode(
            tag: 0x30,
            numbers.flatMap { number in
                let isLarge = number.first.map { $0 & 0x80 != 0 } ?? true
                return DER.encode(tag: 0x02, (isLarge ? [0] : []) + number)
            }
        )
    }
}
