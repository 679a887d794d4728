internal import Synchronization

/// Wakes the waiting task; several calls of ``raise()`` before it waits count as one.
package final class Signal: Sendable {
    private struct State {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func raise() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isRaised = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns once raised, or when the task is cancelled.
    ///
    /// Only one task may wait at a time.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRaised = state.withLock { state in
                    if state.isRaised || Task.isCancelled {
                        state.isRaised = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isRaised { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }

    /// No timer takes every number, so a longer wait is made of several.
    private static let dayMilliseconds: UInt64 = 24 * 3600 * 1000

    /// Returns once raised, or after this time, or a day.
    func wait(milliseconds: UInt64) async {
        let milliseconds = min(milliseconds, Self.dayMilliseconds)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask {
                // Cancelled when the signal came first.
                try? await Task.sleep(for: .milliseconds(milliseconds))
            }
            await group.next()
            group.cancelAll()
        }
    }
}
