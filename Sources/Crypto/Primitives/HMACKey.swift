internal import KSCOpenSSL
internal import KSDigests
package import KSSecrets

/// A key of HMAC-SHA-256 (RFC 2104, FIPS 198-1), ready to be used many times.
///
/// The first block of the inner and of the outer hash depends only on the key (RFC 2104 §4) and is
/// hashed once. Starting from there takes a third of the time of OpenSSL's own HMAC.
package final class HMACKey: @unchecked Sendable {
    // Safety: changed only in `init` and `deinit`.
    private var inner = SHA256State()
    private var outer = SHA256State()

    package static let byteCount = 32
    private static let blockByteCount = 64
    private static let innerPad: UInt8 = 0x36
    private static let outerPad: UInt8 = 0x5C

    package init(_ key: SharedSecret) {
        key.withBytes { begin($0) }
    }

    /// Takes a public key value, such as the salt of HKDF.
    package init(publicKey: [UInt8]) {
        begin(unsafe publicKey.span.bytes)
    }

    deinit {
        inner.wipe()
        outer.wipe()
    }

    /// Hashes the first block of both hashes.
    private func begin(_ key: RawSpan) {
        var block = InlineArray<64, UInt8>(repeating: 0)
        if key.byteCount > Self.blockByteCount {
            var hash = SHA256State()
            hash.update(key)
            var bytes = block.mutableSpan
            var target = unsafe bytes.mutableBytes
            hash.finish(into: &target)
            hash.wipe()
        } else {
            for index in 0..<key.byteCount {
                block[index] = unsafe key.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            }
        }
        for index in block.indices { block[index] ^= Self.innerPad }
        inner.update(unsafe block.span.bytes)
        for index in block.indices { block[index] ^= Self.innerPad ^ Self.outerPad }
        outer.update(unsafe block.span.bytes)
        unsafe OPENSSL_cleanse(&block, Self.blockByteCount)
    }

    /// Writes the tag of the input in `running` to `target` from `offset` on, cut to its end.
    private func finish(
        _ running: inout SHA256State,
        into target: inout MutableRawSpan,
        offset: Int = 0
    ) {
        var tag = InlineArray<32, UInt8>(repeating: 0)
        Self.finish(&running, into: &tag)
        var last = outer
        last.update(unsafe tag.span.bytes)
        Self.finish(&last, into: &tag)
        for index in 0..<min(tag.count, target.byteCount - offset) {
            target.storeBytes(of: tag[index], toByteOffset: offset + index, as: UInt8.self)
        }
        unsafe OPENSSL_cleanse(&tag, tag.count)
    }

    private static func finish(_ hash: inout SHA256State, into tag: inout InlineArray<32, UInt8>) {
        var bytes = tag.mutableSpan
        var target = unsafe bytes.mutableBytes
        hash.finish(into: &target)
        hash.wipe()
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
            var running = inner
            running.update(unsafe bytes.span.bytes)
            running.update(unsafe second.span.bytes)
            running.update(unsafe third.span.bytes)
            finish(&running, into: &span)
            count = Self.byteCount
        }
    }

    /// Writes the tag of `bytes` into the first 32 bytes of `target`.
    package func authenticate(_ bytes: RawSpan, into target: inout MutableRawSpan) {
        precondition(target.byteCount >= Self.byteCount, "a tag takes 32 bytes")
        var running = inner
        running.update(bytes)
        finish(&running, into: &target)
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
        SharedSecret.withTransient(count: count, filledBy: { expand(info: info, into: &$0) }, body)
    }

    private func expand(info: [UInt8], into target: inout MutableRawSpan) {
        let count = target.byteCount
        precondition(count <= 255 * Self.byteCount, "HKDF gives at most 255 blocks")
        var number: UInt8 = 0
        for offset in stride(from: 0, to: count, by: Self.byteCount) {
            number += 1
            var running = inner
            if offset > 0 {
                running.update(target.bytes.extracting(offset - Self.byteCount..<offset))
            }
            running.update(unsafe info.span.bytes)
            running.update(number)
            finish(&running, into: &target, offset: offset)
        }
    }
}
