internal import Foundation

/// The date, a parameter so that tests need not wait.
package struct WallClock: Sendable {
    /// Since 1970-01-01 00:00 UTC.
    let milliseconds: @Sendable () -> UInt64

    package init(milliseconds: @escaping @Sendable () -> UInt64) {
        self.milliseconds = milliseconds
    }

    package static let system = WallClock { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

    package func seconds() -> UInt64 {
        milliseconds() / 1000
    }
}
