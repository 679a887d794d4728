/// A listener's end of ``EventHub``.
///
/// Each standing includes the earlier ones, so none has to be read.
package struct Subscription: Sendable {
    /// For one reader; it ends with the subscription.
    package let standings: AsyncStream<Standing>
    let continuation: AsyncStream<Standing>.Continuation
    let repeatNewest: @Sendable () -> Void

    /// Waits for the first standing, the end, or the limit, and ends the subscription.
    package func waitOnce(atMost limit: Duration) async {
        await wait(atMost: limit) { for await _ in standings { return } }
    }

    /// Repeats the newest standing at this interval until the task is cancelled.
    func heartbeat(every interval: Duration) -> Task<Void, Never> {
        Task { [repeatNewest] in
            // Fails only when it was cancelled.
            while (try? await Task.sleep(for: interval)) != nil { repeatNewest() }
        }
    }

    /// Ends the subscription, from any thread.
    package func end() {
        continuation.finish()
    }
}

/// Waits until `body` returns or the limit is over; a cancellation makes `body` return.
func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Void) async {
    await withTaskGroup { group in
        group.addTask { await body() }
        group.addTask {
            // Fails only when the other task has returned first.
            try? await Task.sleep(for: limit)
        }
        await group.next()
        group.cancelAll()
    }
}
