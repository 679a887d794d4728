internal import KSCLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// How the daemon answers a call.
package enum AgentAnswer: Sendable {
    package typealias ReportProgress = @Sendable (AgentProgress) -> Void
    package typealias CarryOut = @Sendable (@escaping ReportProgress) async -> AgentReply
    package typealias Finish = @Sendable (AgentReply) -> Void
    package typealias Cancel = @Sendable () -> Void
    package typealias Start = @Sendable (@escaping ReportProgress) -> Cancel

    /// The reply to a call that took no longer than waking up a thread.
    case now(AgentReply)
    /// Starts a short call on a thread of its own, without a task; it finishes with the reply.
    ///
    /// It cannot be cancelled and reports no progress.
    case soon(@Sendable (@escaping Finish) -> Void)
    /// Carries out the call in a task.
    ///
    /// The task is cancelled when the caller goes away or the listener stops.
    case later(CarryOut)
    /// Starts a call that lasts until the caller goes away or the listener stops, without a task
    /// that waits; it may report progress all the time.
    ///
    /// It starts on the loop's thread and must not block. What it returns ends it.
    case whileOpen(Start)

    /// Carries out the call and waits for its reply.
    package func reply(
        reportingTo progress: @escaping ReportProgress = { _ in }
    ) async -> AgentReply {
        switch self {
        case .now(let reply): reply
        case .soon(let start):
            await withCheckedContinuation { continuation in
                start { continuation.resume(returning: $0) }
            }
        case .later(let carryOut): await carryOut(progress)
        case .whileOpen(let start): await Self.untilCancelled(start(progress))
        }
    }

    private static func untilCancelled(_ cancel: Cancel) async -> AgentReply {
        let (end, continuation) = AsyncStream<Never>.makeStream()
        for await _ in end {}
        withExtendedLifetime(continuation) {}
        cancel()
        return .result(.null)
    }
}

/// The daemon's side of the socket.
///
/// One thread waits for all connections; a call that takes longer runs as a task. The calls of one
/// connection are served one after the other, in their order; those of different ones at the same
/// time.
@safe
package final class AgentListener: @unchecked Sendable {
    // Safety: `connections`, `buffer` and, once it is started, `socket` are touched on the loop's
    // thread alone.

    /// Answers a call on the loop's thread, or returns the work for a task.
    package typealias Handler =
        @Sendable (_ request: AgentRequest, _ peer: AgentPeer) -> AgentAnswer

    /// Called once the system has the answer to a call, and delivers it even if this process
    /// ends at once.
    package typealias AnsweredHandler =
        @Sendable (_ request: AgentRequest, _ reply: AgentReply) -> Void

    private let lock: AgentLock
    private let handler: Handler
    private let whenAnswered: AnsweredHandler
    private let socket: AgentSocket
    private let wake: Int32
    private let connectionsMax: Int
    private let state = Mutex(State())
    private let thread = DispatchGroup()
    private var connections: [AgentConnection] = []
    /// Used for all reads: a new buffer for each call would cost more than the read.
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    private struct State {
        var isStarted = false
        var isStopped = false
        /// Whether a new connection has to replace a silent one.
        var isFull = false
    }

    /// Binds the socket, but takes no connection before ``start()``.
    ///
    /// The lock is held as long as the listener is.
    ///
    /// `connectionsMax`: more programs at once than a person runs; each costs a descriptor. Beyond
    /// it the connection that was silent the longest is closed; its program connects again.
    package init(
        lock: AgentLock,
        connectionsMax: Int = 256,
        whenAnswered: @escaping AnsweredHandler = { _, _ in },
        handler: @escaping Handler
    ) throws(AgentError) {
        (self.lock, self.connectionsMax, self.handler) = (lock, connectionsMax, handler)
        self.whenAnswered = whenAnswered
        socket = try AgentSocket(lock: lock)
        wake = keychain_event_descriptor()
        guard wake >= 0 else { throw .system(errno: errno) }
    }

    deinit {
        if wake >= 0 { close(wake) }
    }

    /// Takes connections from now on.
    package func start() throws(AgentError) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopped
        }
        guard isFirst else { return }
        try socket.listen()
        // The queue's one piece of work lasts until the listener is stopped: a thread of its own.
        DispatchQueue(label: "keychain-sync.agent").async(group: thread) { self.run() }
    }

    /// Takes no more connections, cancels all calls and returns when the thread has ended.
    ///
    /// The socket's file is removed. Calling it again does nothing.
    package func stop() {
        let wasRunning = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStarted && !state.isStopped
        }
        guard wasRunning else { return }
        wakeUp()
        thread.wait()
    }

    private var isFull: Bool { state.withLock { $0.isFull } }

    static func nowMilliseconds() -> Int { ShortWait.nanoseconds() / 1_000_000 }
}

