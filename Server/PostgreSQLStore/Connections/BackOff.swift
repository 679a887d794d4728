/// How long to wait before the next attempt: longer after each failure, and not the same for
/// everybody who waits for the same database.
struct BackOff: Sendable {
    private static let first = Duration.milliseconds(50)
    private static let longest = Duration.seconds(5)

    private var failures = 0

    /// The time until the next attempt, after one more failure.
    mutating func next() -> Duration {
        let longest = min(Self.first * (1 << min(failures, 10)), Self.longest)
        failures += 1
        return longest * Double.random(in: 0.5...1)
    }

    mutating func reset() {
        failures = 0
    }
}
