/// A listener's end of ``EventHub``.
///
/// Each standing includes the earlier ones, so none has to be read.
struct Subscription: Sendable {
    /// For one reader; it ends with the subscription.
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

    /// Waits for the first standing, the end, or the limit, and ends the subscription.
    func waitOnce(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { for await _ in standings { return } }
            group.addTask {
                // Fails only when the other task has returned first.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Repeats the newest standing at this interval until the task is cancelled.
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
