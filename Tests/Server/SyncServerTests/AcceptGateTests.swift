import Foundation
import Glibc
import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

import KSSyncServer

/// A server that runs out of file descriptors for connections.
struct AcceptGateTests {
    private struct OtherError: Error {}

    /// Keeps the errors that reach the end of the channel's handlers.
    private final class LastHandler: ChannelInboundHandler {
        typealias InboundIn = any Channel
        var errors = 0

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors += 1 }
    }

    private let log = TestLog()
    private let channel = EmbeddedChannel()
    private let last = LastHandler()

    init() throws {
        let gate = AcceptGate(connections: OpenConnections(), logger: log.logger())
        try channel.pipeline.syncOperations.addHandlers(gate, last)
    }

    /// Whether reading was last turned on or off; nil if neither.
    private var reads: Bool? {
        channel.options.lazy.compactMap { $0.value as? Bool }.first
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `without free files it accepts nothing for a second, and logs it once`(
        code: CInt
    ) throws {
        for _ in 0..<3 {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
            #expect(reads == false)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
            #expect(reads == false)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            #expect(reads == true)
        }
        #expect(last.errors == 0)
        let lines = log.text.components(separatedBy: "the system has no room for more")
        #expect(lines.count == 2, "\(log.text)")
    }

    @Test
    func `other errors are passed to the next handler`() {
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        channel.pipeline.fireErrorCaught(OtherError())
        #expect(reads == nil)
        #expect(last.errors == 2)
    }
}

/// How long a connection may stay without a request.
struct ConnectionWatchTests {
    private let connections: OpenConnections
    private let channel = EmbeddedChannel()

    init() throws {
        var limits = ConnectionLimits()
        limits.handshakeMax = .seconds(10)
        limits.firstRequestMax = .seconds(600)
        connections = OpenConnections(limits: limits)
        connections.add(channel)
        let watch = ConnectionWatch(connections: connections, hasTLS: true)
        try channel.pipeline.syncOperations.addHandler(watch)
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
    }

    private func advance(_ time: TimeAmount) {
        channel.embeddedEventLoop.advanceTime(by: time)
    }

    @Test
    func `a connection without a handshake is closed after ten seconds`() {
        advance(.milliseconds(9999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test
    func `after the handshake a connection without a request is closed`() {
        advance(.seconds(9))
        channel.pipeline.fireUserInboundEventTriggered(
            TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2")
        )
        advance(.milliseconds(599_999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test
    func `a connection with a request is not closed`() {
        channel.pipeline.fireUserInboundEventTriggered(
            TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2")
        )
        connections.noteRequest(on: channel)
        advance(.hours(1))
        #expect(channel.isActive)
    }
}
