import Testing

import KSTransport

/// How long a transfer may last.
struct CurlTransferTests {
    private func transfer(
        _ request: TransportRequest,
        events: (@Sendable (ServerEvent) -> Void)? = nil
    ) throws -> CurlTransfer {
        var limits = TransportLimits()
        (limits.silenceMilliseconds, limits.bytesPerSecondMin) = (45_000, 4000)
        let transfer = CurlTransfer(
            request,
            to: try ServerEndpoint(origin: "https://sync.example.org", pins: []),
            limits: limits,
            connections: CheckedConnections(),
            whenEvent: events
        )
        _ = unsafe try transfer.prepare(nowMilliseconds: 7)
        return transfer
    }

    @Test
    func `each byte sent or received gives more time`() throws {
        let body = [UInt8](repeating: 7, count: 8000)
        let request = TransportRequest(.post, "/v1/batches", body: body, timeoutSeconds: 30)
        let transfer = try transfer(request)
        #expect(transfer.endsMilliseconds == 7 + 30_000 + 2000)
        var part = [CChar](repeating: 7, count: 1000)
        #expect(unsafe transfer.receiveBody(&part, count: part.count) == part.count)
        #expect(transfer.endsMilliseconds == 7 + 30_000 + 2250)
    }

    @Test
    func `a stream ends only when it has been silent for long`() throws {
        let transfer = try transfer(TransportRequest(.get, "/v1/events")) { _ in }
        #expect(transfer.endsMilliseconds == 7 + 45_000)
    }
}
