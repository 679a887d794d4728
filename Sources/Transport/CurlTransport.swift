internal import Synchronization

/// How long a connection may keep us waiting, and how much it may send.
package struct TransportLimits: Sendable, Equatable {
    package var connectSeconds: Int
    /// The server sends a comment line on a stream every 15 s; three missed ones are too many.
    package var silenceMilliseconds: Int
    /// A slow link gets so much more time: a whole batch, or a page, passes at this rate.
    package var bytesPerSecondMin: Int
    /// One record of a page may hold as many siblings as are kept, each as large as a box can
    /// be; with their frames that is below this.
    package var answerBytesMax: Int

    package init(
        connectSeconds: Int = 15,
        silenceMilliseconds: Int = 45_000,
        bytesPerSecondMin: Int = 4 << 10,
        answerBytesMax: Int = 40 << 20
    ) {
        self.connectSeconds = connectSeconds
        self.silenceMilliseconds = silenceMilliseconds
        self.bytesPerSecondMin = bytesPerSecondMin
        self.answerBytesMax = answerBytesMax
    }
}

/// HTTPS by libcurl: HTTP/2 where the server has it, and one connection for everything.
package final class CurlTransport: Transport {
    private let server: ServerEndpoint
    private let limits: TransportLimits
    private let loop: CurlLoop

    /// Opens no connection yet.
    package init(
        server: ServerEndpoint,
        limits: TransportLimits = TransportLimits()
    ) throws(TransportError) {
        self.server = server
        self.limits = limits
        loop = try CurlLoop()
    }

    deinit {
        loop.stop()
    }

    /// Ends all transfers with ``TransportError/cancelled``; later ones end at once.
    package func close() {
        loop.stop()
    }

    package func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        let transfer = CurlTransfer(request, to: server, limits: limits, connections: loop.checked)
        let result: Result<TransportResponse, TransportError> =
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    transfer.whenDone { continuation.resume(returning: $0) }
                    loop.start(transfer)
                    // Cancelled before the start, the handler below found nothing to cancel.
                    if Task.isCancelled { loop.cancel(transfer) }
                }
            } onCancel: {
                loop.cancel(transfer)
            }
        return try result.get()
    }

    package func events(
        _ request: TransportRequest
    ) -> AsyncThrowingStream<ServerEvent, any Error> {
        // An event only says "there is something new up to here": the newest ones say it all.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let transfer = CurlTransfer(
                request,
                to: server,
                limits: limits,
                connections: loop.checked,
                whenEvent: { continuation.yield($0) }
            )
            let isDropped = Flag()
            transfer.whenDone { result in
                switch result {
                // Nobody reads any more, so there is nobody to tell.
                case .failure(.cancelled) where isDropped.isRaised:
                    continuation.finish()
                case .success(let response) where response.status != 200:
                    continuation.finish(
                        throwing: TransportError.unexpectedStatus(
                            response.status,
                            retryAfterSeconds: response.retryAfterSeconds
                        )
                    )
                // The server closed the stream in good order, for instance because it stops. 18
                // is what curl says when it is not in good order.
                case .success: continuation.finish(throwing: TransportError.outOfReach(code: 18))
                case .failure(let error): continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { [loop] _ in
                isDropped.raise()
                loop.cancel(transfer)
            }
            loop.start(transfer)
        }
    }
}

/// Says once and for all that something happened.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
