internal import KSCOpenSSL
package import KSDigests

/// Bytes that are overwritten when the last of their owners frees them.
///
/// They cannot be printed, encoded or compared with `==`, and owners share them without a copy.
/// Their memory comes from OpenSSL's secure heap as long as that has room, which is locked into
/// memory where the system allows it, left out of core dumps and fenced by unreadable pages.
@safe
package final class SharedSecret: @unchecked Sendable {
    // Safety: `storage` is allocated and written in `init` and freed in `deinit`; so any number of
    // threads may read it while the secret lives.
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
    package convenience init(copying bytes: RawSpan) {
        self.init(count: bytes.byteCount) { (span: inout MutableRawSpan) throws(Never) in
            unsafe span.withUnsafeMutableBytes { target in
                unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
            }
        }
    }

    /// Copies `bytes`, for secrets that were just read or opened.
    ///
    /// The array itself is not overwritten, so free it soon.
    package convenience init(bytes: [UInt8]) {
        unsafe self.init(copying: bytes.span.bytes)
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

    package static func random(count: Int = 32, from source: any RandomSource) -> SharedSecret {
        SharedSecret(count: count) { (span: inout MutableRawSpan) throws(Never) in
            source.fill(&span)
        }
    }

    /// The concatenated parts as one secret.
    package static func joining(_ parts: [SharedSecret]) -> SharedSecret {
        let count = parts.reduce(0) { $0 + $1.count }
        return SharedSecret(count: count) { (span: inout MutableRawSpan) throws(Never) in
            unsafe span.withUnsafeMutableBytes { target in
                var offset = 0
                for part in parts {
                    part.withBytes { bytes in
                        unsafe bytes.withUnsafeBytes { source in
                            let rest = unsafe UnsafeMutableRawBufferPointer(
                                rebasing: target[offset...]
                            )
                            unsafe rest.copyMemory(from: source)
                        }
                    }
                    offset += part.count
                }
            }
        }
    }

    package var count: Int {
        unsafe storage.count
    }

    /// Lends the bytes to `body`; the span cannot leave it.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe storage.bytes)
    }

    /// A part of the secret as a secret of its own.
    package func part(_ range: Range<Int>) -> SharedSecret {
        withBytes { SharedSecret(copying: $0.extracting(range)) }
    }

    /// The bytes as an ordinary array, which is not overwritten when it is freed.
    ///
    /// Only for bytes that are sealed, or written to the device's secret file, at once.
    package func copyBytes() -> [UInt8] {
        withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }

    /// Whether both hold the same bytes; the time depends only on their lengths.
    package func isEqual(to other: SharedSecret) -> Bool {
        unsafe ConstantTime.areEqual(storage.bytes, other.storage.bytes)
    }
}
