internal import KSCertificates
internal import Foundation
internal import KSKeychain
internal import KSSecItem

/// The certificates that this machine trusts, as a keychain with the name it has on macOS.
///
/// They can be read but not changed.
package enum SystemRoots {
    package static let place = KeychainPlace.file(
        "/System/Library/Keychains/SystemRootCertificates.keychain"
    )

    /// The file in which distributions keep them: Debian's path, then Fedora's.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    ]

    /// The certificates of the first file that exists; empty if there is no file or it cannot be
    /// read.
    package static func certificates(
        _ criteria: CertificateCriteria,
        bundles: [String] = Self.bundles
    ) -> [StoredCertificate] {
        let bytes = bundles.lazy.compactMap { FileManager.default.contents(atPath: $0) }.first
        // The file is the administrator's: a fault in it is not an error of the keychain.
        let blocks = try? PEMBlock.blocks(in: String(decoding: bytes ?? Data(), as: UTF8.self))
        return (blocks ?? []).compactMap { block in
            guard block.label == "CERTIFICATE",
                // The same holds for one damaged certificate in it.
                let certificate = try? ParsedCertificate(pem: block.text)
            else { return nil }
            return StoredCertificate(certificate)
        }.filter(criteria.admits)
    }
}

extension StoredCertificate {
    /// A certificate that is in no keychain, with the attributes that it would have in one.
    fileprivate init(_ certificate: ParsedCertificate) {
        let attributes = CertificateAttributes.ofItem(certificate)
        let item = Item(.certificate, attributes: attributes, secret: certificate.der)
        self.init(item: item, certificate: certificate)
    }
}
