internal import KSCOpenSSL
internal import KSCertificates

/// AES-GCM of one message as Apple's key algorithms use it: a key of 16 or 32 bytes, a vector and a
/// tag of 16.
struct MessageCipher {
    static let vectorByteCount = 16
    static let tagByteCount = 16
    static let zeroVector = [UInt8](repeating: 0, count: vectorByteCount)

    let key: [UInt8]
    var vector = MessageCipher.zeroVector
    var associatedData: [UInt8] = []

    /// Gives ciphertext ‖ tag.
    func seal(_ text: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let run = try CipherRun(self, isSealing: true)
        return try run.process(text) + run.tag()
    }

    /// - Throws: ``OpenSSLError/malformed`` if the tag is not valid.
    func open(_ sealed: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        guard sealed.count >= Self.tagByteCount else { throw .malformed }
        let run = try CipherRun(self, isSealing: false)
        let text = try run.process(Array(sealed.dropLast(Self.tagByteCount)))
        try run.check(tag: Array(sealed.suffix(Self.tagByteCount)))
        return text
    }
}

/// OpenSSL's working memory for one message.
@safe
private final class CipherRun {
    private let context: OpaquePointer

    init(_ cipher: MessageCipher, isSealing: Bool) throws(OpenSSLError) {
        precondition([16, 32].contains(cipher.key.count))
        precondition(cipher.vector.count == MessageCipher.vectorByteCount)
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .newest() }
        unsafe self.context = context
        let direction: Int32 = isSealing ? 1 : 0
        let algorithm = unsafe cipher.key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        let count = Int32(MessageCipher.vectorByteCount)
        var written: Int32 = 0
        // The length of the vector has to be known before the vector itself.
        guard unsafe EVP_CipherInit_ex2(context, algorithm, nil, nil, direction, nil) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, count, nil) == 1,
            unsafe EVP_CipherInit_ex2(context, nil, cipher.key, cipher.vector, direction, nil) == 1,
            unsafe EVP_CipherUpdate(
                context,
                nil,
                &written,
                cipher.associatedData,
                Int32(cipher.associatedData.count)
            ) == 1
        else { throw .newest() }
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    func process(_ bytes: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        guard let count = Int32(exactly: bytes.count) else { throw .tooLarge }
        var result = [UInt8](repeating: 0, count: bytes.count)
        var written: Int32 = 0
        guard unsafe EVP_CipherUpdate(context, &result, &written, bytes, count) == 1,
            written == count
        else { throw .newest() }
        return result
    }

    func tag() throws(OpenSSLError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: MessageCipher.tagByteCount)
        var written: Int32 = 0
        let count = Int32(MessageCipher.tagByteCount)
        guard unsafe EVP_CipherFinal_ex(context, &tag, &written) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, count, &tag) == 1
        else { throw .newest() }
        return tag
    }

    func check(tag: [UInt8]) throws(OpenSSLError) {
        var tag = tag
        var written: Int32 = 0
        var nothing: UInt8 = 0
        let count = Int32(MessageCipher.tagByteCount)
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, count, &tag) == 1,
            unsafe EVP_CipherFinal_ex(context, &nothing, &written) == 1
        else { throw .forgetting(.malformed) }
    }
}
