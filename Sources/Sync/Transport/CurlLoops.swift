internal import Synchronization

/// The loops of one transport: the newest takes new transfers, retired ones finish theirs.
final class CurlLoops: Sendable {
    private struct State {
        var newest: CurlLoop?
        var retired: [CurlLoop] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let doubtMilliseconds: Int
    /// Shared by all loops: a socket's number is the process's.
    let checked = CheckedConnections()

    init(doubtMilliseconds: Int) throws(TransportError) {
        self.doubtMilliseconds = doubtMilliseconds
        let loop = try makeLoop()
        state.withLock { $0.newest = loop }
    }

    private func makeLoop() throws(TransportError) -> CurlLoop {
        try CurlLoop(
            checked: checked,
            doubtMilliseconds: doubtMilliseconds,
            handOver: { [weak self] transfer in
                guard let self else { return transfer.finish(.failure(.cancelled)) }
                start(transfer)
            },
            whenEnded: { [weak self] loop in
                self?.state.withLock { $0.retired.removeAll { $0 === loop } }
            }
        )
    }

    /// Begins a transfer on the newest loop, or on a fresh one if that is retired.
    func start(_ transfer: CurlTransfer) {
        let failure: TransportError? = state.withLock { state in
            guard !state.isStopped else { return .cancelled }
            if let newest = state.newest {
                if newest.start(transfer) { return nil }
                state.retired.append(newest)
                state.newest = nil
            }
            do throws(TransportError) {
                let loop = try makeLoop()
                state.newest = loop
                return loop.start(transfer) ? nil : .cancelled
            } catch {
                return error
            }
        }
        if let failure { transfer.finish(.failure(failure)) }
    }

    /// Ends a transfer, unless it has ended already.
    func cancel(_ transfer: CurlTransfer) {
        // Also for one that is just being handed over: the loop that begins it looks.
        transfer.markCancelled()
        for loop in all { loop.cancel(transfer) }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        for loop in all { loop.stop() }
    }

    private var all: [CurlLoop] {
        state.withLock { [$0.newest].compactMap(\.self) + $0.retired }
    }
}
