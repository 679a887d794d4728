/// A listener's end of ``EventHub``.
///
/// Each standing holds all that was said before, so one that is never read is no loss.
struct Subscription: Sendable {
    /// To be read by one task; it ends with the subscription.
    let standings: AsyncStream<Standing>
    private let continuation: AsyncStream<Standing>.Continuation
    private let repeatNewest: @Sendable () -> Void

    init(
        standings: AsyncStream<Standing>,
        continuation: AsyncStream<Standing>.Continuation,
        repeatNewest: @escaping @Sendable () -> Void
    ) {
        self.standings = standings
        self.continuation = continuation
        self.repeatNewest = repeatNewest
    }

    /// Waits for the first news, for the end, or for this long, and ends the subscription.
    func waitOnce(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { for await _ in standings { return } }
            group.addTask {
                // Fails only when the other has returned first.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Says the newest standing again every so often, news or not, until the task is cancelled.
    func heartbeat(every interval: Duration) -> Task<Void, Never> {
        Task { [repeatNewest] in
            // Fails only when it was cancelled.
            while (try? await Task.sleep(for: interval)) != nil { repeatNewest() }
        }
    }

    /// Ends the subscription, from any thread.
    func end() {
        continuation.finish()
    }
}
