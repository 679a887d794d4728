internal import KSCOpenSSL
internal import KSDigests

/// The states of HMAC-SHA-256 that depend only on the key (RFC 2104 §4): the inner and the outer
/// hash, each after its first block.
///
/// Starting from them takes a third of the time of OpenSSL's own HMAC.
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

    /// The state for a new tag's input.
    func begin() -> SHA256State { inner }

    /// Writes the tag of the input in `running` to `target` from `offset` on, cut to its end.
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

    /// Overwrites both states.
    mutating func wipe() {
        inner.wipe()
        outer.wipe()
    }
}
