internal import KSCertificates
internal import Foundation
internal import KSKeychain
internal import KSSecItem

/// The certificates that this machine trusts, as the keychain that has them on macOS.
///
/// They can be looked at, and nothing else.
package enum SystemRoots {
    package static let place = KeychainPlace.file(
        "/System/Library/Keychains/SystemRootCertificates.keychain"
    )

    /// Where distributions keep them, in one file: Debian's way, and Fedora's.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    ]

    /// Those of the first file that is there; of none, and of one that cannot be read, nothing.
    package static func certificates(
        _ criteria: CertificateCriteria,
        bundles: [String] = Self.bundles
    ) -> [StoredCertificate] {
        let bytes = bundles.lazy.compactMap { FileManager.default.contents(atPath: $0) }.first
        // What the machine's administrator put there is not ours to find fault with.
        let blocks = try? PEMBlock.blocks(in: String(decoding: bytes ?? Data(), as: UTF8.self))
        return (blocks ?? []).compactMap { block in
            guard block.label == "CERTIFICATE",
                // Nor is one certificate among others.
                let certificate = try? ParsedCertificate(pem: block.text)
            else { return nil }
            return StoredCertificate(certificate)
        }.filter(criteria.admits)
    }
}

extension StoredCertificate {
    /// A certificate that is in no keychain, as it would be in one.
    fileprivate init(_ certificate: ParsedCertificate) {
        let attributes = CertificateAttributes.ofItem(certificate)
        let item = Item(.certificate, attributes: attributes, secret: certificate.der)
        self.init(item: item, certificate: certificate)
    }
}
