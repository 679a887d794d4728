internal import KSDigests
internal import Synchronization

/// A generator that repeats from its seed, in every process.
///
/// Source: Steele et al., "Fast Splittable Pseudorandom Number Generators" (2014), SplitMix64.
package struct SimulationGenerator: RandomNumberGenerator, Sendable {
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

    /// True with this probability, from 0 to 1.
    package mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}

/// Random bytes that repeat from their seed.
package final class SimulationRandomSource: RandomSource {
    private let state: Mutex<(generator: SimulationGenerator, wordCount: Int)>

    package init(seed: UInt64) {
        state = Mutex((SimulationGenerator(seed: seed), 0))
    }

    package func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 7)
            while bytes.count < count {
                state.wordCount += 1
                unsafe withUnsafeBytes(of: state.generator.next().littleEndian) {
                    unsafe bytes.append(contentsOf: $0)
                }
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    }

    /// How many words of eight bytes it has made.
    var wordCount: Int { state.withLock { $0.wordCount } }

    /// Leaves words out, as if they had been used.
    func skip(words: Int) {
        for _ in 0..<words { _ = bytes(8) }
    }
}

/// A clock that only the world moves.
package final class VirtualClock: Sendable {
    private let time: Mutex<UInt64>

    /// - Parameter milliseconds: since 1970-01-01 00:00 UTC.
    package init(milliseconds: UInt64) {
        time = Mutex(milliseconds)
    }

    package var milliseconds: UInt64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
