internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let status = unsafe EVP_Q_digest(
            nil,
            "SHA256",
            nil,
            bytes,
            bytes.count,
            &digest,
            nil
        )
        precondition(status == 1, "OpenSSL has no SHA-256")
        return digest
    }
}
