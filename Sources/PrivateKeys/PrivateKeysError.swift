/// Why a private key could not be read, made or written.
package enum PrivateKeysError: Error, Equatable {
    /// The bytes are no private key, and no file with keys, that can be read.
    case malformed
    /// There are more bytes than any key has, or a passphrase would be hashed for minutes.
    case tooLarge
    /// What is there is encrypted, and no passphrase was given.
    case passphraseNeeded
    /// The passphrase does not open what is there, or that is damaged.
    case wrongPassphrase
    /// A kind of key, a curve, or a cipher that is not known here.
    case unsupported
    /// OpenSSL refused an operation that cannot fail with valid arguments.
    case library(code: UInt)
}
