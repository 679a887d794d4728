internal import KSCOpenSSL
internal import KSSecrets

/// OpenSSL's form of a raw 32-byte private key.
@safe
final class PrivateKeyHandle: @unchecked Sendable {
    // Safety: never changed after `init`; OpenSSL's operations on a key only read it.
    let pointer: OpaquePointer
    let publicKey: [UInt8]

    /// Reads the 32 bytes as a key of `kind`, EVP_PKEY_ED25519 or EVP_PKEY_X25519.
    init(kind: Int32, bytes: SharedSecret) {
        precondition(bytes.count == 32, "a private key has 32 bytes")
        let key = unsafe bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe EVP_PKEY_new_raw_private_key(kind, nil, bytes.baseAddress, bytes.count)
            }
        }
        guard let key = unsafe key else { preconditionFailure("OpenSSL refused 32 bytes as a key") }
        unsafe pointer = key
        var publicKey = [UInt8](repeating: 0, count: 32)
        var count = publicKey.count
        let status = unsafe EVP_PKEY_get_raw_public_key(key, &publicKey, &count)
        precondition(status == 1 && count == 32, "OpenSSL gave no public key")
        self.publicKey = publicKey
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}
