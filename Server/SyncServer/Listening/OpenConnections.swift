internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// The connections that clients have open, so that a stop can close those that stay.
///
/// Hummingbird asks connections to end, and waits for them: for one without a word on it, for one
/// whose client does not read, and for one in the middle of its handshake, without end.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Nil while the server does not stop.
        var closing: NIODeadline?
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        let closing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.closing
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        if let closing { Self.close(channel, at: closing) }
    }

    /// Closes those that are open then, and those that come later at once.
    func close(after delay: TimeAmount) {
        let closing = NIODeadline.now() + delay
        let channels = state.withLock { state in
            state.closing = closing
            return state.channels.values
        }
        for channel in channels { Self.close(channel, at: closing) }
    }

    private static func close(_ channel: any Channel, at deadline: NIODeadline) {
        channel.eventLoop.scheduleTask(deadline: deadline) { channel.close(promise: nil) }
    }
}

/// A way to serve connections, each of which is known to ``OpenConnections``.
struct ObservedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: OpenConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        connections.add(channel)
        return base.setup(channel: channel, logger: logger).map { value in
            // A connection that comes in the moment of a stop is handed to nobody. What is let go
            // of before its channel has ended brings down the whole process: NIO takes it for a
            // mistake.
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    @concurrent
    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
