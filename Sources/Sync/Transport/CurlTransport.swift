internal import Synchronization

/// Limits on the time and the size of answers.
package struct TransportLimits: Sendable {
    package var connectSeconds = 15
    /// The server sends a comment line on a stream every 15 s; the limit is three missed ones.
    package var silenceMilliseconds = 45_000
    /// After this silence a new request does not join the stream's connection: one line is missing.
    package var doubtMilliseconds = 20_000
    /// How long the other end may leave what was sent unconfirmed.
    package var unconfirmedMilliseconds: UInt32 = 30_000
    /// How long a connection may be idle and still be used again.
    package var idleSecondsMax = 60
    /// The lowest rate: a slow link gets the time for a whole batch or page at this rate.
    package var bytesPerSecondMin = 4 << 10
    /// More than a page of one record with the most and largest siblings.
    package var answerBytesMax = 40 << 20

    package init() {}
}

/// HTTPS by libcurl: HTTP/2 if the server has it, over one connection.
///
/// A time-out takes the connection out of use: the next request opens a new one.
package final class CurlTransport: Transport {
    private let server: ServerEndpoint
    private let limits: TransportLimits
    private let loops: CurlLoops

    /// Does not open a connection.
    package init(
        server: ServerEndpoint,
        limits: TransportLimits = TransportLimits()
    ) throws(TransportError) {
        self.server = server
        self.limits = limits
        loops = try CurlLoops(doubtMilliseconds: limits.doubtMilliseconds)
    }

    deinit {
        loops.stop()
    }

    /// Ends all transfers with ``TransportError/cancelled``; later ones end at once.
    package func close() {
        loops.stop()
    }

    /// As in ``CheckedConnections/endSeconds``.
    package var certificateEndSeconds: Int? { loops.checked.endSeconds }

    package func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        try await carryOut(request).result.get()
    }

    /// - Returns: the finished transfer too, which nothing else uses any more.
    func carryOut(
        _ request: TransportRequest
    ) async -> (transfer: CurlTransfer, result: Result<TransportResponse, TransportError>) {
        let transfer = CurlTransfer(request, to: server, limits: limits, connections: loops.checked)
        let result: Result<TransportResponse, TransportError> =
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    transfer.whenDone { continuation.resume(returning: $0) }
                    loops.start(transfer)
                    // If cancelled before the start, the handler below found nothing to cancel.
                    if Task.isCancelled { loops.cancel(transfer) }
                }
            } onCancel: {
                loops.cancel(transfer)
            }
        return (transfer, result)
    }

    package func events(
        _ request: TransportRequest
    ) -> AsyncThrowingStream<ServerEvent, any Error> {
        // Each event states the newest seq, so the newest events suffice.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let transfer = CurlTransfer(
                request,
                to: server,
                limits: limits,
                connections: loops.checked,
                whenEvent: { continuation.yield($0) }
            )
            let isDropped = Flag()
            transfer.whenDone { result in
                switch result {
                // Nobody reads the stream any more.
                case .failure(.cancelled) where isDropped.isRaised:
                    continuation.finish()
                case .success(let response) where response.status != 200:
                    continuation.finish(
                        throwing: TransportError.unexpectedStatus(
                            response.status,
                            retryAfterSeconds: response.retryAfterSeconds
                        )
                    )
                // The server closed the stream properly, for instance because it stops. 18 is
                // curl's code for a stream that was cut off.
                case .success: continuation.finish(throwing: TransportError.outOfReach(code: 18))
                case .failure(let error): continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { [loops] _ in
                isDropped.raise()
                loops.cancel(transfer)
            }
            loops.start(transfer)
        }
    }
}

/// A flag that is raised once and stays raised.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
