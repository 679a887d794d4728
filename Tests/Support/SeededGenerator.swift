internal import KSDigests
internal import Synchronization

/// A generator that repeats from its seed, in every process.
///
/// Source: Steele et al., "Fast Splittable Pseudorandom Number Generators" (2014), SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Random bytes that repeat from their seed.
package final class SeededRandomSource: RandomSource {
    private let generator: Mutex<SeededGenerator>

    package init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }
}
