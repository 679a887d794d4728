import Synchronization

/// A clock that moves only when a test says so.
final class TestClock: Sendable {
    private let value = Mutex<UInt64>(1_700_000_000_000)
    private let uptime = Mutex<UInt64>(5000)

    var milliseconds: UInt64 { value.withLock { $0 } }

    /// As a clock that nobody can set.
    var uptimeMilliseconds: UInt64 { uptime.withLock { $0 } }

    func advance(seconds: UInt64) {
        value.withLock { $0 += seconds * 1000 }
        uptime.withLock { $0 += seconds * 1000 }
    }

    /// A user sets the clock, or a battery ran out.
    func set(milliseconds: UInt64) {
        value.withLock { $0 = milliseconds }
    }

    /// The machine starts again.
    func restart() {
        uptime.withLock { $0 = 0 }
    }
}
