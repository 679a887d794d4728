internal import KSCLinux
internal import Glibc

/// Ends the calls of an ``AgentClient`` from another thread.
package struct AgentInterrupt: Sendable {
    fileprivate let descriptor: Int32

    package func interrupt() {
        // The descriptor stays open as long as the client exists.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// A program's connection to its daemon.
///
/// It blocks, so that a command needs neither tasks nor threads; one call at a time.
package final class AgentClient {
    /// The daemon's process.
    package let peer: AgentPeer
    private let descriptor: Descriptor
    private var parser = AgentFrameParser()
    private var nextID: UInt64 = 1
    /// Whether the latest call was sent completely, so that it may have been carried out.
    package private(set) var hasSentRequest = false

    /// Connects, and starts the daemon first when none runs.
    ///
    /// - Parameters:
    ///   - home: the home of the daemon.
    ///   - startsDaemon: false to find out whether one runs.
    ///   - program: the daemon's program; by default it is searched for.
    ///   - waitMilliseconds: for a daemon that was started; a machine that has just booted is slow.
    /// - Throws: ``AgentError``; each has a sentence for the user.
    package init(
        home: AgentHome,
        startsDaemon: Bool = true,
        program: String? = nil,
        waitMilliseconds: Int = 15_000
    ) throws(AgentError) {
        let descriptor: Descriptor
        if let open = try Self.connect(to: home) {
            descriptor = open
        } else {
            guard startsDaemon else { throw .daemonNotRunning }
            descriptor = try DaemonStarter(
                home: home,
                program: program,
                waitMilliseconds: waitMilliseconds
            ).connect()
        }
        // The directory is private, but the process that listens must be of the same user as well.
        let peer = try AgentPeer(of: descriptor.number)
        guard peer.userID == geteuid() else { throw .foreignPeer(userID: peer.userID) }
        self.peer = peer
        self.descriptor = descriptor
    }

    /// Connects to the home's daemon; nil if no daemon listens, or the daemon is about to end.
    static func connect(to home: AgentHome) throws(AgentError) -> Descriptor? {
        let descriptor = try Descriptor.unixSocket(isBlocking: true)
        while unsafe keychain_connect_unix(descriptor.number, home.socketPath) != 0 {
            switch errno {
            case EINTR: continue
            case ENOENT, ECONNREFUSED: return nil
            default: throw .system(errno: errno)
            }
        }
        // The kernel closes a killed daemon's descriptors one after the other, and accepts
        // connections for it until it closes the socket.
        if try AgentPeer(of: descriptor.number).isEnding { return nil }
        return descriptor
    }

    /// Calls the daemon and waits for its answer.
    ///
    /// - Throws: ``AgentError/failed(_:)`` with an error reply; other errors if there is no answer.
    package func call(
        _ call: String,
        _ arguments: AgentDictionary = [:],
        whenProgress: (AgentProgress) -> Void = { _ in }
    ) throws(AgentError) -> AgentValue {
        let id = nextID
        nextID += 1
        let request = AgentRequest(id: id, call: call, arguments: arguments)
        guard let frame = AgentMessage.request(request).frame else { throw .messageTooLarge }
        hasSentRequest = false
        try send(frame)
        hasSentRequest = true
        while true {
            switch try receive() {
            case .progress(id, let progress): whenProgress(progress)
            case .reply(id, .result(let value)): return value
            case .reply(id, .failure(let failure)): throw .failed(failure)
            case .progress, .reply, .request: throw .malformedMessage
            }
        }
    }

    /// Ends the call that waits in another thread, and all later ones.
    ///
    /// It must not be used once the client is gone.
    package var interrupt: AgentInterrupt { AgentInterrupt(descriptor: descriptor.number) }

    /// Makes calls throw ``AgentError/daemonSilent`` after so long without data from the daemon.
    ///
    /// Without a limit a call waits for ever: an answer may need a server, or a user's passcode.
    package func limitSilence(milliseconds: Int) {
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        // It can only fail for a descriptor that is not a socket.
        _ = unsafe setsockopt(
            descriptor.number,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    /// Whether the daemon has closed the connection, or sent something unasked.
    package var isStale: Bool {
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        while true {
            let count = unsafe recv(descriptor.number, &byte, 1, flags)
            if count < 0 && errno == EINTR { continue }
            return !(count < 0 && errno == EAGAIN)
        }
    }

    /// Waits until the daemon has closed the connection, as it does when it stops: nobody can
    /// connect to it any more.
    package func waitUntilClosed(milliseconds: Int32) {
        var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&event, 1, milliseconds) < 0 && errno == EINTR {}
    }

    private func send(_ bytes: [UInt8]) throws(AgentError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                // If the daemon is gone, SIGPIPE must not end this program.
                unsafe Glibc.send(
                    descriptor.number,
                    all.baseAddress?.advanced(by: sent),
                    all.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .connectionLost }
            sent += count
        }
    }

    private func receive() throws(AgentError) -> AgentMessage {
        while true {
            if let contents = try parser.next() { return try AgentMessage(decoding: contents) }
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) {
                let (start, room) = ($0.baseAddress, $0.count)
                let soon = ShortWait.first {
                    let count = unsafe recv(descriptor.number, start, room, Int32(MSG_DONTWAIT))
                    return count < 0 && errno == EAGAIN ? nil : count
                }
                count = unsafe soon ?? read(descriptor.number, start, room)
                $1 = max(0, count)
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { throw .daemonSilent }
            guard count > 0 else { throw .connectionLost }
            parser.receive(bytes)
        }
    }
}
