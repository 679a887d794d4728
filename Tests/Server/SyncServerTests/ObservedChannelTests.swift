import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

import KSSyncServer

/// Connections that come while the server stops.
struct ObservedChannelTests {
    private final class Marker: Sendable {}

    private struct Value: ServerChildChannelValue {
        let channel: any Channel
        let marker: Marker
    }

    private struct WeakMarker {
        weak var marker: Marker?
    }

    private final class Base: ServerChildChannel {
        let last = Mutex(WeakMarker())

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            let marker = Marker()
            last.withLock { $0.marker = marker }
            return channel.eventLoop.makeSucceededFuture(Value(channel: channel, marker: marker))
        }

        @concurrent
        func handle(value: Value, logger: Logger) async {}
    }

    @Test
    func `an unserved connection is kept until its channel has closed`() {
        let base = Base()
        let observed = ObservedChannel(base: base, connections: OpenConnections())
        let channel = EmbeddedChannel()
        _ = observed.setup(channel: channel, logger: Logger(label: "test"))
        channel.embeddedEventLoop.run()
        #expect(base.last.withLock { $0.marker } != nil)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(base.last.withLock { $0.marker } == nil)
    }
}
