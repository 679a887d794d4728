internal import KSCCurl
internal import Dispatch
internal import Synchronization

/// A thread that carries transfers by one of curl's multi handles, which has its own connections.
///
/// A connection can die without a word: after sleep, on another network, behind a forgetful
/// router. curl would let every later request join it, so after a time-out the loop is *retired*:
/// it takes no new transfers, and those that share the silence end. The next request goes to
/// another loop, which opens a connection of its own (see ``CurlLoops``).
@safe
final class CurlLoop: @unchecked Sendable {
    // Safety: only the loop's thread uses `multi`, except for curl_multi_wakeup, which curl allows
    // on any thread, and which is called under the lock that protects the handle's lifetime.
    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex(Inbox())
    private let timer = WakeTimer()
    /// Curl's callbacks use it until the handle is gone.
    private let checked: CheckedConnections
    /// How long a connection with an events stream may be silent before new requests avoid it.
    private let doubtMilliseconds: Int
    /// Takes a transfer that came too late for this loop.
    private let handOver: @Sendable (CurlTransfer) -> Void

    private struct Inbox {
        var started: [CurlTransfer] = []
        var cancelled: [CurlTransfer] = []
        var isRetired = false
        var isStopped = false
    }

    /// Curl's own set-up, once a process.
    private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(
        checked: CheckedConnections,
        doubtMilliseconds: Int,
        handOver: @escaping @Sendable (CurlTransfer) -> Void,
        whenEnded: @escaping @Sendable (CurlLoop) -> Void
    ) throws(TransportError) {
        guard Self.isCurlReady, let multi = unsafe curl_multi_init() else {
            throw .library(code: Int32(CURLE_FAILED_INIT.rawValue))
        }
        unsafe self.multi = multi
        self.checked = checked
        self.doubtMilliseconds = doubtMilliseconds
        self.handOver = handOver
        // The queue's only block runs until the loop ends, on a thread of its own.
        DispatchQueue(label: "keychain-sync.transport").async {
            self.run()
            whenEnded(self)
        }
    }

    /// A monotonic clock that also runs while the machine sleeps: what was silent meanwhile is
    /// overdue at once.
    static func nowMilliseconds() -> Int {
        Int((ContinuousClock.now - clockStart) / .milliseconds(1))
    }

    private static let clockStart = ContinuousClock.now

    /// Takes a new transfer.
    ///
    /// - Returns: false if the loop is retired or stopped.
    func start(_ transfer: CurlTransfer) -> Bool {
        tell { inbox in
            guard !inbox.isRetired else { return false }
            inbox.started.append(transfer)
            return true
        }
    }

    /// Ends a transfer, unless it has ended already.
    func cancel(_ transfer: CurlTransfer) {
        _ = tell {
            $0.cancelled.append(transfer)
            return true
        }
    }

    func stop() {
        _ = tell {
            $0.isStopped = true
            return true
        }
    }

