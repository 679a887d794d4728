internal import Synchronization

/// Counts the requests whose answers are not written yet, so that a stop can wait for them.
final class AnswersUnderWay: Sendable {
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
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    func begin() -> Answer {
        state.withLock { $0.count += 1 }
        return Answer(self)
    }

    /// Waits until there is none, or the limit is over.
    func waitForEnd(atMost limit: Duration) async {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        let isOver = state.withLock { state in
            if state.count > 0 { state.waiting.append(continuation) }
            return state.count == 0
        }
        if isOver { return }
        await wait(atMost: limit) { for await _ in end {} }
    }

    private func end() {
        let waiting = state.withLock { state -> [AsyncStream<Never>.Continuation] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }
}
