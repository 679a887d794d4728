import Synchronization

/// When a device was used, as a test remembers it.
final class Uses: Sendable {
    private let last = Mutex(ContinuousClock.now)

    func note() {
        last.withLock { $0 = ContinuousClock.now }
    }

    func timeSinceTheLast() -> Duration {
        last.withLock { ContinuousClock.now - $0 }
    }
}
