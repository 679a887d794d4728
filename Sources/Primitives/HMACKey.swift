internal import COpenSSL
internal import Digests
package import Secrets

/// A key of HMAC-SHA-256 (RFC 2104, FIPS 198-1), ready to be used many times.
///
/// The two blocks that depend only on the key are hashed once.
@safe
package final class HMACKey: @unchecked Sendable {
    // Safety: `keyed` is never changed after `init`; every use works on a copy of its own.
    private let keyed: OpaquePointer

    package static let byteCount = 32

    package convenience init(_ key: SharedSecret) {
        self.init(key.secret)
    }

    package convenience init(_ key: borrowing SecretBytes) {
        self.init(bytes: key)
    }

    private init(bytes key: borrowing SecretBytes) {
        let keyed = unsafe key.withBytes { unsafe AuthenticationContext.keyed($0) }
        unsafe self.keyed = keyed
    }

    /// A key that is no secret, such as the salt of HKDF.
    package init(publicKey: [UInt8]) {
        unsafe self.keyed = AuthenticationContext.keyed(publicKey.span.bytes)
    }

    deinit {
        unsafe EVP_MAC_CTX_free(keyed)
    }

    package func authenticate(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            var target = unsafe UnsafeMutableRawBufferPointer(buffer).mutableBytes
            unsafe authenticate(bytes.span.bytes, into: &target)
            count = Self.byteCount
        }
    }

    /// Writes the tag of `bytes` into 32 bytes of `target`.
    package func authenticate(_ bytes: RawSpan, into target: inout MutableRawSpan) {
        let context = unsafe AuthenticationContext(copying: keyed)
        context.update(bytes)
        context.finish(into: &target, offset: 0, count: Self.byteCount)
    }

    /// Whether `tag` is the tag of `bytes`, compared in constant time.
    package func isValid(tag: [UInt8], of bytes: [UInt8]) -> Bool {
        ConstantTime.areEqual(tag, authenticate(bytes))
    }

    /// HKDF-Expand with this key as PRK (RFC 5869 §2.3).
    package func expand(info: [UInt8], count: Int) -> SecretBytes {
        precondition(count <= 255 * Self.byteCount, "HKDF gives at most 255 blocks")
        return SecretBytes(count: count) { (target: inout MutableRawSpan) throws(Never) in
            var done = 0
            var number: UInt8 = 0
            while done < count {
                number += 1
                let context = unsafe AuthenticationContext(copying: keyed)
                if done > 0 {
                    context.update(target.bytes.extracting(done - Self.byteCount..<done))
                }
                unsafe context.update(info.span.bytes)
                unsafe context.update([number].span.bytes)
                let size = min(Self.byteCount, count - done)
                context.finish(into: &target, offset: done, count: size)
                done += size
            }
        }
    }
}
