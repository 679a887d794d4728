package import KSDigests

/// When a device uploads a record's joined state although its user did nothing.
///
/// Joining is a view, and whoever edits next uploads it anyway. Only a record that many have
/// written and nobody has edited since would be joined by every reader again and again.
package struct WriteBackRule: Equatable, Sendable {
    /// A record with more siblings than this is written back.
    package let siblingsMax: Int
    /// How long a device waits first, drawn anew each time: many devices see the same record at one
    /// moment, and the first one's write is to reach the others before it is their turn.
    package let delayMilliseconds: ClosedRange<UInt64>

    package init(siblingsMax: Int, delayMilliseconds: ClosedRange<UInt64>) {
        self.siblingsMax = siblingsMax
        self.delayMilliseconds = delayMilliseconds
    }

    /// More than eight siblings, after half a minute to five minutes.
    package static let standard = WriteBackRule(
        siblingsMax: 8,
        delayMilliseconds: 30_000...300_000
    )

    /// When a record that is noticed now is due.
    package func dueMilliseconds(now: UInt64, random: any RandomSource) -> UInt64 {
        let range = delayMilliseconds.upperBound - delayMilliseconds.lowerBound
        return now + delayMilliseconds.lowerBound + random.integer() % (range + 1)
    }

    /// Whether a time was missed: while a device is off, locked or cut off many such times pass, on
    /// many devices, and all would write at one moment once they are back.
    ///
    /// A time further ahead than any that is given means that the clock was set back since.
    package func isMissed(dueMilliseconds due: UInt64, now: UInt64) -> Bool {
        now > due + delayMilliseconds.upperBound
            || due > now + delayMilliseconds.upperBound
    }
}
