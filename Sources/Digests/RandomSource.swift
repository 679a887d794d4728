internal import COpenSSL

/// Where random bytes come from.
///
/// It is handed in, so that the simulator can repeat a world from its seed.
package protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
    /// 64 random bits.
    package func integer() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// OpenSSL's generator, seeded by the kernel.
package struct SystemRandomSource: RandomSource {
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        let status = unsafe RAND_bytes(&result, Int32(count))
        // A machine without randomness must not make keys, nor go on as if it had.
        precondition(status == 1, "the system's random generator failed")
        return result
    }
}
