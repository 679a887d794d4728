internal import Glibc
package import Logging
package import NIOCore
internal import NIOTLS

/// The first handler of new connections: it limits their number, and pauses accepting when the
/// system is out of resources.
package final class AcceptGate: ChannelInboundHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel

    /// How long accepting pauses; meanwhile the system queues new connections.
    private static let rest = TimeAmount.seconds(1)

    private let connections: OpenConnections
    private let logger: Logger

    package init(connections: OpenConnections, logger: Logger) {
        self.connections = connections
        self.logger = logger
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        if connections.admit(channel, logger: logger) {
            context.fireChannelRead(data)
        } else {
            channel.close(promise: nil)
        }
    }

    /// After a failed accept NIO retries without a pause, until reading is turned off.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError,
            [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode)
        else { return context.fireErrorCaught(error) }
        connections.noteRefusal("the system has no room for more", logger: logger)
        let channel = context.channel
        // Fails only for a channel that is closed, which accepts nothing anyway.
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: Self.rest) {
            _ = channel.setOption(.autoRead, value: true)
        }
    }
}

/// Closes a connection that does not send its first request in time.
package final class ConnectionWatch: ChannelInboundHandler {
    package typealias InboundIn = NIOAny
    package typealias InboundOut = NIOAny

    private let connections: OpenConnections
    private let hasTLS: Bool
    private var end: Scheduled<Void>?

    package init(connections: OpenConnections, hasTLS: Bool) {
        self.connections = connections
        self.hasTLS = hasTLS
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        let limits = connections.limits
        close(context.channel, in: hasTLS ? limits.handshakeMax : limits.firstRequestMax)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            end?.cancel()
            close(context.channel, in: connections.limits.firstRequestMax)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func close(_ channel: any Channel, in time: TimeAmount) {
        end = channel.eventLoop.scheduleTask(in: time) { [connections] in
            if !connections.hasHeardRequest(on: channel) { channel.close(promise: nil) }
        }
    }
}
