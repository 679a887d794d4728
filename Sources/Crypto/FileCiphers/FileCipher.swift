internal import KSCOpenSSL

/// Encrypts or decrypts the contents of a file piece by piece.
///
/// It says nothing about whether the bytes were changed: what uses it authenticates them.
package final class FileCipher {
    package enum Algorithm: Hashable, Sendable, CaseIterable {
        /// AES-256 (FIPS 197) in CBC with the padding of PKCS #7.
        case aes256
        /// Twofish with a key of 256 bits, in CBC with the padding of PKCS #7.
        case twofish
        /// ChaCha20 (RFC 8439) from block 0.
        case chaCha20

        package var vectorByteCount: Int { self == .chaCha20 ? 12 : 16 }
        package static let keyByteCount = 32
    }

    package enum Direction: Sendable {
        case encrypt
        case decrypt
    }

    private enum Engine {
        case openSSL(OpenSSLCipher)
        case twofish(TwofishCipher)
    }

    private let engine: Engine

    /// - Throws: ``FileCipherError/wrongLength`` for a key or vector of another length.
    package init(
        _ algorithm: Algorithm,
        _ direction: Direction,
        key: [UInt8],
        vector: [UInt8]
    ) throws(FileCipherError) {
        guard key.count == Algorithm.keyByteCount, vector.count == algorithm.vectorByteCount else {
            throw .wrongLength
        }
        let encrypts = direction == .encrypt
        switch algorithm {
        case .aes256:
            engine = .openSSL(try OpenSSLCipher("AES-256-CBC", encrypts, key, vector))
        case .chaCha20:
            // OpenSSL puts the number of the first block before the nonce.
            engine = .openSSL(try OpenSSLCipher("ChaCha20", encrypts, key, [0, 0, 0, 0] + vector))
        case .twofish: engine = .twofish(try TwofishCipher(encrypts, key, vector))
        }
    }

    /// The next piece of the result, which may lag behind by a block.
    package func update(_ bytes: ArraySlice<UInt8>) throws(FileCipherError) -> [UInt8] {
        switch engine {
        case .openSSL(let cipher): try cipher.update(bytes)
        case .twofish(let cipher): try cipher.update(bytes)
        }
    }

    /// The rest of the result.
    ///
    /// - Throws: ``FileCipherError/notPadded`` when the padding is wrong.
    package func finish() throws(FileCipherError) -> [UInt8] {
        switch engine {
        case .openSSL(let cipher): try cipher.finish()
        case .twofish(let cipher): try cipher.finish()
        }
    }

    /// All bytes at once.
    package static func run(
        _ algorithm: Algorithm,
        _ direction: Direction,
        key: [UInt8],
        vector: [UInt8],
        _ bytes: ArraySlice<UInt8>
    ) throws(FileCipherError) -> [UInt8] {
        let cipher = try FileCipher(algorithm, direction, key: key, vector: vector)
        let start = try cipher.update(bytes)
        return start + (try cipher.finish())
    }
}

/// A cipher of OpenSSL.
@safe
final class OpenSSLCipher {
    private let context: OpaquePointer
    /// What may be held back, and is given with a later piece.
    private static let blockByteCount = 16

    init(
        _ name: String,
        _ encrypts: Bool,
        _ key: [UInt8],
        _ vector: [UInt8]
    ) throws(FileCipherError) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .library }
        unsafe self.context = context
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil) else { throw .library }
        // The context keeps it.
        defer { unsafe EVP_CIPHER_free(cipher) }
        let status = unsafe EVP_CipherInit_ex2(
            context,
            cipher,
            key,
            vector,
            encrypts ? 1 : 0,
            nil
        )
        guard status == 1 else { throw .library }
    }

    deinit {
        // It overwrites the expanded key.
        unsafe EVP_CIPHER_CTX_free(context)
    }

    func update(_ bytes: ArraySlice<UInt8>) throws(FileCipherError) -> [UInt8] {
        guard let size = Int32(exactly: bytes.count), size < Int32.max - 16 else { throw .library }
        var isDone = false
        let capacity = bytes.count + Self.blockByteCount
        let result = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var written: Int32 = 0
            let status = unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe EVP_CipherUpdate(
                    context,
                    buffer.baseAddress,
                    &written,
                    bytes.baseAddress,
                    size
                )
            }
            isDone = status == 1 || size == 0
            count = isDone ? Int(written) : 0
        }
        guard isDone else { throw .library }
        return result
    }

    func finish() throws(FileCipherError) -> [UInt8] {
        var isDone = false
        let result = unsafe [UInt8](unsafeUninitializedCapacity: Self.blockByteCount) {
            buffer,
            count in
            var written: Int32 = 0
            isDone = unsafe EVP_CipherFinal_ex(context, buffer.baseAddress, &written) == 1
            count = isDone ? Int(written) : 0
        }
        guard isDone else {
            ERR_clear_error()
            throw .notPadded
        }
        return result
    }
}
