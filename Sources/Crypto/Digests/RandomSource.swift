internal import KSCOpenSSL

/// Where random bytes come from.
///
/// It is handed in, so that the simulator can repeat a world from its seed.
package protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]

    /// Fills the whole span, for random bytes that are secret and should leave no copy behind.
    func fill(_ span: inout MutableRawSpan)
}

extension RandomSource {
    /// 64 random bits.
    package func integer() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package func fill(_ span: inout MutableRawSpan) {
        for (offset, byte) in bytes(span.byteCount).enumerated() {
            span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }
}

/// OpenSSL's generator, seeded by the kernel.
package struct SystemRandomSource: RandomSource {
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var span = result.mutableSpan
        var bytes = unsafe span.mutableBytes
        fill(&bytes)
        return result
    }

    package func fill(_ span: inout MutableRawSpan) {
        let status = unsafe span.withUnsafeMutableBytes { buffer in
            unsafe RAND_bytes(buffer.baseAddress, Int32(buffer.count))
        }
        // A machine without randomness must not make keys, nor go on as if it had.
        precondition(status == 1, "the system's random generator failed")
    }
}
