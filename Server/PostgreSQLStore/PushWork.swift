internal import KSMerging
internal import KSRecords
internal import Synchronization

/// Batches of several accounts, for several threads.
final class PushWork: Sendable {
    private struct State {
        var next = 0
        var results: [Result<PushAnswer, StoreError>]
    }

    /// The well-formed batches of each account, by index, in their order.
    let groups: [[Int]]
    private let batches: [Result<IncomingBatch, StoreError>]
    private let state: Mutex<State>

    init(_ batches: [Result<IncomingBatch, StoreError>]) {
        self.batches = batches
        var groups: [[Int]] = []
        var groupOf: [AccountID: Int] = [:]
        for (index, batch) in batches.enumerated() {
            guard case .success(let batch) = batch else { continue }
            if let group = groupOf[batch.header.account] {
                groups[group].append(index)
            } else {
                groupOf[batch.header.account] = groups.count
                groups.append([index])
            }
        }
        self.groups = groups
        // Only those that are not well-formed keep these results.
        let results = batches.map { batch -> Result<PushAnswer, StoreError> in
            batch.flatMap { _ in .failure(.database(.away)) }
        }
        state = Mutex(State(results: results))
    }

    /// A group that nobody has taken.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < groups.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func batches(of group: Int) -> [IncomingBatch] {
        groups[group].compactMap { index in
            if case .success(let batch) = batches[index] { batch } else { nil }
        }
    }

    func finish(_ group: Int, with results: [Result<PushAnswer, StoreError>]) {
        state.withLock { state in
            for (index, result) in zip(groups[group], results) { state.results[index] = result }
        }
    }

    var results: [Result<PushAnswer, StoreError>] { state.withLock { $0.results } }
}
