internal import Logging
package import NIOCore
internal import Synchronization

/// Counts the open connections, in all and by address, and closes them at a stop.
///
/// Hummingbird asks connections to end, and waits without limit: also for an idle one, for one
/// whose client does not read, and for one in the middle of its handshake.
package final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Connections that have sent a request.
        var heard: Set<ObjectIdentifier> = []
        var admitted = 0
        var admittedOf: [String: Int] = [:]
        /// When a stop closes them; nil while the server does not stop.
        var closing: NIODeadline?
        /// Since the last line in the log; nil before the first.
        var refusals = 0
        var lastLine: NIODeadline?
    }

    /// The shortest time between two log lines about a reached limit.
    private static let linePause = TimeAmount.seconds(60)

    let limits: ConnectionLimits
    /// All clients of a proxy have its address.
    private let proxies: TrustedProxies
    private let state = Mutex(State())

    package init(
        limits: ConnectionLimits = ConnectionLimits(),
        proxies: TrustedProxies = TrustedProxies()
    ) {
        (self.limits, self.proxies) = (limits, proxies)
    }

    /// Counts a new connection, unless a limit is reached.
    func admit(_ channel: any Channel, logger: Logger) -> Bool {
        let address = channel.remoteAddress?.counted ?? "unknown"
        let reason = state.withLock { state -> String? in
            if state.admitted >= limits.count { return "the limit of connections is reached" }
            if !proxies.contains(channel.remoteAddress),
                state.admittedOf[address, default: 0] >= limits.countPerAddress
            {
                return "an address has reached its limit of connections"
            }
            state.admitted += 1
            state.admittedOf[address, default: 0] += 1
            return nil
        }
        if let reason {
            noteRefusal(reason, logger: logger)
            return false
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { state in
                state.admitted -= 1
                let left = (state.admittedOf[address] ?? 1) - 1
                state.admittedOf[address] = left > 0 ? left : nil
            }
        }
        return true
    }

    /// Writes a log line, unless one was written shortly before.
    func noteRefusal(_ reason: String, logger: Logger) {
        let line = state.withLock { state -> (refused: Int, open: Int)? in
            state.refusals += 1
            let now = NIODeadline.now()
            if let last = state.lastLine, now < last + Self.linePause { return nil }
            state.lastLine = now
            defer { state.refusals = 0 }
            return (state.refusals, state.admitted)
        }
        guard let line else { return }
        logger.warning(
            "connections are refused: \(reason)",
            metadata: ["refused": "\(line.refused)", "open": "\(line.open)"]
        )
    }

    package func add(_ channel: any Channel) {
        let closing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.closing
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { state in
                state.channels[ObjectIdentifier(channel)] = nil
                state.heard.remove(ObjectIdentifier(channel))
            }
        }
        if let closing { Self.close(channel, at: closing) }
    }

    /// Notes a request on this channel: a connection, or a stream of an HTTP/2 connection.
    package func noteRequest(on channel: any Channel) {
        let parent = channel.parent.map { ObjectIdentifier($0) }
        state.withLock { state in
            for id in [ObjectIdentifier(channel), parent].compactMap(\.self)
            where state.channels[id] != nil { state.heard.insert(id) }
        }
    }

    /// How many connections are open.
    var count: Int { state.withLock { $0.admitted } }

    func hasHeardRequest(on channel: any Channel) -> Bool {
        state.withLock { $0.heard.contains(ObjectIdentifier(channel)) }
    }

    /// Closes the connections that are open after the delay, and later ones at once.
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
