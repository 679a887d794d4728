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
        return try unsafe pin(of: key)
    }

    /// The pin of a private key, which every certificate for it has.
    ///
    /// - Throws: ``OpenSSLError/malformed`` if the text holds no private key without a passphrase.
    package static func pin(keyPEM: String) throws(OpenSSLError) -> String {
        let key = try KeyHandle(unencryptedPEM: keyPEM)
        return try unsafe pin(of: key.pointer)
    }

    private static func pin(of key: OpaquePointer) throws(OpenSSLError) -> String {
        let encoded = try unsafe DER.encode { unsafe i2d_PUBKEY(key, $0) }
        return "sha256//" + Data(SHA256.hash(encoded)).base64EncodedString()
    }
}
