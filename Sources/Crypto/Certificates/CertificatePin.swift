internal import KSCOpenSSL
internal import Foundation
internal import KSDigests

/// A pin of a server's key: `sha256//` and the base64 of its hash.
///
/// The hash is SHA-256 of the SubjectPublicKeyInfo in DER, as in RFC 7469 §2.4 and in curl's
/// CURLOPT_PINNEDPUBLICKEY.
package enum CertificatePin {
    package static func pin(certificatePEM: String) throws(OpenSSLError) -> String {
        let certificate = try CertificateHandle(pem: certificatePEM)
        guard let key = unsafe X509_get0_pubkey(certificate.pointer) else { throw .malformed }
        let encoded = try unsafe DER.encode { unsafe i2d_PUBKEY(key, $0) }
        return "sha256//" + Data(SHA256.hash(encoded)).base64EncodedString()
    }
}
