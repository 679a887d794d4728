internal import KSCOpenSSL

/// Where secrets are kept: OpenSSL's locked arena, or the ordinary heap when that is full.
///
/// The arena is locked as a whole. Single allocations cannot be locked: locks apply to pages, so
/// freeing one secret would unlock its neighbours. OpenSSL keeps its own private keys there too.
enum SecureHeap {
    /// Small enough for the usual limit of locked memory (8 MiB).
    private static let arenaBytes = 1 << 20
    /// How much of the arena secrets may use before they go to the ordinary heap.
    ///
    /// The rest is for OpenSSL's own private keys, which it keeps only in the arena: in a full one
    /// it could make no keys.
    private static let usedBytesMax = arenaBytes / 2
    /// Larger secrets are rare and go to the ordinary heap.
    private static let secretBytesMax = arenaBytes / 64
    /// The smallest block of the arena: one key.
    private static let blockBytes = 32

    /// Initialized once; 2 means "not locked", which is still better than the ordinary heap.
    private static let isReady: Bool = CRYPTO_secure_malloc_init(arenaBytes, blockBytes) != 0

    /// Makes `count` zero bytes, in the arena if there is room.
    static func allocate(count: Int) -> UnsafeMutableRawBufferPointer {
        // At least one byte, so that an empty secret has an address too.
        let size = max(count, 1)
        var start: UnsafeMutableRawPointer?
        if isReady, size <= secretBytesMax, CRYPTO_secure_used() < usedBytesMax {
            unsafe start = CRYPTO_secure_zalloc(size, #file, #line)
        }
        if unsafe start == nil {
            unsafe start = CRYPTO_zalloc(size, #file, #line)
        }
        guard let start = unsafe start else {
            preconditionFailure("out of memory")
        }
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    /// Overwrites and frees, whichever heap it came from.
    static func free(_ storage: UnsafeMutableRawBufferPointer) {
        unsafe CRYPTO_secure_clear_free(
            storage.baseAddress,
            max(storage.count, 1),
            #file,
            #line
        )
    }
}
