import KSCausality
import KSTestSupport
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

    private func next(
        clock: UInt64,
        server: UInt64? = nil,
        seen: HybridTime,
        own: HybridTime = .zero
    ) -> HybridTime {
        HybridTime.next(
            clockMilliseconds: clock,
            serverMilliseconds: server,
            seen: seen,
            own: own,
            random: .max
        )
    }

    /// 1970, 2038, 2106, ten years back and ahead, and completely wrong clocks.
    @Test(
        arguments: [
            0, 2_147_483_648_000, 4_294_967_296_000, 1_400_000_000_000, 2_050_000_000_000,
            1 << 46, .max,
        ] as [UInt64]
    )
    func `with any clock reading, later times can exceed it and it can exceed others`(clock: UInt64)
    {
        let now: UInt64 = 1_750_000_000_000
        let wrong = next(clock: clock, seen: .zero)
        var right = next(clock: now, server: now, seen: wrong)
        #expect(right > wrong)
        #expect(next(clock: clock, seen: right) > right)
        for _ in 0..<100 { right = next(clock: clock, seen: right) }
        // Above this a stamp is refused when read.
        #expect(right.rawValue < HybridTime.rawValueLimit)
    }

    @Test
    func `a forged time does not lead to the end of the range`() {
        let limit = HybridTime.rawValueLimit
        for seen in [limit - 1, limit, 1 << 63, .max] {
            var own = next(clock: 1_750_000_000_000, seen: HybridTime(rawValue: seen))
            #expect(own > .seenMax)
            for _ in 0..<100 {
                let later = next(clock: 0, seen: HybridTime(rawValue: seen), own: own)
                #expect(later > own && later.rawValue < limit)
                own = later
            }
        }
        // Times that were led there before can still be read.
        let last = next(clock: 0, seen: .zero, own: HybridTime(rawValue: limit - 2))
        #expect(last.rawValue == limit - 1)
        #expect(next(clock: 0, seen: .zero, own: last) == last)
    }

    @Test
    func `a clock within five minutes of the server's date is not capped`() {
        let server: UInt64 = 1_750_000_000_000
        let lead = HybridTime.clockLeadMillisecondsMax
        for clock in [server, server + lead, server - 10 * lead] {
            #expect(next(clock: clock, server: server, seen: .zero).milliseconds == clock)
        }
        let ahead = next(clock: server + lead + 1, server: server, seen: .zero)
        #expect(ahead.milliseconds == server + lead)
    }
}
