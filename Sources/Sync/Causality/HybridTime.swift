/// A hybrid logical time: milliseconds near the wall clock that exceed those of every write seen.
///
/// The high 48 bits are milliseconds since 1970-01-01 00:00 UTC; the low 16 are random, so that two
/// copies of one device never make the same time. It orders only concurrent values.
/// Source: Kulkarni et al., "Logical Physical Clocks" (2014), section 3.
package struct HybridTime: Hashable, Comparable, Sendable {
    package static let zero = HybridTime(rawValue: 0)

    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var milliseconds: UInt64 { (rawValue & ~Self.provisionalBit) >> 16 }

    package static func < (left: HybridTime, right: HybridTime) -> Bool {
        left.rawValue < right.rawValue
    }

    /// How far ahead of the server's date a clock reading may be before it is cut.
    package static let clockLeadMillisecondsMax: UInt64 = 5 * 60 * 1000

    /// The highest clock reading, in the year 4199: half of the range, so that later times can
    /// still rise above a clock at its end.
    package static let clockMillisecondsMax: UInt64 = 1 << 46

    /// A new time exceeds the seen ones only up to this time.
    ///
    /// No clock and no series of edits leads further, so a higher time was forged; exceeding it
    /// could lead to times that decoders refuse. This affects only which of two concurrent values
    /// is shown, not which write replaces which.
    package static let seenMax = HybridTime(
        rawValue: (clockMillisecondsMax + clockMillisecondsMax / 2) << 16
    )

    /// Decoders refuse times from here on.
    package static let rawValueLimit: UInt64 = (1 << 63) - (1 << 40)

    /// A time above all that decoders accept, for a write that was made now and is not sent.
    package static func provisional(atMilliseconds clock: UInt64) -> HybridTime {
        HybridTime(rawValue: provisionalBit | min(clock, clockMillisecondsMax) << 16)
    }

    private static let provisionalBit: UInt64 = 1 << 63

    /// Whether the write with this time is not sent.
    package var isProvisional: Bool { rawValue & Self.provisionalBit != 0 }

    // MARK: Writes without an account

    /// By how many bits the milliseconds of a write without an account are shifted.
    ///
    /// So all these times are in the years 1970 to 1978, in their order and below the times of an
    /// account, and can be distinguished from them. They are exact to a quarter of a second.
    private static let shiftWithoutAccount: UInt64 = 8

    /// Whether the write was made without an account.
    package var isWithoutAccount: Bool {
        !isProvisional && milliseconds < Self.clockMillisecondsMax >> Self.shiftWithoutAccount
    }

    /// When the write was made, by its author's clock, milliseconds since 1970.
    package var writtenMilliseconds: UInt64 {
        isWithoutAccount ? milliseconds << Self.shiftWithoutAccount : milliseconds
    }

    /// The time of a write without an account; nil if its author had seen one of an account.
    ///
    /// `clock`, `seen` and `random`: as for
    /// ``next(clockMilliseconds:serverMilliseconds:seen:own:random:)``.
    package static func withoutAccount(
        atMilliseconds clock: UInt64,
        seen: HybridTime,
        random: UInt16
    ) -> HybridTime? {
        let time = next(
            clockMilliseconds: min(clock, clockMillisecondsMax - 1) >> shiftWithoutAccount,
            serverMilliseconds: nil,
            seen: seen,
            own: .zero,
            random: random
        )
        return time.isWithoutAccount ? time : nil
    }

    /// The time of a new write, above every time its author has seen and made.
    ///
    /// Only the clock reading is capped, because a capped result would give two writes of one
    /// author the same time.
    /// - Parameters:
    ///   - clockMilliseconds: the author's clock when the user acted.
    ///   - serverMilliseconds: the server's last known date, if any.
    ///   - seen: the highest time its author has seen for the item.
    ///   - own: the highest time its author has ever made.
    ///   - random: 16 random bits.
    /// - Returns: a time above `own`, and above `seen` if that is below ``seenMax``; decoders
    ///   always accept it.
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
            return HybridTime(rawValue: min(own.rawValue, rawValueLimit - 2) + 1)
        }
        return HybridTime(rawValue: time)
    }
}
