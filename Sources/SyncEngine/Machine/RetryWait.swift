/// A time before which nothing is tried, which a clock that is set back does not prolong.
struct RetryWait: Equatable, Sendable {
    /// When it is over, milliseconds since 1970; 0 when nothing is waited for.
    private(set) var endMilliseconds: UInt64 = 0
    private var lengthMilliseconds: UInt64 = 0

    mutating func begin(_ milliseconds: UInt64, fromMilliseconds now: UInt64) {
        lengthMilliseconds = milliseconds
        endMilliseconds = now + milliseconds
    }

    mutating func end() {
        self = RetryWait()
    }

    func isOver(atMilliseconds now: UInt64) -> Bool {
        // More left of a wait than it was long means that the clock was set back since.
        now >= endMilliseconds || endMilliseconds > now + lengthMilliseconds
    }
}
