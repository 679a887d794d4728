package import KSAgent
internal import Synchronization

/// What a call does at the moment; it is reported again and again, since a program shows only what
/// takes longer than a second.
package final class LiveProgress: Sendable {
    private let now: Mutex<AgentProgress>

    private static let milliseconds = 200

    private init(_ first: AgentProgress) { now = Mutex(first) }

    package func show(_ progress: AgentProgress) { now.withLock { $0 = progress } }

    /// Calls `body`, and reports what it shows until it returns.
    static func reporting<Answer>(
        _ text: String,
        to report: @escaping AgentAnswer.ReportProgress,
        _ body: (LiveProgress) async throws -> Answer
    ) async rethrows -> Answer {
        let live = LiveProgress(AgentProgress(done: 0, total: 0, text: text))
        let task = Task {
            while !Task.isCancelled {
                report(live.now.withLock(\.self))
                // Ends early when the body has returned.
                try? await Task.sleep(for: .milliseconds(milliseconds))
            }
        }
        do {
            let answer = try await body(live)
            await end(task)
            return answer
        } catch {
            await end(task)
            throw error
        }
    }

    /// Nothing may be reported after the reply.
    private static func end(_ task: Task<Void, Never>) async {
        task.cancel()
        await task.value
    }
}
