internal import KSCOpenSSL
package import KSCertificates

extension PrivateKey {
    /// PKCS#8 as PEM, encrypted (PBES2: PBKDF2 with HMAC-SHA-256, AES-256-CBC) under a passphrase
    /// if there is one.
    package func pem(passphrase: [UInt8]? = nil) throws(OpenSSLError) -> String {
        let handle = try handle()
        guard let passphrase else {
            return try unsafe Output.text(isSecret: true) {
                unsafe PEM_write_bio_PKCS8PrivateKey($0, handle.pointer, nil, nil, 0, nil, nil)
            }
        }
        let encrypted = try unsafe Self.encrypt(handle, passphrase)
        defer { unsafe X509_SIG_free(encrypted) }
        return try unsafe Output.text(isSecret: true) { unsafe PEM_write_bio_PKCS8($0, encrypted) }
    }

    /// The older PEM forms, PKCS#1 and SEC 1, whose first line names the kind of key.
    package func traditionalPEM() throws(OpenSSLError) -> String {
        let handle = try handle()
        let key = unsafe handle.pointer
        do {
            return try unsafe Output.text(isSecret: true) {
                unsafe PEM_write_bio_PrivateKey_traditional($0, key, nil, nil, 0, nil, nil)
            }
        } catch {
            throw .unsupported
        }
    }

    /// PKCS#8 in DER, not encrypted.
    package func pkcs8() throws(OpenSSLError) -> [UInt8] {
        let handle = try handle()
        return try unsafe Output.bytes(isSecret: true) {
            unsafe i2d_PKCS8PrivateKeyInfo_bio($0, handle.pointer)
        }
    }

    private static func encrypt(
        _ handle: borrowing KeyHandle,
        _ passphrase: [UInt8]
    ) throws(OpenSSLError) -> OpaquePointer {
        let words = try CPassphrase(passphrase)
        guard let info = unsafe EVP_PKEY2PKCS8(handle.pointer) else { throw .newest() }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let encrypted = unsafe PKCS8_encrypt(
            -1,
            EVP_aes_256_cbc(),
            words.pointer,
            Int32(words.count),
            nil,
            0,
            Passphrase.iterations,
            info
        )
        guard let encrypted = unsafe encrypted else { throw .newest() }
        return unsafe encrypted
    }
}
