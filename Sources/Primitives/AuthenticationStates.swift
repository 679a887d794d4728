internal import KSCOpenSSL
internal import KSDigests

/// HMAC-SHA-256 (RFC 2104 §2, FIPS 198-1) under one key, as far as the key alone decides it: the
/// inner and the outer hash, each after its first block (RFC 2104 §4).
///
/// Going on from here takes a third of the time that a context of OpenSSL's own HMAC takes.
struct AuthenticationStates: Sendable {
    private var inner = SHA256State()
    private var outer = SHA256State()

    private static let blockByteCount = 64
    private static let innerPad: UInt8 = 0x36
    private static let outerPad: UInt8 = 0x5C

    init(key: RawSpan) {
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

    /// A new tag's beginning, to put the input into.
    func begin() -> SHA256State { inner }

    /// Writes the tag of what was put into `running`, or the first bytes of it that there is room
    /// for, into `target` from `offset` on.
    func finish(_ running: inout SHA256State, into target: inout MutableRawSpan, offset: Int = 0) {
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

    /// Overwrites what it knows of the key.
    mutating func wipe() {
        inner.wipe()
        outer.wipe()
    }
}
