internal import Glibc

/// A connection between a device and a server, and what is on its way in both directions.
struct RelayedConnection {
    /// What a request on a lossy network meets: whether it is lost, or its answer.
    enum Fate {
        case passes
        case requestLost
        case answerLost
    }

    /// A direction.
    private struct Flow {
        /// Each with the millisecond from which on it may be passed on.
        var chunks: [(due: UInt64, bytes: [UInt8])] = []
        var hasEnded = false

        var byteCount: Int { chunks.reduce(0) { $0 + $1.bytes.count } }
        /// Whether its sender may go on.
        var hasRoom: Bool { !hasEnded && byteCount < RelayedConnection.waitingBytesMax }

        mutating func take(from descriptor: Int32) -> [UInt8]? {
            switch Sockets.read(descriptor) {
            case .bytes(let bytes): return bytes
            case .nothingYet: return nil
            case .end:
                hasEnded = true
                return nil
            }
        }

        /// Passes on what is due.
        ///
        /// - Returns: how many bytes moved; nil if the connection has ended.
        mutating func pass(to descriptor: Int32, at time: UInt64) -> Int? {
            var moved = 0
            while let first = chunks.first, first.due <= time {
                guard let count = Sockets.write(first.bytes, to: descriptor) else { return nil }
                guard count > 0 else { return moved }
                moved += count
                if count == first.bytes.count {
                    chunks.removeFirst()
                } else {
                    chunks[0].bytes.removeFirst(count)
                }
            }
            return hasEnded && chunks.isEmpty ? nil : moved
        }
    }

    /// Beyond this the sender has to wait.
    private static let waitingBytesMax = 256 << 10
    /// The device's first messages belong to the handshake, without which nothing is a message.
    private static let handshakeMessages = 2

    let device: Int32
    let server: Int32
    private var up = Flow()
    private var down = Flow()
    /// How many messages the device has sent: bytes that follow each other are one.
    private var messages = 0
    private var isDeviceSpeaking = false
    /// Whether something of it was lost, so that no answer on it can be read any more.
    private var hasGap = false
    /// What the newest request meets.
    private var next = Fate.passes
    /// Whether it has to be closed.
    private(set) var isBroken = false

    init(device: Int32, server: Int32) { (self.device, self.server) = (device, server) }

    private var isBeyondHandshake: Bool { messages >= Self.handshakeMessages }

    /// When something may be passed on next; nil if nothing waits for its time.
    var nextDue: UInt64? {
        [up.chunks.first?.due, down.chunks.first?.due].compactMap(\.self).min()
    }

    /// What to poll for now.
    func events(at time: UInt64) -> [pollfd] {
        func isDue(_ flow: Flow) -> Bool { flow.chunks.first.map { $0.due <= time } ?? false }
        func wanted(_ read: Flow, _ write: Flow) -> Int16 {
            Int16(read.hasRoom ? POLLIN : 0) | Int16(isDue(write) ? POLLOUT : 0)
        }
        // An end that is closed would be reported again and again.
        func place(_ descriptor: Int32, _ read: Flow, _ write: Flow) -> Int32 {
            read.hasEnded && !isDue(write) ? -1 : descriptor
        }
        return [
            pollfd(fd: place(device, up, down), events: wanted(up, down), revents: 0),
            pollfd(fd: place(server, down, up), events: wanted(down, up), revents: 0),
        ]
    }

    /// Takes what has come and passes on what may be.
    ///
    /// - Returns: whether anything moved.
    mutating func move(_ link: Link, at time: UInt64, fate: () -> Fate) -> Bool {
        var delay: UInt64 = 0
        if case .slow(let milliseconds) = link { delay = UInt64(milliseconds) }
        var hasMoved = false
        // On the next network it is gone.
        if hasGap, link != .oneWay {
            isBroken = true
            return true
        }
        while up.hasRoom, let bytes = up.take(from: device) {
            hasMoved = true
            if !isDeviceSpeaking {
                (isDeviceSpeaking, messages) = (true, messages + 1)
                if isBeyondHandshake, link.isLossy { next = fate() }
                if next == .requestLost { isBroken = true }
            }
            up.chunks.append((time + delay, bytes))
        }
        while down.hasRoom, let bytes = down.take(from: server) {
            hasMoved = true
            if isBeyondHandshake, link == .oneWay {
                hasGap = true
                continue
            }
            isDeviceSpeaking = false
            if next == .answerLost { isBroken = true }
            down.chunks.append((time + delay, bytes))
        }
        guard !isBroken else { return true }
        let (sent, answered) = (up.pass(to: server, at: time), down.pass(to: device, at: time))
        isBroken = sent == nil || answered == nil
        return hasMoved || (sent ?? 1) + (answered ?? 1) > 0
    }

    func close() {
        Glibc.close(device)
        Glibc.close(server)
    }
}
