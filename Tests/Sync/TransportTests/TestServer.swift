import KSCertificates
import HTTPTypes
import Hummingbird
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import Synchronization

import KSTransport

/// A certificate, its key and its pin.
struct ServerIdentity: Sendable {
    let certificatePEM: String
    let keyPEM: String

    var pin: String {
        get throws { try CertificatePin.pin(certificatePEM: certificatePEM) }
    }

    /// A certificate made so many days ago, for so many days.
    static func make(
        host: String? = nil,
        daysAgo: Int = 0,
        validDays: Int = 30,
        nowSeconds: UInt64
    ) throws -> ServerIdentity {
        let made = try SelfSignedCertificate.make(
            hostNames: host.map { [$0] } ?? ["localhost"],
            addresses: host == nil ? ["127.0.0.1"] : [],
            validDays: validDays,
            now: UInt64(Int(nowSeconds) - daysAgo * 86_400)
        )
        return ServerIdentity(certificatePEM: made.certificatePEM, keyPEM: made.keyPEM)
    }
}

/// The requests that reached the server, and a way to continue its streams.
final class ServerDiary: Sendable {
    private let paths = Mutex<[String]>([])
    private let arrivals: AsyncStream<Int>
    private let arrival: AsyncStream<Int>.Continuation
    let released: AsyncStream<Void>
    private let releases: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(of: Int.self)
        (released, releases) = AsyncStream.makeStream(of: Void.self)
    }

    var requests: [String] { paths.withLock { $0 } }

    func note(_ path: String) {
        let count = paths.withLock { paths in
            paths.append(path)
            return paths.count
        }
        arrival.yield(count)
    }

    /// Waits until so many requests have arrived in all.
    func waitForRequests(_ count: Int = 1) async {
        for await arrived in arrivals where arrived >= count { return }
    }

    func release() { releases.yield() }

    /// Ends the events stream in good order.
    func endStream() { releases.finish() }
}

/// A running server, as a test sees it.
struct RunningServer: Sendable {
    let port: Int
    let diary: ServerDiary

    var origin: String { "https://127.0.0.1:\(port)" }

    func transport(
        pins: [String],
        authorityFile: String? = nil,
        limits: TransportLimits = TransportLimits()
    ) throws -> CurlTransport {
        let endpoint = try ServerEndpoint(
            origin: origin,
            pins: pins,
            authorityFile: authorityFile
        )
        return try CurlTransport(server: endpoint, limits: limits)
    }
}

/// Runs a server on a free port.
///
/// It runs until the process ends: NIO cannot cancel a server that has open streams.
func withServer(
    _ identity: ServerIdentity,
    configuring configure: (inout TLSConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningServer) async throws -> Void
) async throws {
    let certificate = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatePEM.utf8))
    let key = try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem)
    var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: certificate.map { .certificate($0) },
        privateKey: .privateKey(key)
    )
    configure(&tls)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let diary = ServerDiary()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let application = Application(
        router: router(diary),
        server: try .http2Upgrade(tlsConfiguration: tls),
        configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
        logger: logger
    )
    Task { try await application.run() }
    var iterator = ports.makeAsyncIterator()
    guard let number = await iterator.next() else { return }
    try await body(RunningServer(port: number, diary: diary))
}

private func router(_ diary: ServerDiary) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("hello") { request, _ in
        diary.note(request.uri.path)
        return "hello"
    }
    router.on("echo", method: .post) { request, _ in try await echo(request) }
    router.on("echo", method: .put) { request, _ in try await echo(request) }
    router.get("redirect") { _, _ in
        Response(status: .found, headers: [.location: "/hello"])
    }
    router.get("silent") { request, _ in
        diary.note(request.uri.path)
        // Longer than any test waits.
        try await Task.sleep(for: .seconds(3600))
        return "late"
    }
    router.post("slow") { _, _ in
        try await Task.sleep(for: .seconds(2))
        return "taken"
    }
    router.get("large") { _, _ in ByteBuffer(repeating: 7, count: 100_000) }
    router.get("events") { request, _ in
        diary.note(request.uri.path)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "event: changes\ndata: 1\n\n"))
                for await _ in diary.released {
                    try await writer.write(ByteBuffer(string: ": still here\n\ndata: 2\n\n"))
                }
                try await writer.finish(nil)
            }
        )
    }
    router.get("forbidden") { _, _ in
        Response(
            status: .unauthorized,
            body: ResponseBody(byteBuffer: ByteBuffer(string: "data: 1\n\n"))
        )
    }
    return router
}

private func echo(_ request: Request) async throws -> Response {
    let body = try await request.body.collect(upTo: 8 << 20)
    let type = request.headers[.contentType] ?? "none"
    return Response(
        status: .ok,
        headers: [.contentType: type],
        body: ResponseBody(byteBuffer: body)
    )
}
