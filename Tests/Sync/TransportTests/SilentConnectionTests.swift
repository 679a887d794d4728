import Glibc
import KSTestSupport
import Testing

import KSTransport

/// Connections that die silently: they stay open, and nothing arrives on them any more.
@Suite(.timeLimit(.minutes(10)))
struct SilentConnectionTests {
    /// Longer than any test may take.
    private static let never = 3600

    private func withProxy(
        limits: TransportLimits,
        _ body:
            @escaping @Sendable (CurlTransport, SilencingProxy, ServerDiary) async throws ->
            Void
    ) async throws {
        let identity = try ServerIdentity.make(nowSeconds: UInt64(time(nil)))
        try await withServer(identity) { server in
            let proxy = SilencingProxy(to: server.port)
            defer { proxy.close() }
            let transport = try CurlTransport(
                server: ServerEndpoint(
                    origin: "https://127.0.0.1:\(proxy.port)",
                    pins: [try identity.pin]
                ),
                limits: limits
            )
            defer { transport.close() }
            try await body(transport, proxy, server.diary)
        }
    }

    /// Limits under which only a request's own time ends anything.
    private var patient: TransportLimits {
        var limits = TransportLimits()
        limits.silenceMilliseconds = Self.never * 1000
        limits.doubtMilliseconds = Self.never * 1000
        return limits
    }

    private func hello(timeoutSeconds: Int = never) -> TransportRequest {
        TransportRequest(.get, "/hello", timeoutSeconds: timeoutSeconds)
    }

    @Test
    func `after a time-out the next request opens a new connection`() async throws {
        try await withProxy(limits: patient) { transport, proxy, _ async throws in
            #expect(try await transport.send(hello()).status == 200)
            for round in 1...3 {
                #expect(try await transport.send(hello()).status == 200)
                #expect(proxy.callerCount == round)
                proxy.silence()
                await #expect(throws: TransportError.timedOut) {
                    try await transport.send(hello(timeoutSeconds: 1))
                }
                #expect(try await transport.send(hello()).status == 200)
            }
        }
    }

    @Test
    func `requests that wait on the same connection end with the one that timed out`()
        async throws
    {
        try await withProxy(limits: patient) { transport, proxy, _ async throws in
            #expect(try await transport.send(hello()).status == 200)
            proxy.silence()
            let other = Task { try await transport.send(hello()) }
            await #expect(throws: TransportError.timedOut) {
                try await transport.send(hello(timeoutSeconds: 1))
            }
            // It began before the other ended, or it is on a new connection.
            switch await other.result {
            case .success(let response): #expect(response.status == 200)
            case .failure(let error): #expect(error as? TransportError == .timedOut)
            }
            #expect(try await transport.send(hello()).status == 200)
        }
    }

    @Test
    func `an events stream ends with the request beside it that timed out`() async throws {
        try await withProxy(limits: patient) { transport, proxy, _ async throws in
            var events = transport.events(TransportRequest(.get, "/events")).makeAsyncIterator()
            #expect(try await events.next()?.data == "1")
            proxy.silence()
            // The stream's last line is from an earlier millisecond than the request.
            try await Task.sleep(for: .milliseconds(20))
            await #expect(throws: TransportError.timedOut) {
                try await transport.send(hello(timeoutSeconds: 1))
            }
            await #expect(throws: TransportError.timedOut) { try await events.next() }
            // Both go on, over one new connection.
            var next = transport.events(TransportRequest(.get, "/events")).makeAsyncIterator()
            #expect(try await next.next()?.data == "1")
            #expect(try await transport.send(hello()).status == 200)
            #expect(proxy.callerCount == 2)
        }
    }

    @Test
    func `a silent stream takes its connection out of use, without any request beside it`()
        async throws
    {
        var limits = patient
        limits.silenceMilliseconds = 500
        try await withProxy(limits: limits) { transport, proxy, _ async throws in
            var events = transport.events(TransportRequest(.get, "/events")).makeAsyncIterator()
            #expect(try await events.next()?.data == "1")
            proxy.silence()
            await #expect(throws: TransportError.timedOut) { try await events.next() }
            #expect(try await transport.send(hello()).status == 200)
            #expect(proxy.callerCount == 2)
        }
    }

    @Test
    func `a new request avoids a connection whose stream misses a line of the server`()
        async throws
    {
        var limits = patient
        limits.doubtMilliseconds = 0
        try await withProxy(limits: limits) { transport, proxy, _ async throws in
            var events = transport.events(TransportRequest(.get, "/events")).makeAsyncIterator()
            #expect(try await events.next()?.data == "1")
            proxy.silence()
            // The stream's last line is from an earlier millisecond than the request.
            try await Task.sleep(for: .milliseconds(20))
            #expect(try await transport.send(hello()).status == 200)
            #expect(proxy.callerCount == 2)
            await #expect(throws: TransportError.timedOut) { try await events.next() }
        }
    }

    @Test
    func `a stream that still arrives survives the time-out of a request beside it`()
        async throws
    {
        try await withProxy(limits: patient) { transport, proxy, diary async throws in
            let lines = Task {
                // One line after another, until the request has timed out.
                while !Task.isCancelled {
                    diary.release()
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            var events = transport.events(TransportRequest(.get, "/events")).makeAsyncIterator()
            #expect(try await events.next()?.data == "1")
            await #expect(throws: TransportError.timedOut) {
                try await transport.send(TransportRequest(.get, "/silent", timeoutSeconds: 1))
            }
            for _ in 0..<100 { #expect(try await events.next()?.data == "2") }
            lines.cancel()
            // The connection is not used for new requests all the same.
            #expect(try await transport.send(hello()).status == 200)
            #expect(proxy.callerCount == 2)
        }
    }

    @Test
    func `an upload that no longer moves is given up before the time of its bytes is over`()
        async throws
    {
        var limits = patient
        limits.silenceMilliseconds = 1000
        limits.bytesPerSecondMin = 1
        try await withProxy(limits: limits) { transport, proxy, _ async throws in
            #expect(try await transport.send(hello()).status == 200)
            proxy.silence()
            let body = [UInt8](repeating: 7, count: 100_000)
            await #expect(throws: TransportError.timedOut) {
                try await transport.send(
                    TransportRequest(.post, "/echo", body: body, timeoutSeconds: 1)
                )
            }
            #expect(try await transport.send(hello()).status == 200)
        }
    }
}
