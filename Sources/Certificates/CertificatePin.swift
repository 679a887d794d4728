internal import KSCOpenSSL
internal import KSDigests

/// A pin of a server's key: `sha256//` and the base64 of its hash.
///
/// The hash is SHA-256 of the SubjectPublicKeyInfo in DER, as in RFC 7469 §2.4 and in curl's
/// CURLOPT_PINNEDPUBLICKEY.
package enum CertificatePin {
    private static let prefix = "sha256//"
    /// 32 bytes in base64, with one `=`.
    private static let base64CharacterCount = 44

    package static func pin(certificatePEM: String) throws(CertificatesError) -> String {
        let certificate = try CertificateHandle(pem: certificatePEM)
        guard let key = unsafe X509_get0_pubkey(certificate.pointer) else { throw .malformed }
        let count = unsafe i2d_PUBKEY(key, nil)
        guard count > 0 else { throw .newest() }
        var encoded = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe encoded.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            return unsafe i2d_PUBKEY(key, &end)
        }
        guard written == count else { throw .newest() }
        return prefix + base64(SHA256.hash(encoded))
    }

    /// Whether the text has the form of a pin; curl does not check this.
    package static func isWellFormed(_ pin: String) -> Bool {
        guard pin.hasPrefix(prefix) else { return false }
        let encoded = Array(pin.utf8.dropFirst(prefix.utf8.count))
        guard encoded.count == base64CharacterCount else { return false }
        var decoded = [UInt8](repeating: 0, count: 33)
        let count = unsafe EVP_DecodeBlock(&decoded, encoded, Int32(encoded.count))
        // Decoding and encoding again refuses white space, other alphabets and stray bits.
        return count == 33 && Array(base64(Array(decoded.prefix(32))).utf8) == encoded
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        // Four characters for every three bytes, rounded up, and the zero of a C string.
        var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
        return String(decoding: encoded.prefix(Int(count)), as: UTF8.self)
    }
}
