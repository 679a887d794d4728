internal import Dispatch
internal import Synchronization

// What a program waits for: the first answer, changes that were reported, and writes to be on the
// disk.

extension StoreSession {
    func waitUntilLoaded() {
        guard state.withLock({ $0.isLoading }) else { return }
        let loaded = DispatchSemaphore(value: 0)
        let isLoading = state.withLock { state in
            if state.isLoading { state.loads.append { loaded.signal() } }
            return state.isLoading
        }
        if isLoading { loaded.wait() }
    }

    /// Waits until memory has all changes that were reported before, but not for long: a daemon may
    /// be slow to answer.
    func waitUntilFolded() {
        let folded = DispatchSemaphore(value: 0)
        let isBehind = state.withLock { state in
            let (received, applied) = state.reports
            if applied < received { state.readers.append((received, { folded.signal() })) }
            return applied < received
        }
        // After the wait, memory is read as it is.
        if isBehind { _ = folded.wait(timeout: .now() + readPatience) }
    }

    /// Calls `done` with true once all writes until now are on this disk, or false after a failure.
    func flush(_ done: @escaping @Sendable (Bool) -> Void) {
        let isDone = state.withLock { state in
            let write = state.memory.newestWrite
            guard state.memory.settledWrite < write || state.needsLoad || !state.memory.isLoaded
            else { return true }
            state.flushes.append((write, done))
            return false
        }
        if isDone { done(true) } else { wake() }
    }

    /// Waits until all writes until now are committed on this disk.
    ///
    /// `patience`: how long to wait for one more write to be committed, beside 10 ms for each
    /// write of the call under way; nil waits for ever.
    func flush(patience: DispatchTimeInterval? = nil) -> FlushEnd {
        let done = DispatchSemaphore(value: 0)
        let result = FlushResult()
        flush { isFlushed in
            result.isFlushed.withLock { $0 = isFlushed }
            done.signal()
        }
        var before = settledWrite
        func deadline() -> DispatchTime {
            let sent = state.withLock { $0.unansweredCount ?? 0 }
            return patience.map { .now() + $0 + .milliseconds(10 * sent) } ?? .distantFuture
        }
        while done.wait(timeout: deadline()) == .timedOut {
            let now = settledWrite
            guard now > before else { return .timedOut }
            before = now
        }
        return result.isFlushed.withLock { $0 } ? .committed : .failed
    }

    private var settledWrite: UInt64 { state.withLock { $0.memory.settledWrite } }

    func endLoading() {
        let loads = state.withLock { state in
            state.isLoading = false
            defer { state.loads = [] }
            return state.loads
        }
        for load in loads { load() }
    }

    /// Ends the waits for so many reports.
    func endReading(_ reports: UInt64) {
        let due = state.withLock { state in
            state.reports.applied = reports
            defer { state.readers.removeAll { $0.report <= reports } }
            return state.readers.filter { $0.report <= reports }
        }
        for reader in due { reader.done() }
    }

    func settleFlushes(isFailed: Bool) {
        let (flushes, isLoaded) = state.withLock { state in
            let settled = state.memory.settledWrite
            let due = state.flushes.filter { isFailed || $0.write <= settled }
            state.flushes.removeAll { isFailed || $0.write <= settled }
            return (due.map { ($0.done, $0.write <= settled) }, state.memory.isLoaded)
        }
        for (done, isSettled) in flushes { done(isSettled && isLoaded) }
    }
}

/// How a wait for writes ended.
enum FlushEnd {
    case committed
    case failed
    /// The daemon committed no further write in time.
    case timedOut
}

/// Whether a flush has committed all writes; set by the thread that makes the calls.
private final class FlushResult: Sendable {
    let isFlushed = Mutex(false)
}
