internal import KSCOpenSSL

/// The hashes of files' formats: SHA-256, SHA-512 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104).
package enum FileDigest {
    private static let blockByteCount = 64

    package static func sha256(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, is512: false)
    }
    package static func sha512(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, is512: true)
    }

    /// The tag of the concatenated parts.
    package static func hmac(key: [UInt8], _ parts: ArraySlice<UInt8>...) -> [UInt8] {
        var block = key.count > blockByteCount ? sha256(key[...]) : key
        block += [UInt8](repeating: 0, count: blockByteCount - block.count)
        let inner = hash([block.map { $0 ^ 0x36 }[...]] + parts, is512: false)
        return sha256(block.map { $0 ^ 0x5C }[...], inner[...])
    }

    private static func hash(_ parts: [ArraySlice<UInt8>], is512: Bool) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL has no memory for a hash")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        let algorithm = unsafe is512 ? EVP_sha512() : EVP_sha256()
        var status = unsafe EVP_DigestInit_ex(context, algorithm, nil)
        for part in parts {
            status &= unsafe part.withUnsafeBytes { bytes in
                unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
            }
        }
        var result = [UInt8](repeating: 0, count: is512 ? 64 : 32)
        status &= unsafe EVP_DigestFinal_ex(context, &result, nil)
        precondition(status == 1, "OpenSSL did not hash")
        return result
    }
}
