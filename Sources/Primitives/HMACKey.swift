internal import KSDigests
package import KSSecrets

/// A key of HMAC-SHA-256 (RFC 2104, FIPS 198-1), ready to be used many times.
///
/// The two blocks that depend only on the key are hashed once.
package final class HMACKey: @unchecked Sendable {
    // Safety: changed only in `init` and `deinit`.
    private var states: AuthenticationStates

    package static let byteCount = 32

    package init(_ key: SharedSecret) {
        states = key.withBytes { AuthenticationStates(key: $0) }
    }

    /// Takes a public key value, such as the salt of HKDF.
    package init(publicKey: [UInt8]) {
        states = AuthenticationStates(key: unsafe publicKey.span.bytes)
    }

    deinit {
        states.wipe()
    }

    /// The tag of the concatenated parts.
    package func authenticate(
        _ bytes: [UInt8],
        _ second: [UInt8] = [],
        _ third: [UInt8] = []
    ) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            let target = unsafe UnsafeMutableRawBufferPointer(
                start: buffer.baseAddress,
                count: Self.byteCount
            )
            var span = unsafe target.mutableBytes
            var running = states.begin()
            running.update(unsafe bytes.span.bytes)
            running.update(unsafe second.span.bytes)
            running.update(unsafe third.span.bytes)
            states.finish(&running, into: &span)
            count = Self.byteCount
        }
    }

    /// Writes the tag of `bytes` into the first 32 bytes of `target`.
    package func authenticate(_ bytes: RawSpan, into target: inout MutableRawSpan) {
        precondition(target.byteCount >= Self.byteCount, "a tag takes 32 bytes")
        var running = states.begin()
        running.update(bytes)
        states.finish(&running, into: &target)
    }

    /// Whether `tag` is the tag of `bytes`, compared in constant time.
    package func isValid(tag: [UInt8], of bytes: [UInt8]) -> Bool {
        ConstantTime.areEqual(tag, authenticate(bytes))
    }

    /// HKDF-Expand with this key as PRK (RFC 5869 §2.3).
    package func expand(info: [UInt8], count: Int) -> SharedSecret {
        SharedSecret(count: count) { (target: inout MutableRawSpan) throws(Never) in
            expand(info: info, into: &target)
        }
    }

    /// HKDF-Expand into bytes that exist only while `body` runs, for a key of one operation.
    package func withExpanded(info: [UInt8], count: Int, _ body: (RawSpan) -> Void) {
        SharedSecret.withTransient(
            count: count,
            filledBy: { expand(info: info, into: &$0) },
            body
        )
    }

    private func expand(info: [UInt8], into target: inout MutableRawSpan) {
        let count = target.byteCount
        precondition(count <= 255 * Self.byteCount, "HKDF gives at most 255 blocks")
        var number: UInt8 = 0
        for offset in stride(from: 0, to: count, by: Self.byteCount) {
            number += 1
            var running = states.begin()
            if offset > 0 {
                running.update(target.bytes.extracting(offset - Self.byteCount..<offset))
            }
            running.update(unsafe info.span.bytes)
            running.update(number)
            states.finish(&running, into: &target, offset: offset)
        }
    }
}
