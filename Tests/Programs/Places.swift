internal import Synchronization

/// Limits the programs that run at once, in the order of arrival.
final class Places: Sendable {
    /// A program has at most five open files here, while it starts: 400 in all.
    ///
    /// All tests together need far fewer places while they wait for one more program: sixteen
    /// worlds at once, with a server and up to three devices each.
    static let programCountMax = 80
    static let programs = Places(count: programCountMax)

    private struct State {
        var freeCount: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(freeCount: count))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.freeCount > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.freeCount -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.freeCount += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
