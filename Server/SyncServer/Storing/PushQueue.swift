internal import Dispatch
package import KSMerging
package import KSRecords
package import KSStore
internal import KSWire
internal import Synchronization

/// Hands the batches that are waiting to the store together, so that one disk sync commits many.
///
/// A store that serves several calls at once gets the batches of several accounts at once, each
/// account's in one call: an account whose row another server has locked holds up no other.
package final class PushQueue: Sendable {
    private struct Waiting {
        let request: PushRequest
        let byteCount: Int
        let continuation: CheckedContinuation<Result<PushAnswer, any Error>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var waitingBytes = 0
        /// The threads that have nothing to do.
        var idle: [DispatchQueue]
        /// The accounts of the calls under way, if there may be several.
        var busyAccounts: Set<AccountID> = []
    }

    /// The limits of one commit; further batches wait for the next.
    private static let commitRequestsMax = 128
    private static let commitBytesMax = 16 << 20
    /// The limit of all waiting batches: above it a client is asked to try again later.
    private static let waitingBytesMax = 128 << 20

    private let store: any Store
    private let observer: StoreObserver?
    private let whenPushed: @Sendable (PushRequest, PushAnswer) -> Void
    /// One call takes the batches of one account, since others are under way beside it.
    private let isByAccount: Bool
    private let state: Mutex<State>

    /// `whenPushed` is called for each committed batch, before any client has its answer, so that
    /// waiting devices get the changes first.
    package init(
        store: any Store,
        observer: StoreObserver? = nil,
        whenPushed: @escaping @Sendable (PushRequest, PushAnswer) -> Void
    ) {
        self.store = store
        self.observer = observer
        self.whenPushed = whenPushed
        let count = max(1, store.concurrentCalls)
        isByAccount = count > 1
        let threads = (0..<count).map { DispatchQueue(label: "sync-server.push.\($0)") }
        state = Mutex(State(idle: threads))
    }

    /// Commits the request together with those that wait.
    ///
    /// `byteCount`: about how much memory the request takes.
    /// - Throws: ``Problem`` `unavailable` if too much waits already, or what the store says.
    package func push(_ request: PushRequest, byteCount: Int) async throws -> PushAnswer {
        let result = await withCheckedContinuation { continuation in
            add(Waiting(request: request, byteCount: byteCount, continuation: continuation))
        }
        return try result.get()
    }

    private func add(_ new: Waiting) {
        let (isRefused, thread) = state.withLock { state -> (Bool, DispatchQueue?) in
            guard state.waitingBytes + new.byteCount <= Self.waitingBytesMax else {
                return (true, nil)
            }
            state.waitingBytes += new.byteCount
            state.waiting.append(new)
            // The call under way takes this account's next batches by itself.
            let isBusy = state.busyAccounts.contains(new.request.account)
            return (false, isBusy ? nil : state.idle.popLast())
        }
        if isRefused { new.continuation.resume(returning: .failure(Problem(.unavailable))) }
        // By the time that the thread runs, others may wait too, and are committed with this one.
        thread?.async { self.work(on: thread) }
    }

    /// Makes calls on a thread until nothing waits for it.
    private func work(on thread: DispatchQueue?) {
        while let batch = state.withLock({ state in take(from: &state, for: thread) }) {
            let start = ContinuousClock.now
            let results = store.push(batch.map(\.request))
            observer?.notePush(results, elapsed: .now - start)
            precondition(results.count == batch.count, "the store answers each request")
            for (next, result) in zip(batch, results) {
                if case .success(let answer) = result { whenPushed(next.request, answer) }
            }
            state.withLock { state in
                state.waitingBytes -= batch.reduce(0) { $0 + $1.byteCount }
                if isByAccount { state.busyAccounts.remove(batch[0].request.account) }
            }
            for (next, result) in zip(batch, results) {
                next.continuation.resume(returning: result.mapError { $0 })
            }
        }
    }

    /// Removes what the next commit takes: of the account that has waited longest, or of all.
    ///
    /// - Returns: nil if nothing waits for this thread, which is idle then.
    private func take(from state: inout State, for thread: DispatchQueue?) -> [Waiting]? {
        let first = state.waiting.firstIndex { !state.busyAccounts.contains($0.request.account) }
        guard let first else {
            if let thread { state.idle.append(thread) }
            return nil
        }
        let account = state.waiting[first].request.account
        var batch: [Waiting] = []
        var bytes = 0
        var isFull = false
        state.waiting.removeAll { next in
            guard !isFull, !isByAccount || next.request.account == account else { return false }
            bytes += next.byteCount
            // An actor's batches stay in their order, so the first that does not fit ends it.
            isFull =
                batch.count == Self.commitRequestsMax
                || (!batch.isEmpty && bytes > Self.commitBytesMax)
            if !isFull { batch.append(next) }
            return !isFull
        }
        if isByAccount { state.busyAccounts.insert(account) }
        return batch
    }
}
