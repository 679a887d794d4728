package import KSMerging
internal import KSQueues
package import KSRecords
package import KSStore
internal import KSWire

/// Hands the batches that are waiting to the store together, so that one disk sync commits many.
package actor PushQueue {
    private struct Waiting {
        let request: PushRequest
        let byteCount: Int
        let continuation: CheckedContinuation<Result<PushAnswer, StoreError>, Never>
    }

    /// The limits of one commit; further batches wait for the next.
    private static let commitRequestsMax = 128
    private static let commitBytesMax = 16 << 20
    /// The limit of all waiting batches: above it a client is asked to try again later.
    private static let waitingBytesMax = 128 << 20

    private let executor = QueueExecutor(label: "sync-server.push")
    private let store: any Store
    private let observer: StoreObserver?
    private let whenPushed: @Sendable (PushRequest, PushAnswer) -> Void
    private var waiting: [Waiting] = []
    private var waitingBytes = 0
    private var isDrainScheduled = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// `whenPushed` is called on the queue for each committed batch, before any client has its
    /// answer, so that waiting devices get the changes first.
    package init(
        store: any Store,
        observer: StoreObserver? = nil,
        whenPushed: @escaping @Sendable (PushRequest, PushAnswer) -> Void
    ) {
        self.store = store
        self.observer = observer
        self.whenPushed = whenPushed
    }

    /// Commits the request together with those that wait.
    ///
    /// `byteCount`: about how much memory the request takes.
    package func push(_ request: PushRequest, byteCount: Int) async throws -> PushAnswer {
        guard waitingBytes + byteCount <= Self.waitingBytesMax else { throw Problem(.unavailable) }
        waitingBytes += byteCount
        let result = await withCheckedContinuation { continuation in
            waiting.append(
                Waiting(request: request, byteCount: byteCount, continuation: continuation)
            )
            scheduleDrain()
        }
        return try result.get()
    }

    private func scheduleDrain() {
        guard !isDrainScheduled else { return }
        isDrainScheduled = true
        // Runs after the pushes that already wait for this actor, so that the commit includes them.
        Task { drain() }
    }

    private func drain() {
        isDrainScheduled = false
        var batch: [Waiting] = []
        var bytes = 0
        for next in waiting.prefix(Self.commitRequestsMax) {
            bytes += next.byteCount
            if !batch.isEmpty, bytes > Self.commitBytesMax { break }
            batch.append(next)
        }
        waiting.removeFirst(batch.count)
        if !waiting.isEmpty { scheduleDrain() }
        let start = ContinuousClock.now
        let results = store.push(batch.map(\.request))
        observer?.notePush(results, elapsed: .now - start)
        precondition(results.count == batch.count, "the store answers each request")
        for (next, result) in zip(batch, results) {
            if case .success(let answer) = result { whenPushed(next.request, answer) }
        }
        for (next, result) in zip(batch, results) {
            waitingBytes -= next.byteCount
            next.continuation.resume(returning: result)
        }
    }
}
