/// A hybrid logical time: milliseconds that stay near the wall clock and still rise with every
/// write that has seen another.
///
/// The high 48 bits are milliseconds since 1970-01-01 00:00 UTC; the low 16 are random, so that two
/// copies of one device never make the same time. It orders only what is truly concurrent.
/// Source: Kulkarni et al., "Logical Physical Clocks" (2014), section 3.
package struct HybridTime: Hashable, Comparable, Sendable {
    package static let zero = HybridTime(rawValue: 0)

    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var milliseconds: UInt64 { rawValue >> 16 }

    package static func < (left: HybridTime, right: HybridTime) -> Bool {
        left.rawValue < right.rawValue
    }

    /// How far ahead of the server's date a clock reading may be before it is cut.
    package static let clockLeadMillisecondsMax: UInt64 = 5 * 60 * 1000

    /// The highest clock reading that counts, in the year 4199: half of what a time can hold, so
    /// that a clock at its end leaves others room to rise above it.
    package static let clockMillisecondsMax: UInt64 = 1 << 46

    /// Up to here a new time rises above those it has seen.
    ///
    /// No clock and no row of edits leads further, so what lies beyond was made up; whoever rose
    /// above it would come to where no time is read any more. Which write replaces which does not
    /// depend on it, only which of two concurrent values is shown.
    package static let seenMax = HybridTime(
        rawValue: (clockMillisecondsMax + clockMillisecondsMax / 2) << 16
    )

    /// Times from here on are refused when they are read.
    package static let rawValueLimit: UInt64 = (1 << 63) - (1 << 40)

    /// The time of a new write, above everything its author has seen and made.
    ///
    /// Only the clock reading is capped, never the result: a capped result would give two writes of
    /// one author the same time.
    /// - Parameters:
    ///   - clockMilliseconds: the author's clock when the user acted.
    ///   - serverMilliseconds: the server's date as last heard, if ever.
    ///   - seen: the highest time its author has seen for the item.
    ///   - own: the highest time its author has ever made.
    ///   - random: 16 random bits.
    /// - Returns: a time above `own`, and above `seen` as far as that is below ``seenMax``; always
    ///   one that can be read.
    package static func next(
        clockMilliseconds: UInt64,
        serverMilliseconds: UInt64?,
        seen: HybridTime,
        own: HybridTime,
        random: UInt16
    ) -> HybridTime {
        let limit = serverMilliseconds.map { $0 &+ clockLeadMillisecondsMax } ?? .max
        let clock = min(clockMilliseconds, limit, clockMillisecondsMax)
        let seen = min(seen, seenMax)
        let milliseconds = max(clock, seen.milliseconds + 1, own.milliseconds + 1)
        let time = milliseconds << 16 | UInt64(random)
        guard time < rawValueLimit else {
            return HybridTime(rawValue: min(own.rawValue + 1, rawValueLimit - 1))
        }
        return HybridTime(rawValue: time)
    }
}
