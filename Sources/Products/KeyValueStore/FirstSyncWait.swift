internal import Dispatch
internal import Foundation
internal import KSAgent
internal import Synchronization

/// A program's wait for the first sync, on a thread of its own: a daemon may be slow to answer.
final class FirstSyncWait: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var isCancelled = false
        var interrupt: AgentInterrupt?
    }

    /// The wait before the daemon is asked again: short at first, later longer.
    private static let waitMilliseconds = 100...1000

    private let session: StoreSession
    private let state = Mutex(State())
    private let woken = DispatchSemaphore(value: 0)

    init(_ session: StoreSession) { self.session = session }

    /// - Throws: `CancellationError` if the task is cancelled; ``KeyValueStoreError`` if the daemon
    ///   refuses to tell.
    func wait() async throws {
        // What has arrived may be the last of it.
        let number = session.observe(mayWait: false) { [woken] _ in woken.signal() }
        defer { session.stopObserving(number) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                Thread.detachNewThread { self.run() }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let continuation = state.withLock { state in
            state.isCancelled = true
            state.interrupt?.interrupt()
            return state.continuation.take()
        }
        woken.signal()
        continuation?.resume(throwing: CancellationError())
    }

    private func run() {
        var wait = Self.waitMilliseconds.lowerBound
        while true {
            do throws(AgentError) {
                if try isComplete() { break }
            } catch {
                let refusal = KeyValueStoreError.unavailable(error.sentence)
                state.withLock { $0.continuation.take() }?.resume(throwing: refusal)
                return
            }
            _ = woken.wait(timeout: .now() + .milliseconds(wait))
            // One question is enough for all changes until now.
            while woken.wait(timeout: .now()) == .success {}
            guard state.withLock({ !$0.isCancelled }) else { return }
            wait = min(wait * 2, Self.waitMilliseconds.upperBound)
        }
        state.withLock { $0.continuation.take() }?.resume()
    }

    /// Asks over a connection of its own: the store's may be in use.
    ///
    /// - Throws: what no further question can change.
    private func isComplete() throws(AgentError) -> Bool {
        do throws(AgentError) {
            let client = try AgentClient(home: AgentHome(argument: session.home))
            let isCancelled = state.withLock { state in
                state.interrupt = client.interrupt
                return state.isCancelled
            }
            defer {
                // The interrupt must not outlive the client.
                withExtendedLifetime(client) { state.withLock { $0.interrupt = nil } }
            }
            guard !isCancelled else { return false }
            return try client.call(GetKeyValueStatus(store: session.store)).isFirstSyncComplete
        } catch .failed(let failure) where failure.isRefusal {
            throw .failed(failure)
        } catch {
            // It is asked again.
            return false
        }
    }
}
