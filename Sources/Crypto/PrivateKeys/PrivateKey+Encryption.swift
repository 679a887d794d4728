package import KSCertificates
internal import KSDigests

// Encryption as Apple's Security does it: SecKeyAdaptors.c in its published source.

extension PublicKeyInfo {
    package func encrypt(
        _ bytes: [UInt8],
        _ scheme: EncryptionScheme
    ) throws(OpenSSLError) -> [UInt8] {
        guard type == (scheme.isOfRSA ? PrivateKey.Kind.rsa : .ellipticCurve).rawValue else {
            throw .unsupported
        }
        switch scheme {
        case .rsa(let padding): return try encrypt(bytes, padding)
        case .wrapped(let digest):
            let key = SystemRandomSource().bytes(wrappedKeyByteCount)
            let cipher = MessageCipher(key: key, associatedData: external)
            return try encrypt(key, .oaep(digest)) + cipher.seal(bytes)
        case .ecies(let digest, let derivesVector):
            let ephemeral = try PrivateKey.generate(.ellipticCurve, bits: bits)
            let secret = try ephemeral.sharedSecret(with: self)
            let point = ephemeral.publicKey.external
            let cipher = try digest.cipher(secret, point, derivesVector: derivesVector)
            return try point + cipher.seal(bytes)
        }
    }

    private func encrypt(
        _ bytes: [UInt8],
        _ padding: EncryptionPadding
    ) throws(OpenSSLError) -> [UInt8] {
        let bytes = padding == .zeros ? try padded(bytes) : bytes
        let key = try handle()
        return try KeyOperation(key).encrypt(bytes, padding)
    }

    /// The number of bytes of RSA's results.
    fileprivate var blockByteCount: Int { (bits + 7) / 8 }

    /// The key of AES that RSA encrypts.
    fileprivate var wrappedKeyByteCount: Int { bits >= 4096 ? 32 : 16 }

    /// The bytes with zeros before them, as raw RSA takes them.
    fileprivate func padded(_ bytes: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        guard bytes.count <= blockByteCount else { throw .tooLarge }
        return [UInt8](repeating: 0, count: blockByteCount - bytes.count) + bytes
    }
}

extension PrivateKey {
    package func decrypt(
        _ bytes: [UInt8],
        _ scheme: EncryptionScheme
    ) throws(OpenSSLError) -> [UInt8] {
        guard kind == (scheme.isOfRSA ? .rsa : .ellipticCurve) else { throw .unsupported }
        switch scheme {
        case .rsa(let padding): return try decrypt(bytes, padding)
        case .wrapped(let digest):
            let count = publicKey.blockByteCount
            let key = try decrypt(Array(bytes.prefix(count)), .oaep(digest))
            guard key.count == publicKey.wrappedKeyByteCount else { throw .malformed }
            let cipher = MessageCipher(key: key, associatedData: publicKey.external)
            return try cipher.open(Array(bytes.dropFirst(count)))
        case .ecies(let digest, let derivesVector):
            let point = Array(bytes.prefix(publicKey.external.count))
            guard point.first == 0x04 else { throw .malformed }
            let ephemeral = PublicKeyInfo(type: kind.rawValue, bits: bits, external: point)
            let cipher = try digest.cipher(
                sharedSecret(with: ephemeral),
                point,
                derivesVector: derivesVector
            )
            return try cipher.open(Array(bytes.dropFirst(point.count)))
        }
    }

    private func decrypt(
        _ bytes: [UInt8],
        _ padding: EncryptionPadding
    ) throws(OpenSSLError) -> [UInt8] {
        let bytes = padding == .zeros ? try publicKey.padded(bytes) : bytes
        let key = try handle()
        return try KeyOperation(key).decrypt(bytes, padding)
    }
}

extension DigestKind {
    /// The key derivation of X9.63: digests of the secret, a counter from 1, and the shared info.
    package func derived(
        _ secret: [UInt8],
        to count: Int,
        sharedInfo: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        var bytes: [UInt8] = []
        var counter: UInt32 = 1
        while bytes.count < count {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
            bytes += try hash(secret + number + sharedInfo)
            counter += 1
        }
        return Array(bytes.prefix(count))
    }

    /// The cipher of ECIES, derived from the shared secret and the new public key: AES-128 for
    /// curves of up to 256 bits, else AES-256.
    fileprivate func cipher(
        _ secret: [UInt8],
        _ point: [UInt8],
        derivesVector: Bool
    ) throws(OpenSSLError) -> MessageCipher {
        let count = point.count > 65 ? 32 : 16
        let vectorCount = derivesVector ? MessageCipher.vectorByteCount : 0
        let derived = try derived(secret, to: count + vectorCount, sharedInfo: point)
        var cipher = MessageCipher(key: Array(derived.prefix(count)))
        if derivesVector { cipher.vector = Array(derived.suffix(vectorCount)) }
        return cipher
    }
}
