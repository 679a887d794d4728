internal import KSCOpenSSL

/// The purpose that a certificate must allow.
///
/// Only the certificate itself is checked, not its signer: there is no list of trusted authorities.
package enum CertificatePolicy: Equatable, Sendable {
    /// Anything, while it is valid.
    case basic
    /// TLS, as a server; of this name or address, if one is given.
    case server(host: String?)
    /// TLS, as a client.
    case client
    /// Mail from this address, if one is given.
    case mail(address: String?)
    case codeSigning
    case timeStamping

    /// Whether these bytes are a certificate that allows it at a time in seconds since 1970.
    package func admits(_ der: [UInt8], atSeconds seconds: Double) -> Bool {
        // Bytes that are not a certificate allow nothing, whatever is wrong with them.
        guard let certificate = try? CertificateHandle(der: der),
            // The same holds for a certificate without the fields that are needed.
            let parsed = try? ParsedCertificate(certificate)
        else { return false }
        guard Double(parsed.notBefore) <= seconds, seconds <= Double(parsed.notAfter) else {
            return false
        }
        defer { ERR_clear_error() }
        return isPurpose(of: certificate)
    }

    private func isPurpose(of certificate: borrowing CertificateHandle) -> Bool {
        let pointer = unsafe certificate.pointer
        switch self {
        case .basic:
            return true
        case .server(let host):
            guard unsafe X509_check_purpose(pointer, X509_PURPOSE_SSL_SERVER, 0) == 1 else {
                return false
            }
            guard let host else { return true }
            // Compares an IP address with the certificate's addresses, not with its names.
            if unsafe X509_check_ip_asc(pointer, host, 0) == 1 { return true }
            return unsafe X509_check_host(pointer, host, host.utf8.count, 0, nil) == 1
        case .client:
            return unsafe X509_check_purpose(pointer, X509_PURPOSE_SSL_CLIENT, 0) == 1
        case .mail(let address):
            guard unsafe X509_check_purpose(pointer, X509_PURPOSE_SMIME_SIGN, 0) == 1 else {
                return false
            }
            guard let address else { return true }
            return unsafe X509_check_email(pointer, address, address.utf8.count, 0) == 1
        case .codeSigning:
            return isExtendedUsage(UInt32(XKU_CODE_SIGN), of: certificate)
        case .timeStamping:
            return isExtendedUsage(UInt32(XKU_TIMESTAMP), of: certificate)
        }
    }

    /// Whether the certificate lists this usage; one without a list allows none.
    private func isExtendedUsage(
        _ usage: UInt32,
        of certificate: borrowing CertificateHandle
    ) -> Bool {
        let usages = unsafe X509_get_extended_key_usage(certificate.pointer)
        return usages != UInt32.max && usages & usage != 0
    }
}
