internal import KSCOpenSSL
package import KSCertificates

/// One computation with a key; the key has to outlive it.
@safe
struct KeyOperation: ~Copyable {
    private let context: OpaquePointer

    init(_ key: borrowing KeyHandle) throws(OpenSSLError) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw .newest()
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    // MARK: Signatures

    borrowing func sign(
        _ bytes: [UInt8],
        _ scheme: SignatureScheme
    ) throws(OpenSSLError) -> [UInt8] {
        let digest = try Self.digest(of: bytes, scheme)
        guard unsafe EVP_PKEY_sign_init(context) == 1 else { throw .newest() }
        try set(scheme)
        return try unsafe output { unsafe EVP_PKEY_sign($0, $1, $2, digest, digest.count) }
    }

    borrowing func isValid(
        _ signature: [UInt8],
        of bytes: [UInt8],
        _ scheme: SignatureScheme
    ) throws(OpenSSLError) -> Bool {
        let digest = try Self.digest(of: bytes, scheme)
        guard unsafe EVP_PKEY_verify_init(context) == 1 else { throw .newest() }
        try set(scheme)
        defer { ERR_clear_error() }
        let answer = unsafe EVP_PKEY_verify(
            context,
            signature,
            signature.count,
            digest,
            digest.count
        )
        return answer == 1
    }

    private borrowing func set(_ scheme: SignatureScheme) throws(OpenSSLError) {
        switch scheme.form {
        case .pkcs1:
            try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
        case .pss:
            try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
            let count = Int32(scheme.digest?.byteCount ?? 0)
            try unsafe check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, count))
        case .raw, .x962, .rfc4754:
            break
        }
        guard let digest = scheme.digest else { return }
        try unsafe check(EVP_PKEY_CTX_set_signature_md(context, digest.method))
        if scheme.form == .pss {
            try unsafe check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.method))
        }
    }

    /// The digest to sign: computed from the message, or given by the caller.
    private static func digest(
        of bytes: [UInt8],
        _ scheme: SignatureScheme
    ) throws(OpenSSLError) -> [UInt8] {
        guard let digest = scheme.digest else { return bytes }
        guard scheme.takesDigest else { return try digest.hash(bytes) }
        guard bytes.count == digest.byteCount else { throw .malformed }
        return bytes
    }

    // MARK: Encryption

    borrowing func encrypt(
        _ bytes: [UInt8],
        _ padding: EncryptionPadding
    ) throws(OpenSSLError) -> [UInt8] {
        guard unsafe EVP_PKEY_encrypt_init(context) == 1 else { throw .newest() }
        try set(padding)
        return try unsafe output { unsafe EVP_PKEY_encrypt($0, $1, $2, bytes, bytes.count) }
    }

    borrowing func decrypt(
        _ bytes: [UInt8],
        _ padding: EncryptionPadding
    ) throws(OpenSSLError) -> [UInt8] {
        guard unsafe EVP_PKEY_decrypt_init(context) == 1 else { throw .newest() }
        try set(padding)
        return try unsafe output { unsafe EVP_PKEY_decrypt($0, $1, $2, bytes, bytes.count) }
    }

    private borrowing func set(_ padding: EncryptionPadding) throws(OpenSSLError) {
        switch padding {
        case .zeros:
            try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING))
        case .pkcs1:
            try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
        case .oaep(let digest):
            try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
            try unsafe check(EVP_PKEY_CTX_set_rsa_oaep_md(context, digest.method))
            try unsafe check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.method))
        }
    }

    // MARK: Agreement

    /// The X coordinate of the shared point (SP 800-56A §5.7.1.2), or X25519's number.
    borrowing func sharedSecret(with other: borrowing KeyHandle) throws(OpenSSLError) -> [UInt8] {
        guard unsafe EVP_PKEY_derive_init(context) == 1 else { throw .newest() }
        guard unsafe EVP_PKEY_derive_set_peer(context, other.pointer) == 1 else {
            throw .forgetting(.malformed)
        }
        return try unsafe output { unsafe EVP_PKEY_derive($0, $1, $2) }
    }

    private borrowing func check(_ answer: Int32) throws(OpenSSLError) {
        guard answer > 0 else { throw .forgetting(.unsupported) }
    }

    /// Calls the function for the size of its output, and again for the output.
    private borrowing func output(
        _ body: (OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) throws(OpenSSLError) -> [UInt8] {
        var count = 0
        guard unsafe body(context, nil, &count) == 1 else { throw .forgetting(.malformed) }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe body(context, &bytes, &count) == 1 else { throw .forgetting(.malformed) }
        return Array(bytes.prefix(count))
    }
}

extension DigestKind {
    var method: OpaquePointer? { unsafe EVP_get_digestbyname(rawValue) }
    var byteCount: Int { Int(unsafe EVP_MD_get_size(method)) }

    package func hash(_ bytes: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let isMade = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, method, nil)
        guard isMade == 1 else { throw .newest() }
        return digest
    }
}
