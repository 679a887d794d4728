/// Why a private key could not be read, made or written.
package enum PrivateKeysError: Error, Equatable {
    /// The bytes are not a readable private key or file with keys.
    case malformed
    /// The input is larger than any key, or its key derivation would take minutes.
    case tooLarge
    /// The input is encrypted, and no passphrase was given.
    case passphraseNeeded
    /// The passphrase is wrong, or the input is damaged.
    case wrongPassphrase
    /// The kind of key, the curve or the cipher is not supported.
    case unsupported
    /// OpenSSL refused an operation that cannot fail with valid arguments.
    case library(code: UInt)
}
