import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdHTTP2
import KSCertificates
import KSTransport
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// An HTTPS proxy that refuses request bodies above a size with a page of its own, as nginx does,
/// may hold a stream back until it ends, as nginx does with buffering, and may replace answers.
final class SizeProxy: Sendable {
    /// Makes a body and its type of the right answer to a route; nil leaves the answer as it is.
    typealias Spoiling = @Sendable (_ route: String, [UInt8]) -> (type: String, body: [UInt8])?

    /// The largest body that it forwards, in bytes.
    let bytesMax: Mutex<Int>
    let holdsStreams: Bool
    private let target = Mutex<CurlTransport?>(nil)
    private let refusals = Mutex(0)
    private let spoiling = Mutex<(spoil: Spoiling, count: Int)?>(nil)
    private let number = Mutex(0)
    let pin: String

    var url: String { "https://127.0.0.1:\(number.withLock(\.self))" }
    var refusedCount: Int { refusals.withLock(\.self) }

    /// Listens on a free port until the process ends.
    init(bytesMax: Int = 16 << 20, holdsStreams: Bool = false) async throws {
        self.holdsStreams = holdsStreams
        self.bytesMax = Mutex(bytesMax)
        let made = try SelfSignedCertificate.make(
            hostNames: ["localhost"],
            addresses: ["127.0.0.1"],
            validDays: 30,
            now: UInt64(Date().timeIntervalSince1970)
        )
        pin = try CertificatePin.pin(certificatePEM: made.certificatePEM)
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(made.certificatePEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(made.keyPEM.utf8), format: .pem)
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            router.on("/**", method: method) { request, _ in try await self.forward(request) }
        }
        var logger = Logger(label: "proxy")
        logger.logLevel = .critical
        let application = Application(
            router: router,
            server: try .http2Upgrade(tlsConfiguration: tls),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: logger
        )
        Task { try await application.run() }
        for await listening in ports {
            number.withLock { $0 = listening }
            break
        }
    }

    /// Replaces answers from now on, each with status 200; nil for none.
    func spoil(_ spoil: Spoiling?) {
        spoiling.withLock { $0 = spoil.map { (spoil: $0, count: 0) } }
    }

    /// How many answers were replaced since the last call of ``spoil(_:)``.
    var spoiledCount: Int { spoiling.withLock { $0?.count ?? 0 } }

    private func spoiled(_ request: Request, _ body: [UInt8]) -> Response? {
        let route = "\(request.method.rawValue) \(request.uri.path)"
        let answer = spoiling.withLock { spoiling in
            let answer = spoiling?.spoil(route, body)
            if answer != nil { spoiling?.count += 1 }
            return answer
        }
        return answer.map { answer in
            Response(
                status: .ok,
                headers: [.contentType: answer.type],
                body: .init(byteBuffer: ByteBuffer(bytes: answer.body))
            )
        }
    }

    func forwardAll(to server: Server) throws {
        let endpoint = try ServerEndpoint(origin: server.url, pins: [server.pin])
        let transport = try CurlTransport(server: endpoint)
        target.withLock { $0 = transport }
    }

    private func forward(_ request: Request) async throws -> Response {
        guard let transport = target.withLock(\.self) else {
            return Response(status: .badGateway)
        }
        let body = try await request.body.collect(upTo: 16 << 20)
        guard body.readableBytes <= bytesMax.withLock(\.self) else {
            refusals.withLock { $0 += 1 }
            return Response(
                status: .contentTooLarge,
                headers: [.contentType: "text/html"],
                body: .init(
                    byteBuffer: ByteBuffer(string: "<h1>413 Request Entity Too Large</h1>\r\n")
                )
            )
        }
        var headers: [String: String] = [:]
        for name in [HTTPField.Name.authorization, .accept, .contentType, .ifMatch] {
            headers[name.canonicalName] = request.headers[name]
        }
        let forwarded = TransportRequest(
            .init(rawValue: request.method.rawValue) ?? .get,
            request.uri.description,
            headers: headers,
            body: Array(buffer: body)
        )
        if request.uri.path == "/v1/events" {
            return spoiled(request, []) ?? stream(transport.events(forwarded))
        }
        let answer = try await transport.send(forwarded)
        if answer.status < 300, let spoiled = spoiled(request, answer.body) { return spoiled }
        return Response(
            status: .init(code: answer.status),
            headers: [.contentType: answer.headers["content-type"] ?? "text/plain"],
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }

    private func stream(_ events: AsyncThrowingStream<ServerEvent, any Error>) -> Response {
        let holdsStreams = holdsStreams
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                for try await event in events {
                    let text = "event: \(event.name)\ndata: \(event.data)\n\n"
                    if holdsStreams { continue }
                    try await writer.write(ByteBuffer(string: text))
                }
                try await writer.finish(nil)
            }
        )
    }
}

extension World {
    /// A world with a proxy that holds streams back before its server, which can be reached
    /// without it too.
    static func withProxy(_ body: (World, SizeProxy) async throws -> Void) async throws {
        try await World.with { world in
            let proxy = try await SizeProxy(holdsStreams: true)
            try await world.server.start()
            let origins = ["--origin", proxy.url, "--origin", try world.server.url]
            try await world.server.stop()
            try await world.server.start(origins)
            try proxy.forwardAll(to: world.server)
            try await body(world, proxy)
        }
    }
}
