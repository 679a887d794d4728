internal import KSCOpenSSL

/// Why a certificate or a key could not be read, made, written or used.
package enum OpenSSLError: Error, Equatable {
    /// The bytes are not a readable certificate, key or file with these.
    case malformed
    /// The input is larger than any certificate or key, or its key derivation would take minutes.
    case tooLarge
    /// The input is encrypted, and no passphrase was given.
    case passphraseNeeded
    /// The passphrase is wrong, or the input is damaged.
    case wrongPassphrase
    /// The kind of key, the curve or the cipher is not supported.
    case unsupported
    /// A host name or an address has invalid characters.
    case nameRefused
    /// The certificate would be valid for less than a day, or for longer than clients accept.
    case validityRefused
    /// OpenSSL refused an operation that cannot fail with valid arguments.
    case library(code: UInt)
}

extension OpenSSLError {
    /// The newest error of this thread's queue; empties the queue.
    package static func newest() -> OpenSSLError {
        let code = ERR_peek_last_error()
        return forgetting(.library(code: code))
    }

    /// Returns `error` in place of the library's error; empties the library's queue.
    package static func forgetting(_ error: OpenSSLError) -> OpenSSLError {
        ERR_clear_error()
        return error
    }
}
