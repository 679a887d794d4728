/// Why a certificate could not be made or read.
package enum CertificatesError: Error, Equatable {
    /// A host name or an address has characters that no name or address has.
    case nameRefused
    /// The text holds no certificate that OpenSSL can read.
    case malformed
    /// There are more bytes than any certificate or key has.
    case tooLarge
    /// The certificate would be valid for no day, or for longer than clients accept.
    case validityRefused
    /// OpenSSL refused an operation that cannot fail with valid arguments.
    case library(code: UInt)
}
