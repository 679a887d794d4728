internal import KSCOpenSSL

/// SHA-1 (FIPS 180-4), where Apple's keychain names things by it: nothing rests on its strength.
package enum SHA1 {
    package static let byteCount = 20

    /// Fetched once, because a fetch by name costs more than hashing a short text, and used by all
    /// threads, which OpenSSL allows.
    @safe
    private nonisolated(unsafe) static let algorithm: OpaquePointer = {
        guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA1", nil) else {
            preconditionFailure("OpenSSL has no SHA1")
        }
        return unsafe algorithm
    }()

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let start = buffer.baseAddress
            let status = unsafe EVP_Digest(bytes, bytes.count, start, nil, algorithm, nil)
            precondition(status == 1, "OpenSSL did not hash")
            count = byteCount
        }
    }
}
