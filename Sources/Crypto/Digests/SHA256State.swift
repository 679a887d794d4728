internal import KSCOpenSSL

/// SHA-256 (FIPS 180-4) in the middle of its input.
///
/// It is a value: hashing can continue many times from one state. If the input was a key, the state
/// is worth as much as the key to an attacker, so it has to be wiped.
package struct SHA256State: Sendable {
    private var state = SHA256_CTX()

    package init() {
        let status = unsafe keychain_sync_sha256_begin(&state)
        precondition(status == 1, "OpenSSL did not begin to hash")
    }

    package mutating func update(_ byte: UInt8) {
        var byte = byte
        let status = unsafe keychain_sync_sha256_update(&state, &byte, 1)
        precondition(status == 1, "OpenSSL did not hash")
    }

    package mutating func update(_ bytes: RawSpan) {
        guard !bytes.isEmpty else { return }
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe keychain_sync_sha256_update(&state, bytes.baseAddress, bytes.count)
        }
        precondition(status == 1, "OpenSSL did not hash")
    }

    /// Writes the hash into `target` from `offset` on; nothing can follow but ``wipe()``.
    package mutating func finish(into target: inout MutableRawSpan, offset: Int = 0) {
        precondition(offset >= 0 && target.byteCount - offset >= SHA256.byteCount)
        let status = unsafe target.withUnsafeMutableBytes { target in
            let start = unsafe target.baseAddress.map { unsafe $0 + offset }
            return unsafe keychain_sync_sha256_finish(
                &state,
                start?.assumingMemoryBound(to: UInt8.self)
            )
        }
        precondition(status == 1, "OpenSSL did not finish a hash")
    }

    /// Overwrites what it knows of its input.
    package mutating func wipe() {
        unsafe OPENSSL_cleanse(&state, MemoryLayout<SHA256_CTX>.size)
    }
}