    /// Changes the inbox and wakes the loop, unless the loop has stopped.
    ///
    /// - Returns: what `change` returns; false after a stop.
    private func tell(_ change: (inout Inbox) -> Bool) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isStopped, change(&inbox) else { return false }
            unsafe curl_multi_wakeup(multi)
            return true
        }
    }

    private func run() {
        var running: [CurlTransfer] = []
        while true {
            // Before new transfers begin: they must not join a connection that has just died.
            endOverdue(in: &running)
            let news = takeNews(isIdle: running.isEmpty)
            for transfer in news.started where begin(transfer) { running.append(transfer) }
            for transfer in news.cancelled { end(transfer, .failure(.cancelled), in: &running) }
            guard !news.isStopped else { break }
            var stillRunning: Int32 = 0
            unsafe curl_multi_perform(multi, &stillRunning)
            collectResults(in: &running)
            wait(for: running)
        }
        for transfer in running { end(transfer, .failure(.cancelled), in: &running) }
        unsafe curl_multi_cleanup(multi)
    }

    /// What came since the last look; a retired loop without transfers stops.
    private func takeNews(isIdle: Bool) -> Inbox {
        inbox.withLock { inbox in
            if inbox.isRetired, isIdle { inbox.isStopped = true }
            defer {
                inbox.started = []
                inbox.cancelled = []
            }
            return inbox
        }
    }

    /// Sleeps until data arrives, a transfer starts or is cancelled, or one times out.
    private func wait(for running: [CurlTransfer]) {
        let now = Self.nowMilliseconds()
        let isOver = inbox.withLock { $0.isRetired } && running.isEmpty
        let wake = running.map { endMilliseconds(of: $0, beside: running) }.min() ?? now + 60_000
        let milliseconds = isOver ? 0 : max(0, wake - now)
        unsafe timer.poll(multi, milliseconds: milliseconds)
    }

    private func begin(_ transfer: CurlTransfer) -> Bool {
        do throws(TransportError) {
            guard !transfer.isCancelled else { throw .cancelled }
            let easy = unsafe try transfer.prepare(nowMilliseconds: Self.nowMilliseconds())
            let code = unsafe curl_multi_add_handle(multi, easy)
            guard code == CURLM_OK else { throw .library(code: Int32(code.rawValue)) }
            return true
        } catch {
            transfer.finish(.failure(error))
            return false
        }
    }

    private func end(
        _ transfer: CurlTransfer,
        _ result: Result<TransportResponse, TransportError>,
        in running: inout [CurlTransfer]
    ) {
        // A missing transfer has been completed already.
        guard let index = running.firstIndex(where: { $0 === transfer }) else { return }
        running.remove(at: index)
        if let easy = unsafe transfer.easy { unsafe curl_multi_remove_handle(multi, easy) }
        transfer.finish(result)
    }

    private func collectResults(in running: inout [CurlTransfer]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let code = unsafe keychain_curl_result(message)
            let easy = unsafe message.pointee.easy_handle
            guard let transfer = running.first(where: { unsafe $0.easy == easy }) else { continue }
            let result = transfer.result(of: code)
            if case .failure(.timedOut) = result {
                // curl's own limits: no connection came about.
                lose(transfer, in: &running)
            } else {
                end(transfer, result, in: &running)
            }
        }
    }
}

// Time-outs, and what they say about the connection.
extension CurlLoop {
    /// When a transfer times out.
    ///
    /// A stream's lines may be queued behind an answer that is still arriving: such an answer shows
    /// that the connection is alive.
    private func endMilliseconds(
        of transfer: CurlTransfer,
        beside running: [CurlTransfer]
    ) -> Int {
        guard transfer.isStream else { return transfer.endsMilliseconds }
        let heard = running.compactMap(\.heardMilliseconds).max() ?? 0
        return max(
            transfer.endsMilliseconds,
            heard + transfer.silenceMilliseconds
        )
    }

    private func endOverdue(in running: inout [CurlTransfer]) {
        let now = Self.nowMilliseconds()
        for transfer in running where endMilliseconds(of: transfer, beside: running) <= now {
            // An upload shows no sign while it goes on: ask the system before it is given up.
            transfer.noteUpload(nowMilliseconds: now)
            let hasEnded = !running.contains { $0 === transfer }
            if hasEnded || endMilliseconds(of: transfer, beside: running) > now { continue }
            lose(transfer, in: &running)
        }
        avoidDoubtful(&running, now)
    }

    /// Ends a transfer that timed out, with all that share its silence, and retires the loop.
    private func lose(_ lost: CurlTransfer, in running: inout [CurlTransfer]) {
        let now = Self.nowMilliseconds()
        retire()
        end(lost, .failure(.timedOut), in: &running)
        endSilent(
            since: max(lost.startMilliseconds, now - doubtMilliseconds),
            in: &running,
            now
        )
    }

    /// Retires the loop if a new transfer waits and the connection is silent although the server
    /// sends a line on each events stream every 15 s.
    private func avoidDoubtful(_ running: inout [CurlTransfer], _ now: Int) {
        guard running.contains(where: \.isStream), inbox.withLock({ !$0.started.isEmpty }) else {
            return
        }
        let bound = now - doubtMilliseconds
        for transfer in running { transfer.noteUpload(nowMilliseconds: now) }
        guard running.allSatisfy({ $0.signMilliseconds < bound }) else { return }
        retire()
        endSilent(since: bound, in: &running, now)
    }

    private func endSilent(since bound: Int, in running: inout [CurlTransfer], _ now: Int) {
        for transfer in running {
            transfer.noteUpload(nowMilliseconds: now)
            if transfer.heardMilliseconds ?? .min < bound {
                end(transfer, .failure(.timedOut), in: &running)
            }
        }
    }

    /// Takes no new transfers from now on, and hands over those that have not begun.
    private func retire() {
        let left = inbox.withLock { inbox in
            inbox.isRetired = true
            defer { inbox.started = [] }
            return inbox.isStopped ? [] : inbox.started
        }
        for transfer in left { handOver(transfer) }
    }
}
