internal import COpenSSL

/// SHA-1 (FIPS 180-4), where Apple's keychain names things by it: nothing rests on its strength.
package enum SHA1 {
    package static let byteCount = 20

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

    @safe
    private final class Algorithm: @unchecked Sendable {
        // Safety: never changed after `init`; OpenSSL counts and shares fetched algorithms by
        // itself.
        let pointer: OpaquePointer
        static let shared = Algorithm()

        private init() {
            guard let pointer = unsafe EVP_MD_fetch(nil, "SHA1", nil) else {
                preconditionFailure("OpenSSL has no SHA-1")
            }
            unsafe self.pointer = pointer
        }
    }
}
