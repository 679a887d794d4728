package import KSDigests

/// When a device uploads a record's joined state without an edit by its user.
///
/// Reading joins siblings without changing the record, and the next edit uploads the join. But a
/// record of many siblings that nobody edits would be joined again at every reading.
package struct WriteBackRule: Equatable, Sendable {
    /// A record with more siblings than this is written back.
    package let siblingsMax: Int
    /// How long a device waits before it writes back, drawn at random each time.
    ///
    /// Many devices see a record at once, and the first write should reach the others before their
    /// turn.
    package let delayMilliseconds: ClosedRange<UInt64>

    package init(siblingsMax: Int, delayMilliseconds: ClosedRange<UInt64>) {
        self.siblingsMax = siblingsMax
        self.delayMilliseconds = delayMilliseconds
    }

    /// More than eight siblings, after half a minute to five minutes.
    package static let standard = WriteBackRule(siblingsMax: 8, delayMilliseconds: 30_000...300_000)

    /// When a record that is noticed now is due, milliseconds since 1970.
    package func dueMilliseconds(now: UInt64, random: any RandomSource) -> UInt64 {
        let range = delayMilliseconds.upperBound - delayMilliseconds.lowerBound
        return now + delayMilliseconds.lowerBound + random.integer() % (range + 1)
    }

    /// Whether a due time was missed, so that a new one is drawn at random.
    ///
    /// Devices that were off, locked or offline would otherwise all write at one moment.
    ///
    /// A due time beyond the longest delay means that the clock was set back.
    package func isMissed(dueMilliseconds due: UInt64, now: UInt64) -> Bool {
        now > due + delayMilliseconds.upperBound
            || due > now + delayMilliseconds.upperBound
    }
}
