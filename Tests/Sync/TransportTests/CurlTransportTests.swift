import KSCertificates
import Foundation
import Glibc
import Testing

import KSTransport

/// Requests to a server with a certificate of its own.
@Suite(.timeLimit(.minutes(15)))
struct CurlTransportTests {
    private let hello = TransportRequest(.get, "/hello")
    private let now = UInt64(time(nil))
    /// A pin that no certificate has.
    private let otherPin = "sha256//" + String(repeating: "A", count: 43) + "="

    private func identity() throws -> ServerIdentity { try .make(nowSeconds: now) }

    /// The error of a request.
    private func failure(
        of request: TransportRequest,
        by transport: CurlTransport
    ) async -> TransportError? {
        do throws(TransportError) {
            _ = try await transport.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `the right pin opens the connection, even as the second of two`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            for pins in [[try identity.pin], [otherPin, try identity.pin]] {
                let answer = try await server.transport(pins: pins).send(hello)
                #expect(answer.status == 200)
                #expect(answer.body == Array("hello".utf8))
                let date = try #require(answer.dateMilliseconds)
                #expect(date / 1000 >= now - 5 && date / 1000 <= now + 120)
            }
        }
    }

    /// This curl decides, whatever other programs of the machine can do.
    @Test
    func `a connection uses HTTP/2 if the server does, for the second request too`()
        async throws
    {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            for _ in 0..<2 { #expect(try await transport.send(hello).isOverHTTP2) }
        }
    }

    @Test
    func `a wrong pin is refused before the request goes out`() async throws {
        try await withServer(try identity()) { server in
            let transport = try server.transport(pins: [otherPin])
            #expect(await failure(of: hello, by: transport) == .untrusted(.pinMismatch))
            #expect(server.diary.requests.isEmpty)
        }
    }

