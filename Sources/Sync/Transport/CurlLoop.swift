internal import KSCCurl
internal import Dispatch
internal import Synchronization

/// The thread that carries all transfers of one transport, by one of curl's multi handles.
@safe
final class CurlLoop: @unchecked Sendable {
    // Safety: only the loop's thread uses `multi`, except for curl_multi_wakeup, which curl allows
    // on any thread, and which is called under the lock that protects the handle's lifetime.
    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex(Inbox())
    let checked = CheckedConnections()

    private struct Inbox {
        var started: [CurlTransfer] = []
        var cancelled: [CurlTransfer] = []
        var isStopped = false
    }

    /// Curl's own set-up, once a process.
    private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(TransportError) {
        guard Self.isCurlReady, let multi = unsafe curl_multi_init() else {
            throw .library(code: Int32(CURLE_FAILED_INIT.rawValue))
        }
        unsafe self.multi = multi
        // The queue's only block runs until the loop stops, on a thread of its own.
        DispatchQueue(label: "keychain-sync.transport").async { self.run() }
    }

    /// The monotonic clock.
    static func nowMilliseconds() -> Int {
        Int(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    }

    func start(_ transfer: CurlTransfer) {
        let isStopped = !tell { $0.started.append(transfer) }
        if isStopped { transfer.finish(.failure(.cancelled)) }
    }

    /// Ends a transfer, unless it has ended already.
    func cancel(_ transfer: CurlTransfer) {
        tell { $0.cancelled.append(transfer) }
    }

    func stop() {
        tell { $0.isStopped = true }
    }

    /// Changes the inbox and wakes the loop, unless the loop has stopped.
    ///
    /// - Returns: false after a stop.
    @discardableResult
    private func tell(_ change: (inout Inbox) -> Void) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isStopped else { return false }
            change(&inbox)
            unsafe curl_multi_wakeup(multi)
            return true
        }
    }

    private func run() {
        var running: [CurlTransfer] = []
        while true {
            let news = inbox.withLock { inbox in
                defer {
                    inbox.started = []
                    inbox.cancelled = []
                }
                return inbox
            }
            for transfer in news.started where begin(transfer) { running.append(transfer) }
            for transfer in news.cancelled { end(transfer, .failure(.cancelled), in: &running) }
            guard !news.isStopped else { break }
            var stillRunning: Int32 = 0
            unsafe curl_multi_perform(multi, &stillRunning)
            collectResults(in: &running)
            let now = Self.nowMilliseconds()
            for transfer in running where transfer.endsMilliseconds <= now {
                end(transfer, .failure(.timedOut), in: &running)
            }
            wait(for: running, now: now)
        }
        for transfer in running { end(transfer, .failure(.cancelled), in: &running) }
        unsafe curl_multi_cleanup(multi)
    }

    /// Sleeps until data arrives, a transfer starts or is cancelled, or one times out.
    private func wait(for running: [CurlTransfer], now: Int) {
        let wake = running.map(\.endsMilliseconds).min() ?? now + 60_000
        unsafe curl_multi_poll(multi, nil, 0, Int32(clamping: max(0, wake - now)), nil)
    }

    private func begin(_ transfer: CurlTransfer) -> Bool {
        do throws(TransportError) {
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
            if let transfer = running.first(where: { unsafe $0.easy == easy }) {
                end(transfer, transfer.result(of: code), in: &running)
            }
        }
    }
}
