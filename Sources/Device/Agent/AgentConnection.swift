internal import KSCLinux
internal import Glibc
internal import KSSecurityNames
internal import Synchronization

/// One program's connection, as the daemon sees it.
///
/// The listener's loop reads from it; tasks write to it. Once closed, it discards all messages.
package final class AgentConnection: Sendable {
    let descriptor: Int32
    let peer: AgentPeer
    private let state = Mutex(State())

    private struct State {
        var parser = AgentFrameParser()
        var outgoing: [UInt8] = []
        var sent = 0
        /// The newest progress of the call under way that had no room.
        var delayed: AgentMessage?
        var isBusy = false
        /// Cancels the call under way.
        var cancel: AgentAnswer.Cancel?
        /// Whether the loop left a request unread, or did not poll the connection, because a call
        /// is under way.
        var isDeferred = false
        var isClosed = false
        /// When bytes last arrived, by the monotonic clock.
        var lastSignMilliseconds = AgentListener.nowMilliseconds()

        /// How many bytes the program has not read yet.
        var waitingBytes: Int { outgoing.count - sent }
    }

    /// From this many unread bytes on, a program that sends during its call has to wait.
    private static let pendingBytesMax = AgentMessage.bytesMax + 4
    /// From this many unsent bytes on, a program that does not read gets no more answers.
    private static let waitingBytesMax = 1 << 20
    /// Sent bytes stay in front of the waiting ones until they are more than this.
    private static let sentBytesMax = 1 << 20

    package init(descriptor: Int32, peer: AgentPeer) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Since when the connection is silent, by the monotonic clock; nil if it is closed, or while a
    /// call or bytes are pending.
    var silentSinceMilliseconds: Int? {
        state.withLock { state in
            guard !state.isClosed, !state.isBusy, state.outgoing.isEmpty else { return nil }
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&ready, 1, 0) == 0 ? state.lastSignMilliseconds : nil
        }
    }

    /// The memory that answers take.
    package var answerBytes: Int { state.withLock { $0.outgoing.count } }

    /// The events that the loop polls for.
    var interest: Int16 {
        state.withLock { state in
            var interest: Int32 = 0
            let isTakingAnswers = state.waitingBytes <= Self.waitingBytesMax
            if isTakingAnswers && state.parser.pendingBytes < Self.pendingBytesMax {
                interest |= POLLIN
            } else {
                state.isDeferred = true
            }
            if !state.outgoing.isEmpty { interest |= POLLOUT }
            return Int16(interest)
        }
    }

    /// Reads the bytes that have arrived; closes the connection if the other end has closed it.
    ///
    /// `buffer`: scratch memory, which is overwritten.
    func read(through buffer: inout [UInt8]) {
        state.withLock { state in
            guard !state.isClosed, state.waitingBytes <= Self.waitingBytesMax else { return }
            while state.parser.pendingBytes < Self.pendingBytesMax {
                let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    state.lastSignMilliseconds = AgentListener.nowMilliseconds()
                    state.parser.receive(buffer[..<count])
                    if count < buffer.count { return }
                } else if count < 0 && errno == EINTR {
                    continue
                } else {
                    let isOpen = count < 0 && errno == EAGAIN
                    if !isOpen { close(&state) }
                    return
                }
            }
        }
    }

    /// The next call, unless one is under way; a broken message closes the connection.
    func nextRequest() -> AgentRequest? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            guard !state.isBusy else {
                if state.parser.pendingBytes > 0 { state.isDeferred = true }
                return nil
            }
            // The loop asks again once it has sent some.
            guard state.waitingBytes <= Self.waitingBytesMax else { return nil }
            do throws(AgentError) {
                guard let contents = try state.parser.next() else { return nil }
                guard case .request(let request) = try AgentMessage(decoding: contents) else {
                    throw .malformedMessage
                }
                state.isBusy = true
                return request
            } catch {
                // It is unknown where the next message would begin.
                close(&state)
                return nil
            }
        }
    }

    /// Keeps what cancels the call, for ``cancelIfClosed()``.
    func began(_ cancel: @escaping AgentAnswer.Cancel) {
        state.withLock { state in
            // A short call may have ended already.
            if state.isBusy { state.cancel = cancel }
        }
    }

    /// Cancels the call under way if the connection is closed.
    ///
    /// The loop calls it, after each closing: `close` may run inside the locks of the one who
    /// sends, and cancelling may need these locks.
    ///
    /// - Returns: whether the connection is closed.
    func cancelIfClosed() -> Bool {
        let (isClosed, cancel) = state.withLock { state in
            let cancel = state.isClosed ? state.cancel.take() : nil
            return (state.isClosed, cancel)
        }
        cancel?()
        return isClosed
    }

    /// Sends the progress of the current call, as far as the socket takes it; the loop sends more.
    ///
    /// A program that does not read misses some messages, but not the newest one of a call that
    /// goes on.
    ///
    /// - Returns: whether the loop does not know yet that it has more to send.
    func send(_ message: AgentMessage) -> Bool {
        state.withLock { state in
            state.delayed = nil
            guard state.waitingBytes <= Self.waitingBytesMax else {
                if !state.isClosed { state.delayed = message }
                return false
            }
            let hadNothing = state.outgoing.isEmpty
            send(message, in: &state)
            return hadNothing && !state.outgoing.isEmpty
        }
    }

    /// Ends the call under way.
    ///
    /// - Returns: whether the loop has something to do with this connection and must be woken up.
    package func finish(_ request: AgentRequest, _ reply: AgentReply) -> Bool {
        state.withLock { state in
            state.delayed = nil
            send(.reply(id: request.id, reply), in: &state)
            state.isBusy = false
            state.cancel = nil
            defer { state.isDeferred = false }
            return state.isDeferred || !state.outgoing.isEmpty || state.isClosed
        }
    }

    /// Sends what waits to be sent.
    package func flush() { state.withLock { state in flush(&state) } }

    func close() { state.withLock { state in close(&state) } }

    private func send(_ message: AgentMessage, in state: inout State) {
        guard !state.isClosed else { return }
        guard let frame = message.frame ?? tooLarge(message).frame else { return }
        state.outgoing.append(contentsOf: frame)
        flush(&state)
    }

    /// The message that replaces an answer too large for a frame.
    private func tooLarge(_ message: AgentMessage) -> AgentMessage {
        let failure = AgentFailure(
            code: SecStatus.errSecAllocate,
            status: "The answer is too large."
        )
        return switch message {
        case .request(let request): .reply(id: request.id, .failure(failure))
        case .progress(let id, _), .reply(let id, _): .reply(id: id, .failure(failure))
        }
    }

    private func flush(_ state: inout State) {
        while !state.isClosed && state.sent < state.outgoing.count {
            let count = unsafe state.outgoing.withUnsafeBytes { all in
                unsafe Glibc.send(
                    descriptor,
                    all.baseAddress?.advanced(by: state.sent),
                    all.count - state.sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                )
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return }
            guard count > 0 else { return close(&state) }
            state.sent += count
            if state.sent > Self.sentBytesMax {
                state.outgoing.removeFirst(state.sent)
                state.sent = 0
            }
        }
        state.outgoing = []
        state.sent = 0
        if let delayed = state.delayed.take() { send(delayed, in: &state) }
    }

    private func close(_ state: inout State) {
        guard !state.isClosed else { return }
        state.isClosed = true
        state.outgoing = []
        state.delayed = nil
        // It wakes up the loop, which cancels the call. The descriptor stays open until the loop,
        // which polls it, and the call have released it.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