    @Test
    func `the certificate that a server shows is read, and no request goes out`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let shown = try await CurlTransport.certificate(shownBy: server.origin)
            #expect(try CertificatePin.pin(certificatePEM: shown) == identity.pin)
            #expect(server.diary.requests.isEmpty)
        }
        await #expect(throws: TransportError.outOfReach(code: 7)) {
            try await CurlTransport.certificate(shownBy: "https://127.0.0.1:1")
        }
    }

    @Test
    func `without a pin a self-signed certificate is refused`() async throws {
        try await withServer(try identity()) { server in
            let transport = try server.transport(pins: [])
            #expect(await failure(of: hello, by: transport) == .untrusted(.unverifiedChain))
            #expect(server.diary.requests.isEmpty)
        }
    }

    @Test
    func `a file of authorities replaces those of the machine`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let file = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).pem"
            try Data(identity.certificatePEM.utf8).write(to: URL(filePath: file))
            // A leftover temporary folder does no harm.
            defer { try? FileManager.default.removeItem(atPath: file) }
            let transport = try server.transport(pins: [], authorityFile: file)
            #expect(try await transport.send(hello).status == 200)
            let missing = try server.transport(pins: [], authorityFile: file + ".none")
            #expect(
                await failure(of: hello, by: missing) == .untrusted(.authorityFileUnreadable)
            )
            // With both, both must match.
            let both = try server.transport(pins: [otherPin], authorityFile: file)
            #expect(await failure(of: hello, by: both) == .untrusted(.pinMismatch))
            let stranger = try ServerIdentity.make(nowSeconds: now)
            try Data(stranger.certificatePEM.utf8).write(to: URL(filePath: file))
            let pinned = try server.transport(pins: [try identity.pin], authorityFile: file)
            #expect(await failure(of: hello, by: pinned) == .untrusted(.unverifiedChain))
        }
    }

    @Test
    func `a valid certificate of another host is refused`() async throws {
        let identity = try ServerIdentity.make(host: "other.example", nowSeconds: now)
        try await withServer(identity) { server in
            let file = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).pem"
            try Data(identity.certificatePEM.utf8).write(to: URL(filePath: file))
            // A leftover temporary folder does no harm.
            defer { try? FileManager.default.removeItem(atPath: file) }
            let transport = try server.transport(pins: [], authorityFile: file)
            #expect(await failure(of: hello, by: transport) == .untrusted(.wrongHost))
        }
    }

    /// A certificate made 40 days ago for 30 days; and one that is valid in ten days.
    @Test(arguments: [40, -10])
    func `dates are checked with the right pin too, for every request`(daysAgo: Int) async throws {
        let identity = try ServerIdentity.make(daysAgo: daysAgo, nowSeconds: now)
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            for _ in 0..<3 {
                #expect(await failure(of: hello, by: transport) == .untrusted(.expired))
            }
            #expect(server.diary.requests.isEmpty)
        }
    }

    @Test
    func `many requests at once share a connection and all succeed`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        let body = Array("body \(number)".utf8)
                        let answer = try await transport.send(
                            TransportRequest(.post, "/echo", body: body)
                        )
                        #expect(answer.body == body)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test
    func `bodies and their type arrive unchanged`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let type = ["Content-Type": "application/x-protobuf"]
            for count in [0, 1, 3 << 20] {
                let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let request = TransportRequest(.put, "/echo", headers: type, body: body)
                let answer = try await transport.send(request)
                #expect(answer.body == body)
                #expect(answer.headers["content-type"] == "application/x-protobuf")
            }
            let untyped = try await transport.send(TransportRequest(.post, "/echo", body: [1]))
            #expect(untyped.headers["content-type"] == "none")
        }
    }

    @Test
    func `a redirect is an answer and not followed`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let answer = try await transport.send(TransportRequest(.get, "/redirect"))
            #expect(answer.status == 302)
            #expect(server.diary.requests.isEmpty)
        }
    }

    @Test
    func `an answer above the limit aborts the transfer`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            var limits = TransportLimits()
            limits.answerBytesMax = 99_999
            let transport = try server.transport(pins: [try identity.pin], limits: limits)
            #expect(await failure(of: TransportRequest(.get, "/large"), by: transport) == .tooLarge)
            // The connection works as before.
            #expect(try await transport.send(hello).status == 200)
        }
    }

    @Test
    func `a silent server is waited for up to the limit`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let request = TransportRequest(.get, "/silent", timeoutSeconds: 1)
            #expect(await failure(of: request, by: transport) == .timedOut)
        }
    }

    @Test
    func `a slow link has more time for more bytes`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let body = [UInt8](repeating: 7, count: 8000)
            let request = TransportRequest(.post, "/slow", body: body, timeoutSeconds: 1)
            // 8,000 bytes may take 800 s, or no time at all.
            var limits = TransportLimits()
            limits.bytesPerSecondMin = 10
            let patient = try server.transport(pins: [try identity.pin], limits: limits)
            #expect(try await patient.send(request).body == Array("taken".utf8))
            limits.bytesPerSecondMin = 1 << 20
            let strict = try server.transport(pins: [try identity.pin], limits: limits)
            #expect(await failure(of: request, by: strict) == .timedOut)
        }
    }

    @Test
    func `a cancelled task aborts its transfer`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let task = Task { await failure(of: TransportRequest(.get, "/silent"), by: transport) }
            await server.diary.waitForRequests()
            task.cancel()
            #expect(await task.value == .cancelled)
            let late = Task { () -> TransportError? in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await failure(of: TransportRequest(.get, "/silent"), by: transport)
            }
            #expect(await late.value == .cancelled)
        }
    }

    @Test
    func `a closed transport ends its transfers and refuses new ones`() async throws {
        let identity = try identity()
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let task = Task { await failure(of: TransportRequest(.get, "/silent"), by: transport) }
            await server.diary.waitForRequests()
            transport.close()
            #expect(await task.value == .cancelled)
            #expect(await failure(of: hello, by: transport) == .cancelled)
        }
    }

    @Test
    func `a stopped server is out of reach`() async throws {
        let identity = try identity()
        // Bound but not listening: nobody else gets the port and nobody answers.
        let server = try KilledServer(saying: nil)
        let endpoint = try ServerEndpoint(
            origin: "https://127.0.0.1:\(server.port)",
            pins: [try identity.pin]
        )
        let transport = try CurlTransport(server: endpoint)
        let error = await failure(of: hello, by: transport)
        #expect(error == .outOfReach(code: 7))
        #expect(error?.isWorthRetrying == true)
    }

    @Test(arguments: [
        TransportRequest(.get, "hello"),
        TransportRequest(.get, "/hello world"),
        TransportRequest(.get, "/hello\r\nX: y"),
        TransportRequest(.get, "/", headers: ["X": "a\r\nY: b"]),
        TransportRequest(.get, "/", headers: ["X\n": "a"]),
        TransportRequest(.get, "/", headers: ["": "a"]),
    ])
    func `nothing can add a line to a request`(request: TransportRequest) async throws {
        let endpoint = try ServerEndpoint(origin: "https://127.0.0.1:1", pins: [otherPin])
        let transport = try CurlTransport(server: endpoint)
        #expect(await failure(of: request, by: transport) == .malformedRequest)
    }
}

