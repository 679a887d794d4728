internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The connection of one device: HTTP/2 over TLS, at as little processor time as can be, since it
/// runs on the machine that it measures.
final class LoadConnection: ChannelInboundHandler, @unchecked Sendable {
    // Safety: everything but `request` and `listen`, which move to the event loop, runs there.
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Answer {
        var status = 0
        var body = ByteBuffer()
    }

    struct Ended: Error {}

    private struct Exchange {
        var answer = Answer()
        /// What of its body waits for the server's permission.
        var unsent: ArraySlice<UInt8>
        var window: Int
        let isListening: Bool
        let whenHeard: ((Int) -> Void)?
        let promise: EventLoopPromise<Answer>
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let frameBytesMax = 16_384

    let eventLoop: any EventLoop
    private var channel: (any Channel)?
    private var exchanges: [Int: Exchange] = [:]
    private var nextStream = 1
    private var received = ByteBuffer()
    private var window = 65_535
    private var firstWindow = 65_535
    private var sinceUpdate = 0
    private let authority: String

    private init(eventLoop: any EventLoop, authority: String) {
        self.eventLoop = eventLoop
        self.authority = authority
    }

    static func open(
        on eventLoop: any EventLoop,
        port: Int,
        tls: NIOSSLContext
    ) -> EventLoopFuture<LoadConnection> {
        let connection = LoadConnection(eventLoop: eventLoop, authority: "127.0.0.1:\(port)")
        return ClientBootstrap(group: eventLoop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil))
                    try pipeline.addHandler(connection)
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .map { _ in connection }
    }

    /// Accepts any certificate: the server is one that this program has started.
    static func makeTLS() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: configuration)
    }

    // MARK: Requests

    func request(
        _ method: String,
        _ path: String,
        token: String,
        body: [UInt8]? = nil
    ) -> EventLoopFuture<Answer> {
        begin(method, path, token, body, isListening: false, whenHeard: nil)
    }

    /// Opens a stream of events; `whenHeard` gets how many bytes have arrived.
    ///
    /// - Returns: its end.
    func listen(
        token: String,
        whenHeard: @escaping @Sendable (Int) -> Void
    ) -> EventLoopFuture<Answer> {
        begin("GET", "/v1/events", token, nil, isListening: true, whenHeard: whenHeard)
    }

    private func begin(
        _ method: String,
        _ path: String,
        _ token: String,
        _ body: [UInt8]?,
        isListening: Bool,
        whenHeard: (@Sendable (Int) -> Void)?
    ) -> EventLoopFuture<Answer> {
        let promise = eventLoop.makePromise(of: Answer.self)
        eventLoop.execute { [self] in
            guard let channel, channel.isActive else { return promise.fail(Ended()) }
            let id = nextStream
            nextStream += 2
            let head = HeaderBlock(
                method: method,
                path: path,
                authority: authority,
                token: token,
                bodyCount: body?.count
            )
            var out = channel.allocator.buffer(capacity: 512 + (body?.count ?? 0))
            let hasBody = body?.isEmpty == false
            let end = hasBody ? 0 : FrameFlags.endStream
            out.writeFrame(.headers, flags: FrameFlags.endHeaders | end, stream: id, head.bytes)
            exchanges[id] = Exchange(
                unsent: (body ?? [])[...],
                window: firstWindow,
                isListening: isListening,
                whenHeard: whenHeard,
                promise: promise
            )
            if hasBody { sendBody(of: id, into: &out) }
            channel.writeAndFlush(out, promise: nil)
        }
        return promise.futureResult
    }

    func close() -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            channel?.close() ?? eventLoop.makeSucceededVoidFuture()
        }
    }

    /// Sends as much of a body as the server allows.
    private func sendBody(of id: Int, into out: inout ByteBuffer) {
        guard var exchange = exchanges[id] else { return }
        while !exchange.unsent.isEmpty {
            let count = min(exchange.unsent.count, window, exchange.window, Self.frameBytesMax)
            guard count > 0 else { break }
            let isLast = count == exchange.unsent.count
            out.writeFrame(
                .data,
                flags: isLast ? FrameFlags.endStream : 0,
                stream: id,
                exchange.unsent.prefix(count)
            )
            exchange.unsent = exchange.unsent.dropFirst(count)
            window -= count
            exchange.window -= count
        }
        exchanges[id] = exchange
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

    func channelActive(context: ChannelHandlerContext) {
        var out = context.channel.allocator.buffer(capacity: 64)
        out.writeBytes(Self.preface)
        // No table of headers (1), and the largest window (4).
        out.writeFrame(.settings, [0, 1, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF])
        out.writeFrame(.windowUpdate, [0x3F, 0xFF, 0, 0])
        context.writeAndFlush(wrapOutboundOut(out), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        var out = ByteBuffer()
        while let frame = received.readFrame() { take(frame, into: &out) }
        received.discardReadBytes()
        // Thousands of idle connections should keep nothing.
        if received.readableBytes == 0 { received = ByteBuffer() }
        if out.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(out), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let ended = exchanges.values
        exchanges = [:]
        channel = nil
        for exchange in ended { exchange.promise.fail(Ended()) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func take(_ frame: Frame, into out: inout ByteBuffer) {
        var payload = frame.payload
        switch FrameKind(rawValue: frame.kind) {
        case .headers:
            if exchanges[frame.stream]?.answer.status == 0 {
                exchanges[frame.stream]?.answer.status = HeaderBlock.status(of: payload)
            }
        case .data: hear(payload, on: frame.stream, into: &out)
        case .resetStream:
            exchanges.removeValue(forKey: frame.stream)?.promise.fail(Ended())
            return
        case .settings where frame.flags & FrameFlags.acknowledgement == 0:
            while let id: UInt16 = payload.readInteger(), let value: UInt32 = payload.readInteger()
            {
                guard id == 4 else { continue }
                for stream in exchanges.keys {
                    exchanges[stream]?.window += Int(value) - firstWindow
                }
                firstWindow = Int(value)
            }
            out.writeFrame(.settings, flags: FrameFlags.acknowledgement)
        case .ping where frame.flags & FrameFlags.acknowledgement == 0:
            out.writeFrame(
                .ping,
                flags: FrameFlags.acknowledgement,
                Array(payload.readableBytesView)
            )
        case .windowUpdate:
            guard let more: UInt32 = payload.readInteger() else { return }
            if frame.stream == 0 {
                window += Int(more)
                for id in exchanges.keys.sorted() { sendBody(of: id, into: &out) }
            } else {
                exchanges[frame.stream]?.window += Int(more)
                sendBody(of: frame.stream, into: &out)
            }
        default: break
        }
        let canEnd = frame.kind <= FrameKind.headers.rawValue
        if canEnd, frame.flags & FrameFlags.endStream != 0 { end(frame.stream) }
    }

    private func hear(_ payload: ByteBuffer, on stream: Int, into out: inout ByteBuffer) {
        if let exchange = exchanges[stream] {
            exchange.whenHeard?(payload.readableBytes)
            var payload = payload
            if !exchange.isListening { exchanges[stream]?.answer.body.writeBuffer(&payload) }
        }
        sinceUpdate += payload.readableBytes
        if sinceUpdate > 1 << 24 {
            out.writeFrame(.windowUpdate, (0..<4).map { UInt8(sinceUpdate >> (24 - 8 * $0) & 255) })
            sinceUpdate = 0
        }
    }

    private func end(_ stream: Int) {
        guard let exchange = exchanges.removeValue(forKey: stream) else { return }
        exchange.promise.succeed(exchange.answer)
    }
}
