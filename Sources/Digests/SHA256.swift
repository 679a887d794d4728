internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let status = unsafe EVP_Digest(
                bytes,
                bytes.count,
                buffer.baseAddress,
                nil,
                Algorithm.shared.pointer,
                nil
            )
            precondition(status == 1, "OpenSSL did not hash")
            count = byteCount
        }
    }

    /// The algorithm fetched once: fetching it by name costs more than hashing a short text.
    @safe
    private final class Algorithm: @unchecked Sendable {
        // Safety: never changed after `init`; OpenSSL counts and shares fetched algorithms by
        // itself.
        let pointer: OpaquePointer
        static let shared = Algorithm()

        private init() {
            guard let pointer = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
                preconditionFailure("OpenSSL has no SHA-256")
            }
            unsafe self.pointer = pointer
        }
    }
}
