import Foundation
import Glibc
import KSTestSupport
import Testing

import KSTransport

/// Whether a failed request may have reached the server.
@Suite(.timeLimit(.minutes(10)))
struct UnsentProofTests {
    /// How a request fails, and whether it was proved not to be sent.
    private func outcome(
        _ transport: CurlTransport,
        _ request: TransportRequest = TransportRequest(.get, "/hello")
    ) async -> (error: TransportError?, isProven: Bool) {
        var request = request
        let proof = UnsentProof()
        request.unsentProof = proof
        do throws(TransportError) {
            _ = try await transport.send(request)
            return (nil, proof.isProven)
        } catch {
            return (error, proof.isProven)
        }
    }

    private func transport(
        _ origin: String,
        pins: [String] = ["sha256//" + String(repeating: "A", count: 43) + "="],
        connectSeconds: Int = 15
    ) throws -> CurlTransport {
        var limits = TransportLimits()
        limits.connectSeconds = connectSeconds
        return try CurlTransport(
            server: ServerEndpoint(origin: origin, pins: pins),
            limits: limits
        )
    }

    private func plaintext(_ port: Int) throws -> CurlTransport {
        try CurlTransport(
            server: ServerEndpoint(
                origin: "http://127.0.0.1:\(port)",
                allowsPlaintextToLoopback: true
            )
        )
    }

    // MARK: Not sent

    @Test
    func `a request to a port at which nobody listens was not sent`() async throws {
        let server = try KilledServer(saying: nil)
        let (error, isProven) = await outcome(try transport("https://127.0.0.1:\(server.port)"))
        #expect(error == .outOfReach(code: 7) && isProven)
    }

    @Test
    func `a request to a name that does not resolve was not sent`() async throws {
        // A machine without a name server may take long to say so.
        let (error, isProven) = await outcome(
            try transport("https://nowhere.invalid", connectSeconds: 2)
        )
        #expect(error == .outOfReach(code: 6) || error == .timedOut)
        #expect(isProven)
    }

    @Test
    func `a request to a server that breaks off the handshake was not sent`() async throws {
        let server = try KilledServer(saying: "")
        let (error, isProven) = await outcome(try transport("https://127.0.0.1:\(server.port)"))
        #expect(error == .outOfReach(code: 35) && isProven)
    }

    @Test
    func `a request to a server that does not answer the handshake was not sent`() async throws {
        let port = SilentPort()
        let silent = try transport(port.origin, connectSeconds: 1)
        let (error, isProven) = await outcome(silent)
        #expect(error == .timedOut && isProven)
        withExtendedLifetime(port) {}
    }

    @Test
    func `a request that is cancelled during the handshake was not sent`() async throws {
        let port = SilentPort()
        let silent = try transport(port.origin)
        let task = Task { await outcome(silent) }
        await port.waitForCaller()
        task.cancel()
        let (error, isProven) = await task.value
        #expect(error == .cancelled && isProven)
        withExtendedLifetime(port) {}
    }

    @Test
    func `a request to a server that is not trusted was not sent`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: UInt64(time(nil)))
        let expired = try ServerIdentity.make(daysAgo: 40, nowSeconds: UInt64(time(nil)))
        try await withServer(identity) { server in
            let (error, isProven) = await outcome(try transport(server.origin))
            #expect(error == .untrusted(.pinMismatch) && isProven)
        }
        try await withServer(expired) { server in
            let (error, isProven) = await outcome(
                try server.transport(pins: [try expired.pin])
            )
            #expect(error == .untrusted(.expired) && isProven)
        }
    }

    @Test
    func `a request that is malformed or comes too late was not sent`() async throws {
        let transport = try transport("https://127.0.0.1:1")
        let malformed = await outcome(transport, TransportRequest(.get, "no slash"))
        #expect(malformed.error == .malformedRequest && malformed.isProven)
        transport.close()
        let late = await outcome(transport)
        #expect(late.error == .cancelled && late.isProven)
    }

    // MARK: Perhaps sent

    @Test
    func `a request whose connection breaks before the answer may have arrived`() async throws {
        let server = try KilledServer(saying: "")
        let (error, isProven) = await outcome(try plaintext(server.port))
        #expect(error != nil && !isProven)
        #expect(server.heard.hasPrefix("GET /hello"))
    }

    @Test
    func `a request that times out or is cancelled after it was sent may have arrived`()
        async throws
    {
        let identity = try ServerIdentity.make(nowSeconds: UInt64(time(nil)))
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            // The connection is there before the time begins.
            _ = try await transport.send(TransportRequest(.get, "/hello"))
            let slow = await outcome(
                transport,
                TransportRequest(.get, "/silent", timeoutSeconds: 2)
            )
            #expect(slow.error == .timedOut && !slow.isProven)
            let task = Task { await outcome(transport, TransportRequest(.get, "/silent")) }
            await server.diary.waitForRequests(3)
            task.cancel()
            let cancelled = await task.value
            #expect(cancelled.error == .cancelled && !cancelled.isProven)
        }
    }

    @Test
    func `an answer proves nothing`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: UInt64(time(nil)))
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let (error, isProven) = await outcome(transport)
            #expect(error == nil && !isProven)
        }
    }
}
