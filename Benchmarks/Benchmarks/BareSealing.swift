internal import KSCOpenSSL

/// The OpenSSL calls that sealing and opening one box cannot do without, in a bare loop.
///
/// Contexts are made once and nothing is allocated in between: this is what the machine can do.
@safe
struct BareSealing: ~Copyable {
    static let textByteCount = 512

    private let mac: OpaquePointer
    private let cipher: OpaquePointer
    private let algorithm: OpaquePointer
    private let digest: OpaquePointer
    private let key: [UInt8] = Array(repeating: 7, count: 32)
    private let nonce = [UInt8](repeating: 0, count: 12)
    private var salted = [UInt8](repeating: 0, count: 64 + Self.textByteCount)
    private var derived = [UInt8](repeating: 0, count: 64)
    private var sealed = [UInt8](repeating: 0, count: Self.textByteCount)
    private var opened = [UInt8](repeating: 0, count: Self.textByteCount)
    private var tag = [UInt8](repeating: 0, count: 16)

    init() {
        guard let hmac = unsafe EVP_MAC_fetch(nil, "HMAC", nil),
            let mac = unsafe EVP_MAC_CTX_new(hmac),
            let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil),
            let cipher = unsafe EVP_CIPHER_CTX_new(),
            let digest = unsafe EVP_MD_fetch(nil, "SHA256", nil)
        else { preconditionFailure("OpenSSL lacks what this measures") }
        unsafe self.mac = mac
        unsafe self.cipher = cipher
        unsafe self.algorithm = algorithm
        unsafe self.digest = digest
        // The parameter keeps both addresses, so both strings have to outlive the call.
        let status = unsafe OSSL_MAC_PARAM_DIGEST.withCString { parameter in
            unsafe "SHA256".withCString { name in
                let value = unsafe UnsafeMutablePointer(mutating: name)
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(parameter, value, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_init(mac, key, key.count, &parameters)
            }
        }
        precondition(status == 1)
    }

    /// Draws a salt, derives key and commitment, seals and opens.
    mutating func sealAndOpen(context: [UInt8]) {
        unsafe RAND_bytes(&salted, 32)
        hash(context)
        authenticate(salted, at: 0)
        expand()
        run(sealing: true)
        hash(context)
        expand()
        run(sealing: false)
    }

    private mutating func hash(_ context: [UInt8]) {
        var length: UInt32 = 0
        unsafe EVP_Digest(context, context.count, &derived, &length, digest, nil)
    }

    /// HKDF-Expand to 64 bytes: two HMACs, of some hundred bytes each.
    private mutating func expand() {
        let info = Array(salted[..<140])
        authenticate(info, at: 0)
        authenticate(info, at: 32)
    }

    private mutating func authenticate(_ bytes: [UInt8], at offset: Int) {
        var written = 0
        unsafe EVP_MAC_init(mac, nil, 0, nil)
        unsafe EVP_MAC_update(mac, bytes, bytes.count)
        unsafe derived.withUnsafeMutableBufferPointer { target in
            guard let start = target.baseAddress else { return }
            unsafe EVP_MAC_final(mac, start + offset, &written, 32)
        }
    }

    private mutating func run(sealing: Bool) {
        var written: Int32 = 0
        let count = Int32(Self.textByteCount)
        unsafe EVP_CipherInit_ex2(cipher, algorithm, derived, nonce, sealing ? 1 : 0, nil)
        if sealing {
            unsafe EVP_CipherUpdate(cipher, &sealed, &written, opened, count)
            unsafe EVP_CipherFinal_ex(cipher, &tag, &written)
            unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        } else {
            unsafe EVP_CipherUpdate(cipher, &opened, &written, sealed, count)
            unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, &tag)
            let status = unsafe EVP_CipherFinal_ex(cipher, &tag, &written)
            precondition(status == 1, "the bare loop has to open what it sealed")
        }
    }
}
