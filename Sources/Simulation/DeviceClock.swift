internal import Synchronization

/// A device's clock: the world's, as far ahead or behind as its user has set it.
final class DeviceClock: Sendable {
    private let world: VirtualClock
    private let ahead = Mutex<Int64>(0)

    init(_ world: VirtualClock) {
        self.world = world
    }

    /// How far it is ahead of the world's, milliseconds; negative when it is behind.
    var aheadMilliseconds: Int64 {
        get { ahead.withLock { $0 } }
        set { ahead.withLock { $0 = newValue } }
    }

    /// Since 1970-01-01 00:00 UTC.
    var milliseconds: UInt64 { UInt64(Int64(world.milliseconds) + aheadMilliseconds) }

    /// When this clock shows a time, by the world's clock.
    func worldMilliseconds(at milliseconds: UInt64) -> UInt64 {
        UInt64(max(0, Int64(milliseconds) - aheadMilliseconds))
    }
}
