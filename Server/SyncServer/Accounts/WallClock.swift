internal import Foundation

/// The date, a parameter so that tests need not wait.
struct WallClock: Sendable {
    /// Since 1970-01-01 00:00 UTC.
    let milliseconds: @Sendable () -> UInt64

    static let system = WallClock { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

    func seconds() -> UInt64 {
        milliseconds() / 1000
    }
}
