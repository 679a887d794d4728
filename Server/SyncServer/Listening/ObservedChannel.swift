package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOSSL

/// Serves connections, each on its event loop.
///
/// It registers them in ``OpenConnections``, and closes one that sends no request.
package struct ObservedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: OpenConnections

    package init(base: Base, connections: OpenConnections) {
        self.base = base
        self.connections = connections
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        connections.add(channel)
        // A peer that ends its side has gone. Otherwise a stream of events over HTTP/1.1, such as
        // that of a proxy, would stay open until a line cannot be written.
        try? channel.syncOptions?.setOption(ChannelOptions.allowRemoteHalfClosure, value: false)
        let value = base.setup(channel: channel, logger: logger)
        do {
            try watch(channel)
        } catch {
            // The channel is closed already, so there is nothing left to watch.
            channel.close(promise: nil)
        }
        return value.map { value in
            // Nobody serves a connection that arrives during a stop. NIO ends the process if the
            // value is freed before its channel has closed.
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    private func watch(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        // Throws when the channel has no TLS handler; only channels in tests have none.
        let handshake = try? pipeline.handler(type: NIOSSLServerHandler.self)
        let watch = ConnectionWatch(connections: connections, hasTLS: handshake != nil)
        try pipeline.addHandler(watch, position: handshake.map { .after($0) } ?? .first)
        if let handshake { try pipeline.addHandler(SmallReads(), position: .after(handshake)) }
    }

    @concurrent
    package func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
