internal import COpenSSL

/// One HMAC under way: a copy of a keyed context, freed at the end.
@safe
struct AuthenticationContext: ~Copyable {
    private let pointer: OpaquePointer

    /// A context whose key is set and which has seen nothing yet.
    static func keyed(_ key: RawSpan) -> OpaquePointer {
        guard let context = unsafe EVP_MAC_CTX_new(Algorithm.hmac.pointer) else {
            preconditionFailure("OpenSSL has no memory for HMAC")
        }
        // HMAC fills short keys up with zeros, so one zero stands for the empty key, for which OpenSSL
        // would need an address that an empty span may not have.
        let status =
            key.isEmpty ? unsafe start(context, [0].span.bytes) : unsafe start(context, key)
        precondition(status == 1, "OpenSSL refused an HMAC key")
        return unsafe context
    }

    private static func start(_ context: OpaquePointer, _ key: RawSpan) -> Int32 {
        unsafe "SHA256".withCString { name in
            unsafe key.withUnsafeBytes { key in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(
                        OSSL_MAC_PARAM_DIGEST,
                        UnsafeMutablePointer(mutating: name),
                        0
                    ),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_init(context, key.baseAddress, key.count, &parameters)
            }
        }
    }

    init(copying keyed: OpaquePointer) {
        guard let pointer = unsafe EVP_MAC_CTX_dup(keyed) else {
            preconditionFailure("OpenSSL has no memory for HMAC")
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MAC_CTX_free(pointer)
    }

    borrowing func update(_ bytes: RawSpan) {
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe EVP_MAC_update(pointer, bytes.baseAddress, bytes.count)
        }
        precondition(status == 1, "HMAC stopped early")
    }

    /// Writes the first `count` bytes of the tag into `target` at `offset`.
    consuming func finish(into target: inout MutableRawSpan, offset: Int, count: Int) {
        var tag = [UInt8](repeating: 0, count: HMACKey.byteCount)
        var written = 0
        let status = unsafe EVP_MAC_final(pointer, &tag, &written, tag.count)
        precondition(status == 1 && written == HMACKey.byteCount, "HMAC did not finish")
        for index in 0..<count {
            target.storeBytes(of: tag[index], toByteOffset: offset + index, as: UInt8.self)
        }
        unsafe OPENSSL_cleanse(&tag, tag.count)
    }
}