// The loop.
extension AgentListener {
    private func wakeUp() {
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the loop is awake anyway.
        _ = unsafe write(wake, &one, 8)
    }

    private func run() {
        var isBusy = false
        while !state.withLock({ $0.isStopped }) {
            var events = [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: socket.watch, events: Int16(POLLIN), revents: 0),
            ]
            let isFull = connections.count >= connectionsMax
            // Set first: from here on a connection that falls silent wakes this thread up.
            state.withLock { $0.isFull = isFull }
            if isFull && mostSilent == nil { events[0].events = 0 }
            for connection in connections {
                events.append(
                    pollfd(fd: connection.descriptor, events: connection.interest, revents: 0)
                )
            }
            let isReady = isBusy && ShortWait.first { Self.poll(&events, 0) ? true : nil } != nil
            isBusy = false
            if !isReady { guard Self.poll(&events, -1) else { continue } }
            if events[1].revents != 0 {
                var count: UInt64 = 0
                _ = unsafe read(wake, &count, 8)
            }
            for (connection, event) in zip(connections, events.dropFirst(3)) {
                isBusy = serve(connection, ready: event.revents) || isBusy
            }
            connections.removeAll { $0.cancelIfClosed() }
            if events[0].revents != 0 || events[2].revents != 0 { acceptAll() }
            if events[2].revents != 0 { socket.restore() }
        }
        // Before any connection is closed: a program that sees its connection end, and connects
        // again, must not reach a socket that this process no longer serves. The lock is still
        // held, so it is our own socket that is removed.
        unsafe unlink(lock.home.socketPath)
        for connection in connections { connection.close() }
        connections.removeAll { $0.cancelIfClosed() }
    }

    /// Whether something is ready; an interrupted call marks nothing as ready.
    private static func poll(_ events: inout [pollfd], _ milliseconds: Int32) -> Bool {
        unsafe Glibc.poll(&events, nfds_t(events.count), milliseconds) > 0
    }

    private func acceptAll() {
        while connections.count < connectionsMax || mostSilent != nil {
            let descriptor = accept(socket.descriptor, nil, nil)
            guard descriptor >= 0 else { return }
            // An inherited descriptor would keep the connection open in a child.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            // Another user's process, or one that is gone already: nobody needs an error.
            guard let peer = try? AgentPeer(of: descriptor), peer.userID == geteuid() else {
                close(descriptor)
                continue
            }
            if connections.count >= connectionsMax, let mostSilent {
                mostSilent.close()
                connections.removeAll { $0 === mostSilent }
            }
            connections.append(AgentConnection(descriptor: descriptor, peer: peer))
        }
    }

    /// The connection that has been silent the longest.
    private var mostSilent: AgentConnection? {
        connections.compactMap { connection in
            connection.silentSinceMilliseconds.map { (since: $0, connection: connection) }
        }.min { $0.since < $1.since }?.connection
    }

    /// - Returns: whether something was answered at once: the next call may well follow soon.
    private func serve(_ connection: AgentConnection, ready: Int16) -> Bool {
        var hasAnswered = false
        if ready & Int16(POLLOUT) != 0 { connection.flush() }
        if ready & Int16(POLLIN) != 0 { connection.read(through: &buffer) }
        // Nobody is left to read an answer.
        if ready & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { connection.close() }
        while let request = connection.nextRequest() {
            switch handler(request, connection.peer) {
            case .now(let reply):
                // No wake-up is needed: the loop runs on this thread.
                _ = connection.finish(request, reply)
                whenAnswered(request, reply)
                hasAnswered = true
            case .soon(let start): start(finish(request, of: connection))
            case .later(let carryOut):
                let finish = finish(request, of: connection)
                let report = report(request.id, of: connection)
                let task = Task { finish(await carryOut(report)) }
                connection.began { task.cancel() }
            case .whileOpen(let start):
                connection.began(start(report(request.id, of: connection)))
            }
        }
        return hasAnswered
    }

    /// Sends the progress of a call.
    private func report(
        _ id: UInt64,
        of connection: AgentConnection
    ) -> AgentAnswer.ReportProgress {
        { [weak self] progress in
            if connection.send(.progress(id: id, progress)) { self?.wakeUp() }
        }
    }

    /// Sends the reply to a call from another thread than the loop's.
    private func finish(
        _ request: AgentRequest,
        of connection: AgentConnection
    ) -> AgentAnswer.Finish {
        { [whenAnswered, weak self] reply in
            let needsLoop = connection.finish(request, reply)
            if needsLoop || self?.isFull == true { self?.wakeUp() }
            whenAnswered(request, reply)
        }
    }
}
