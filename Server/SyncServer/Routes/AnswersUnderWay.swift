internal import Synchronization

/// Counts the requests whose answers are not written yet, so that a stop can wait for them.
package final class AnswersUnderWay: Sendable {
    /// Counts as one answer under way until it is freed.
    final class Answer: Sendable {
        private let answers: AnswersUnderWay

        fileprivate init(_ answers: AnswersUnderWay) {
            self.answers = answers
        }

        deinit { answers.end() }
    }

    private struct State {
        var count = 0
        var waiter: AsyncStream<Never>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    func begin() -> Answer {
        state.withLock { $0.count += 1 }
        return Answer(self)
    }

    /// Waits until no answer is under way, or until the time limit; only one task may wait.
    func waitForEnd(atMost limit: Duration) async {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        state.withLock { state in
            if state.count > 0 { state.waiter = continuation } else { continuation.finish() }
        }
        await wait(atMost: limit) { for await _ in end {} }
    }

    private func end() {
        state.withLock { state in
            state.count -= 1
            if state.count == 0 { state.waiter?.finish() }
        }
    }
}
