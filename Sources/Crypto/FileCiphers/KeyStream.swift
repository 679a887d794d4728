internal import KSCGcrypt

/// The bytes that a stream cipher adds to one secret value after the other.
@safe
package final class KeyStream {
    package enum Algorithm: Sendable {
        /// Salsa20 (Bernstein 2005) with a nonce of 8 bytes.
        case salsa20
        /// ChaCha20 (RFC 8439) with a nonce of 12 bytes, from block 0.
        case chaCha20

        package var nonceByteCount: Int { self == .salsa20 ? 8 : 12 }
    }

    private let handle: gcry_cipher_hd_t

    package init(
        _ algorithm: Algorithm,
        key: [UInt8],
        nonce: [UInt8]
    ) throws(FileCipherError) {
        guard key.count == FileCipher.Algorithm.keyByteCount,
            nonce.count == algorithm.nonceByteCount
        else { throw .wrongLength }
        let cipher = algorithm == .salsa20 ? GCRY_CIPHER_SALSA20 : GCRY_CIPHER_CHACHA20
        let handle = unsafe try Gcrypt.open(cipher, GCRY_CIPHER_MODE_STREAM)
        unsafe self.handle = handle
        guard unsafe gcry_cipher_setkey(handle, key, key.count) == 0,
            unsafe gcry_cipher_setiv(handle, nonce, nonce.count) == 0
        else { throw .library }
    }

    deinit {
        unsafe gcry_cipher_close(handle)
    }

    /// Encrypts or decrypts the next bytes, which is the same.
    package func apply(to bytes: inout [UInt8]) throws(FileCipherError) {
        guard !bytes.isEmpty else { return }
        let count = bytes.count
        guard unsafe gcry_cipher_encrypt(handle, &bytes, count, nil, 0) == 0 else {
            throw .library
        }
    }
}
