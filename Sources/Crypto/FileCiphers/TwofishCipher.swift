internal import KSCGcrypt

/// Libgcrypt, which has the ciphers that OpenSSL lacks.
enum Gcrypt {
    private static let isReady = keychain_sync_gcrypt_begin() == 1

    static func open(
        _ cipher: gcry_cipher_algos,
        _ mode: gcry_cipher_modes
    ) throws(FileCipherError) -> gcry_cipher_hd_t {
        guard isReady else { throw .library }
        var handle: gcry_cipher_hd_t?
        let status = unsafe gcry_cipher_open(
            &handle,
            Int32(cipher.rawValue),
            Int32(mode.rawValue),
            0
        )
        guard status == 0, let handle = unsafe handle else { throw .library }
        return unsafe handle
    }
}

/// Twofish in CBC with the padding of PKCS #7, which libgcrypt leaves to its callers.
@safe
final class TwofishCipher {
    private let handle: gcry_cipher_hd_t
    private let encrypts: Bool
    /// Bytes that do not fill a block yet.
    ///
    /// Of what is decrypted also the last block, which has the padding.
    private var rest: [UInt8] = []
    private static let blockByteCount = 16

    init(_ encrypts: Bool, _ key: [UInt8], _ vector: [UInt8]) throws(FileCipherError) {
        let handle = unsafe try Gcrypt.open(GCRY_CIPHER_TWOFISH, GCRY_CIPHER_MODE_CBC)
        unsafe self.handle = handle
        self.encrypts = encrypts
        guard unsafe gcry_cipher_setkey(handle, key, key.count) == 0,
            unsafe gcry_cipher_setiv(handle, vector, vector.count) == 0
        else { throw .library }
    }

    deinit {
        unsafe gcry_cipher_close(handle)
    }

    func update(_ bytes: ArraySlice<UInt8>) throws(FileCipherError) -> [UInt8] {
        rest += bytes
        var size = rest.count / Self.blockByteCount * Self.blockByteCount
        if !encrypts, size == rest.count { size -= Self.blockByteCount }
        guard size > 0 else { return [] }
        let whole = Array(rest[..<size])
        rest.removeFirst(size)
        return try run(whole)
    }

    func finish() throws(FileCipherError) -> [UInt8] {
        guard !encrypts else {
            let padding = Self.blockByteCount - rest.count % Self.blockByteCount
            return try run(rest + [UInt8](repeating: UInt8(padding), count: padding))
        }
        guard rest.count == Self.blockByteCount else { throw .notPadded }
        let last = try run(rest)
        let padding = last.last ?? 0
        guard (1...16).contains(padding), last.suffix(Int(padding)).allSatisfy({ $0 == padding })
        else { throw .notPadded }
        return Array(last.dropLast(Int(padding)))
    }

    private func run(_ bytes: [UInt8]) throws(FileCipherError) -> [UInt8] {
        var bytes = bytes
        let count = bytes.count
        let status =
            encrypts
            ? unsafe gcry_cipher_encrypt(handle, &bytes, count, nil, 0)
            : unsafe gcry_cipher_decrypt(handle, &bytes, count, nil, 0)
        guard status == 0 else { throw .library }
        return bytes
    }
}
