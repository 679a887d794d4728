internal import KSCOpenSSL

/// Where secrets are kept: OpenSSL's locked arena, or the ordinary heap when that is full.
///
/// Locking single allocations does not work: locks are counted by page, not by user, so freeing one
/// secret would unlock its neighbours. The arena is locked as a whole. Private keys that OpenSSL
/// itself holds live there too.
enum SecureHeap {
    /// Small enough for the usual limit of locked memory (8 MiB).
    private static let arenaBytes = 1 << 20
    /// How much of the arena may be taken before secrets go to the ordinary heap.
    ///
    /// The rest is for private keys that OpenSSL itself makes: those it keeps in the arena or not
    /// at all, so filling it up would make every new key fail.
    private static let usedBytesMax = arenaBytes / 2
    /// Room for many keys; larger secrets are few and go to the ordinary heap at once.
    private static let secretBytesMax = arenaBytes / 64
    /// The smallest block of the arena: one key.
    private static let blockBytes = 32

    /// Made once; 2 means "made, but not locked", which is still better than the ordinary heap.
    private static let isReady: Bool = CRYPTO_secure_malloc_init(arenaBytes, blockBytes) != 0

    /// Makes `count` zero bytes, in the arena if there is room.
    static func allocate(count: Int) -> UnsafeMutableRawBufferPointer {
        // One byte more than nothing, so that an empty secret has an address as well.
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
