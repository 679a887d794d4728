internal import Synchronization

/// A device's clock: the world's time plus an offset that its user sets.
package final class DeviceClock: Sendable {
    private let world: VirtualClock
    private let ahead = Mutex<Int64>(0)

    init(_ world: VirtualClock) {
        self.world = world
    }

    /// The offset to the world's time in milliseconds; negative if it is behind.
    package var aheadMilliseconds: Int64 {
        get { ahead.withLock { $0 } }
        set { ahead.withLock { $0 = newValue } }
    }

    /// Since 1970-01-01 00:00 UTC.
    var milliseconds: UInt64 { UInt64(Int64(world.milliseconds) + aheadMilliseconds) }

    /// Converts a time of this clock to the world's time.
    func worldMilliseconds(at milliseconds: UInt64) -> UInt64 {
        UInt64(max(0, Int64(milliseconds) - aheadMilliseconds))
    }
}
