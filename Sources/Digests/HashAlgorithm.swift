internal import KSCOpenSSL

/// A hash function of OpenSSL's, fetched once: fetching it by name costs more than hashing a short
/// text.
@safe
final class HashAlgorithm: @unchecked Sendable {
    // Safety: never changed after `init`; OpenSSL counts and shares fetched algorithms by itself.
    private let pointer: OpaquePointer
    private let byteCount: Int

    static let sha1 = HashAlgorithm("SHA1", byteCount: SHA1.byteCount)

    private init(_ name: String, byteCount: Int) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL has no \(name)")
        }
        unsafe self.pointer = pointer
        self.byteCount = byteCount
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let status = unsafe EVP_Digest(
                bytes,
                bytes.count,
                buffer.baseAddress,
                nil,
                pointer,
                nil
            )
            precondition(status == 1, "OpenSSL did not hash")
            count = byteCount
        }
    }
}
