package import KSCertificates

extension CertificatePolicy {
    /// What `find-identity -p` means; those that ask more of a certificate than its dates and
    /// usages count as the basic one.
    package init(command: String?, name: String?) {
        self =
            switch command {
            case "ssl-server": .server(host: name)
            case "ssl-client": .client
            case "smime": .mail(address: name)
            case "codesigning": .codeSigning
            default: .basic
            }
    }

    /// Whether a certificate fulfils it at some time: its dates are told apart.
    package func isPurpose(of certificate: ParsedCertificate) -> Bool {
        admits(certificate.der, atSeconds: Double(certificate.notBefore))
    }
}
