internal import COpenSSL

/// OpenSSL's HMAC-SHA-256 under one key, used again and again.
///
/// Starting again under the same key takes less than half the time of copying a keyed context.
@safe
struct AuthenticationContext: ~Copyable {
    private let pointer: OpaquePointer

    init(key: RawSpan) {
        guard let pointer = unsafe EVP_MAC_CTX_new(Algorithm.hmac.pointer) else {
            preconditionFailure("OpenSSL has no memory for HMAC")
        }
        // HMAC fills short keys up with zeros, so one zero stands for the empty key, for which
        // OpenSSL would need an address that an empty span may not have.
        let status =
            key.isEmpty
            ? unsafe Self.set(key: [0].span.bytes, of: pointer)
            : unsafe Self.set(key: key, of: pointer)
        precondition(status == 1, "OpenSSL refused an HMAC key")
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MAC_CTX_free(pointer)
    }

    private static func set(key: RawSpan, of pointer: OpaquePointer) -> Int32 {
        // The parameter keeps both addresses, so both strings have to outlive the call.
        unsafe OSSL_MAC_PARAM_DIGEST.withCString { parameter in
            unsafe "SHA256".withCString { name in
                unsafe key.withUnsafeBytes { key in
                    let value = unsafe UnsafeMutablePointer(mutating: name)
                    var parameters = unsafe [
                        OSSL_PARAM_construct_utf8_string(parameter, value, 0),
                        OSSL_PARAM_construct_end(),
                    ]
                    return unsafe EVP_MAC_init(pointer, key.baseAddress, key.count, &parameters)
                }
            }
        }
    }

    /// Forgets what was seen, but not the key.
    mutating func restart() {
        let status = unsafe EVP_MAC_init(pointer, nil, 0, nil)
        precondition(status == 1, "HMAC did not start again")
    }

    mutating func update(_ byte: UInt8) {
        var byte = byte
        let status = unsafe EVP_MAC_update(pointer, &byte, 1)
        precondition(status == 1, "HMAC stopped early")
    }

    mutating func update(_ bytes: RawSpan) {
        guard !bytes.isEmpty else { return }
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe EVP_MAC_update(pointer, bytes.baseAddress, bytes.count)
        }
        precondition(status == 1, "HMAC stopped early")
    }

    /// Writes the tag, or the first bytes of it that there is room for, into `target` from `offset`
    /// on.
    mutating func finish(into target: inout MutableRawSpan, offset: Int) {
        let room = target.byteCount - offset
        guard room < HMACKey.byteCount else {
            unsafe target.withUnsafeMutableBytes { target in
                unsafe finish(at: target.baseAddress.map { unsafe $0 + offset })
            }
            return
        }
        var tag = [UInt8](repeating: 0, count: HMACKey.byteCount)
        unsafe finish(at: &tag)
        for index in 0..<room {
            target.storeBytes(of: tag[index], toByteOffset: offset + index, as: UInt8.self)
        }
        unsafe OPENSSL_cleanse(&tag, tag.count)
    }

    private func finish(at target: UnsafeMutableRawPointer?) {
        var written = 0
        let start = unsafe target?.assumingMemoryBound(to: UInt8.self)
        let status = unsafe EVP_MAC_final(pointer, start, &written, HMACKey.byteCount)
        precondition(status == 1 && written == HMACKey.byteCount, "HMAC did not finish")
    }
}