/// The stream of events.
@Suite(.timeLimit(.minutes(15)))
struct EventStreamTests {
    private let events = TransportRequest(.get, "/events")
    private let now = UInt64(time(nil))

    @Test
    func `events arrive at once, beside other requests`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: now)
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            var iterator = transport.events(events).makeAsyncIterator()
            // The server sends the second one only after the first was seen here.
            #expect(try await iterator.next() == ServerEvent(name: "changes", data: "1"))
            #expect(try await transport.send(TransportRequest(.get, "/hello")).status == 200)
            server.diary.release()
            #expect(try await iterator.next() == ServerEvent(name: "message", data: "2"))
        }
    }

    @Test
    func `a stream that falls silent ends`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: now)
        try await withServer(identity) { server in
            var limits = TransportLimits()
            limits.silenceMilliseconds = 300
            let transport = try server.transport(pins: [try identity.pin], limits: limits)
            await #expect(throws: TransportError.timedOut) {
                for try await _ in transport.events(events) {}
            }
        }
    }

    @Test
    func `a refused stream reports the status`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: now)
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            await #expect(throws: TransportError.unexpectedStatus(401)) {
                for try await _ in transport.events(TransportRequest(.get, "/forbidden")) {
                    Issue.record("what came with it is no event")
                }
            }
        }
    }

    @Test
    func `a stream ends with an error even when the server ends it properly`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: now)
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let error = await #expect(throws: TransportError.self) {
                for try await _ in transport.events(events) { server.diary.endStream() }
            }
            #expect(error?.isWorthRetrying == true)
        }
    }

    @Test
    func `a stream ends with an error when the server is killed`() async throws {
        let server = try KilledServer(
            saying: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n"
        )
        let endpoint = try ServerEndpoint(
            origin: "http://127.0.0.1:\(server.port)",
            allowsPlaintextToLoopback: true
        )
        let transport = try CurlTransport(server: endpoint)
        var iterator = transport.events(events).makeAsyncIterator()
        #expect(try await iterator.next() == ServerEvent(name: "message", data: "1"))
        await #expect(throws: TransportError.outOfReach(code: 18)) { try await iterator.next() }
    }

    @Test
    func `a stream without a reader is aborted`() async throws {
        let identity = try ServerIdentity.make(nowSeconds: now)
        try await withServer(identity) { server in
            let transport = try server.transport(pins: [try identity.pin])
            let reader = Task {
                for try await _ in transport.events(events) {}
            }
            await server.diary.waitForRequests()
            reader.cancel()
            // It ends although the server sends nothing more.
            try await reader.value
        }
    }
}
