/// A wait before the next try; setting the clock back does not prolong it.
struct RetryWait: Equatable, Sendable {
    /// When the wait ends, milliseconds since 1970; 0 without a wait.
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
        // If more is left than the whole wait, the clock was set back since.
        now >= endMilliseconds || endMilliseconds > now + lengthMilliseconds
    }
}
