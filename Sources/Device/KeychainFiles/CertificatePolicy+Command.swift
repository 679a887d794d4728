package import KSCertificates

extension CertificatePolicy {
    /// The policy that `find-identity -p` names; one that would check more than dates and usages
    /// becomes the basic policy.
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

    /// Whether a certificate fulfils the policy; its dates are checked separately.
    package func isPurpose(of certificate: ParsedCertificate) -> Bool {
        admits(certificate.der, atSeconds: Double(certificate.notBefore))
    }
}
