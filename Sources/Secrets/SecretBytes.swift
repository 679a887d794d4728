internal import KSCOpenSSL
internal import KSDigests

/// Bytes that are overwritten when their owner frees them.
///
/// There is one owner: the value cannot be copied, printed, encoded or compared with `==`. Its
/// memory comes from OpenSSL's secure heap as long as that has room, which is locked into memory
/// where the system allows it, left out of core dumps and fenced by unreadable pages.
@safe
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Safety: `storage` is allocated and written in `init`, owned by this value alone, and freed in
    // `deinit`; so any number of threads may read it while the value lives.
    private let storage: UnsafeMutableRawBufferPointer

    /// Makes `count` zero bytes and lets `fill` write them in place.
    package init<Failure: Error>(
        count: Int,
        filledBy fill: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let storage = unsafe SecureHeap.allocate(count: count)
        unsafe self.storage = storage
        var span = unsafe storage.mutableBytes
        try fill(&span)
    }

    /// Copies `bytes`; the caller overwrites the original.
    package init(copying bytes: RawSpan) {
        self.init(count: bytes.byteCount) { (span: inout MutableRawSpan) throws(Never) in
            unsafe span.withUnsafeMutableBytes { target in
                unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
            }
        }
    }

    deinit {
        unsafe SecureHeap.free(storage)
    }

    /// Lends `count` bytes on the stack, and overwrites them before it returns.
    ///
    /// For a key of one operation: allocating in the locked arena takes longer than sealing a text.
    /// (It is not generic, because generic code across modules would be as slow.)
    package static func withTransient(
        count: Int,
        filledBy fill: (inout MutableRawSpan) -> Void,
        _ body: (RawSpan) -> Void
    ) {
        unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { storage in
            defer { unsafe OPENSSL_cleanse(storage.baseAddress, storage.count) }
            unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
            var span = unsafe storage.mutableBytes
            fill(&span)
            body(unsafe storage.bytes)
        }
    }

    package var count: Int {
        unsafe storage.count
    }

    /// Lends the bytes to `body`; the span cannot leave it.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe storage.bytes)
    }

    /// Whether both hold the same bytes; the time depends only on their lengths.
    package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        unsafe ConstantTime.areEqual(storage.bytes, other.storage.bytes)
    }
}
