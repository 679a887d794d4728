internal import Synchronization

/// The store's own time, for which several servers may count at once.
///
/// Each server counts on from the time that it found when it started, and the store's time is the
/// highest of these counts: two servers do not make it pass twice as fast.
final class ServedTime: Sendable {
    /// How old what other servers have counted may be.
    private static let age = Duration.seconds(30)

    private struct State {
        /// What this server has counted.
        var own: UInt64
        /// The highest count of all servers.
        var highest: UInt64
        var notedAt = ContinuousClock.now
    }

    private let state: Mutex<State>

    init(seconds: UInt64) {
        state = Mutex(State(own: seconds, highest: seconds))
    }

    /// The highest count; nil if it has not been read lately.
    func recentSeconds() -> UInt64? {
        state.withLock { state in
            ContinuousClock.now - state.notedAt < Self.age ? state.highest : nil
        }
    }

    /// Notes the highest count of all servers, and returns it.
    func note(_ seconds: UInt64) -> UInt64 {
        state.withLock { state in
            state.highest = max(state.highest, seconds)
            state.notedAt = .now
            return state.highest
        }
    }

    /// What this server will have counted after so many seconds more.
    func after(seconds: UInt64) -> UInt64 {
        state.withLock { $0.own + seconds }
    }

    /// Counts the seconds, once the store has.
    func pass(seconds: UInt64) {
        state.withLock { $0.own += seconds }
    }
}
