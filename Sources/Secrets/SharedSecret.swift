package import KSDigests

/// A secret with several owners, for key rings, tasks and database closures.
///
/// The bytes are overwritten when the last owner frees it.
package final class SharedSecret: Sendable {
    package let secret: SecretBytes

    package init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }

    /// Makes `count` zero bytes and lets `fill` write them in place.
    package init<Failure: Error>(
        count: Int,
        filledBy fill: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        secret = try SecretBytes(count: count, filledBy: fill)
    }

    /// Copies `bytes`, for secrets that were just read or opened.
    ///
    /// The array itself is not overwritten, so free it soon.
    package convenience init(bytes: [UInt8]) {
        unsafe self.init(SecretBytes(copying: bytes.span.bytes))
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
        secret.count
    }

    /// Lends the bytes to `body`; the span cannot leave it.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// A part of the secret as a secret of its own.
    package func part(_ range: Range<Int>) -> SharedSecret {
        withBytes { bytes in
            SharedSecret(SecretBytes(copying: bytes.extracting(range)))
        }
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
        secret.isEqual(to: other.secret)
    }
}
