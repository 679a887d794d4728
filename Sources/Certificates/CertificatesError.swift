/// Why a certificate could not be made or read.
package enum CertificatesError: Error, Equatable {
    /// A host name or an address has invalid characters.
    case nameRefused
    /// OpenSSL cannot read a certificate in the text.
    case malformed
    /// The input is larger than any certificate or key.
    case tooLarge
    /// The certificate would be valid for less than a day, or for longer than clients accept.
    case validityRefused
    /// OpenSSL refused an operation that cannot fail with valid arguments.
    case library(code: UInt)
}
