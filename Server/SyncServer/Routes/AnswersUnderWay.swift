internal import Synchronization

/// How many requests have come whose answers are not written yet, so that a stop can wait for them.
final class AnswersUnderWay: Sendable {
    /// One of them, for as long as anything holds it.
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

    /// Waits until there is none, or for this long.
    func waitForEnd(atMost limit: Duration) async {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        let isOver = state.withLock { state in
            if state.count > 0 { state.waiting.append(continuation) }
            return state.count == 0
        }
        if isOver { return }
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask {
                // Fails only when the other has returned first.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
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
