internal import KSCOpenSSL
internal import KSCertificates

/// A passphrase as a C string, overwritten when its owner is freed.
@safe
struct CPassphrase: ~Copyable {
    let pointer: UnsafeMutablePointer<CChar>
    let count: Int

    /// - Throws: ``OpenSSLError/wrongPassphrase`` for one with a zero byte, where C would cut
    ///   it.
    init(_ bytes: [UInt8]) throws(OpenSSLError) {
        guard !bytes.contains(0), bytes.count <= Passphrase.bytesMax else { throw .wrongPassphrase }
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in (bytes + [0]).enumerated() {
            unsafe pointer[index] = CChar(bitPattern: byte)
        }
        unsafe self.pointer = pointer
        count = bytes.count
    }

    deinit {
        unsafe OPENSSL_cleanse(pointer, count)
        unsafe pointer.deallocate()
    }
}

enum Passphrase {
    static let bytesMax = 1024
    /// Iterations in written files: OWASP (2023) advises 600,000 for PBKDF2 with HMAC-SHA-256.
    static let iterations: Int32 = 600_000
    /// Iterations in files that are read: some seconds, so that no file blocks the daemon for
    /// hours.
    static let iterationsMax: Int64 = 10_000_000

    /// Old ciphers, which other programs still use for exports.
    private static let hasOldCiphers: Bool = unsafe OSSL_PROVIDER_try_load(nil, "legacy", 1) != nil

    static func check(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(OpenSSLError) {
        guard let algorithm = unsafe algorithm else { throw .malformed }
        let count = unsafe keychain_sync_pbe_iterations(algorithm)
        ERR_clear_error()
        guard count > 0 else { throw .unsupported }
        guard count <= iterationsMax else { throw .tooLarge }
    }

    /// Loads OpenSSL's old ciphers, if this system has them.
    static func allowOldCiphers() {
        _ = hasOldCiphers
    }
}

/// EncryptedPrivateKeyInfo (PKCS#8, RFC 5958 §3).
@safe
struct EncryptedKey: ~Copyable {
    private let pointer: OpaquePointer

    /// Nil if the bytes are something else.
    init?(der: [UInt8]) throws(OpenSSLError) {
        // SEQUENCE { SEQUENCE …, OCTET STRING }; an unencrypted key begins with a number.
        guard let outer = DER.contents(of: der[...]), outer.tag == 0x30,
            let algorithm = DER.contents(of: outer.contents), algorithm.tag == 0x30,
            let box = DER.contents(of: algorithm.rest), box.tag == 0x04
        else { return nil }
        let decoded = try unsafe DER.decode(der) { unsafe d2i_X509_SIG(nil, $0, $1) }
        unsafe pointer = decoded.value
    }

    deinit {
        unsafe X509_SIG_free(pointer)
    }

    borrowing func open(_ passphrase: [UInt8]) throws(OpenSSLError) -> KeyHandle {
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(pointer, &algorithm, nil)
        try unsafe Passphrase.check(algorithm)
        Passphrase.allowOldCiphers()
        let words = try CPassphrase(passphrase)
        guard
            let info = unsafe PKCS8_decrypt(pointer, words.pointer, Int32(words.count))
        else { throw .forgetting(.wrongPassphrase) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let key = unsafe EVP_PKCS82PKEY(info) else { throw .forgetting(.unsupported) }
        return unsafe KeyHandle(taking: key)
    }
}
