internal import COpenSSL

/// Where secrets are kept: OpenSSL's locked arena, or the ordinary heap when that is full.
///
/// Locking single allocations does not work: locks are counted by page, not by user, so freeing one
/// secret would unlock its neighbours. The arena is locked as a whole. Private keys that OpenSSL itself
/// holds live there too.
enum SecureHeap {
    /// Room for thousands of keys, small enough for the usual limit of locked memory (8 MiB, was 64 KiB).
    private static let arenaBytes = 512 << 10
    /// The smallest block of the arena: one key.
    private static let blockBytes = 32

    /// Made once; 2 means "made, but not locked", which is still better than the ordinary heap.
    private static let isReady: Bool = CRYPTO_secure_malloc_init(arenaBytes, blockBytes) != 0

    /// Makes `count` zero bytes; more than a sixteenth of the arena come from the ordinary heap at once.
    static func allocate(count: Int) -> UnsafeMutableRawBufferPointer {
        // One byte more than nothing, so that an empty secret has an address as well.
        let size = max(count, 1)
        var start: UnsafeMutableRawPointer?
        if isReady, size <= arenaBytes / 16 {
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
