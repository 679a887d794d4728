import Causality
import TestSupport
import Testing

struct HybridTimeTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a new time is above all that its author has seen and made`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let seen = HybridTime(rawValue: UInt64.random(in: 0..<1 << 60, using: &random))
        let own = HybridTime(rawValue: UInt64.random(in: 0..<1 << 60, using: &random))
        let next = HybridTime.next(
            clockMilliseconds: UInt64.random(in: 0..<1 << 44, using: &random),
            serverMilliseconds: UInt64.random(in: 0..<1 << 44, using: &random),
            seen: seen,
            own: own,
            random: UInt16.random(in: .min ... .max, using: &random)
        )
        #expect(next > seen && next > own, "seed \(seed)")
    }

    @Test
    func `two writes within one capped tick get two times`() {
        let first = HybridTime.next(
            clockMilliseconds: 9_000_000,
            serverMilliseconds: 1_000_000,
            seen: .zero,
            own: .zero,
            random: 7
        )
        let second = HybridTime.next(
            clockMilliseconds: 9_000_000,
            serverMilliseconds: 1_000_000,
            seen: .zero,
            own: first,
            random: 7
        )
        #expect(first.milliseconds == 1_000_000 + HybridTime.clockLeadMillisecondsMax)
        #expect(second > first)
    }
}
