import KSAgent
import Dispatch
import Glibc
import Synchronization
import Testing
import KSTestSupport

/// Programs call a daemon over its socket.
@Suite(.timeLimit(.minutes(10)))
struct AgentListenerTests {
    let directory = TemporaryDirectory()

    /// Echoes its arguments, or does what the call's name says.
    private func listener(
        _ home: AgentHome,
        whenHanging: @escaping @Sendable () -> Void = {},
        whenCancelled: @escaping @Sendable () -> Void = {}
    ) throws -> AgentListener {
        let lock = try AgentLock(home: home)
        let listener = try AgentListener(lock: lock) { request, peer, reportProgress in
            switch request.call {
            case "fail":
                return .failure(AgentFailure(code: -25300, status: "No.", hint: "Look again."))
            case "count":
                for done in 1...3 {
                    reportProgress(AgentProgress(done: UInt64(done), total: 3, text: "rows"))
                }
                return .result(3)
            case "peer":
                return .result([
                    "pid": .integer(Int64(peer.processID)), "exe": .string(peer.executable ?? ""),
                ])
            case "hang":
                whenHanging()
                // Ends by cancellation alone.
                do {
                    while true { try await Task.sleep(for: .seconds(3600)) }
                } catch {
                    whenCancelled()
                    return .failure(AgentFailure(code: -128, status: "Cancelled."))
                }
            default: return .result(.dictionary(request.arguments))
            }
        }
        try listener.start()
        return listener
    }

    private func client(_ home: AgentHome) throws -> AgentClient {
        try AgentClient(home: home, startsDaemon: false)
    }

    @Test
    func `a call returns the daemon's answer`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let large = AgentValue.data([UInt8](repeating: 7, count: 3 << 20))
        try await blocking { [self] in
            let client = try client(home)
            for number in 0..<50 as Range<Int64> {
                #expect(try client.call("echo", ["n": .integer(number)]) == ["n": .integer(number)])
            }
            #expect(try client.call("echo", ["d": large]) == ["d": large])
            #expect(
                throws: AgentError.failed(
                    AgentFailure(code: -25300, status: "No.", hint: "Look again.")
                )
            ) {
                try client.call("fail")
            }
            var seen: [UInt64] = []
            #expect(try client.call("count", whenProgress: { seen.append($0.done) }) == 3)
            #expect(seen == [1, 2, 3])
        }
    }

    @Test
    func `the daemon knows which program calls`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let peer = try await blocking { [self] in try client(home).call("peer").dictionary }
        #expect(peer?["pid"]?.integer == Int64(getpid()))
        #expect(peer?["exe"]?.string == AgentPeer.ownExecutable)
    }

    @Test
    func `many programs are served while one hangs`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let hanging = Task { try await blocking { [self] in try client(home).call("hang") } }
        try await withThrowingTaskGroup { group in
            for number in 0..<30 as Range<Int64> {
                group.addTask {
                    try await blocking { [self] in
                        let sent: AgentDictionary = ["n": .integer(number)]
                        let answer = try client(home).call("echo", sent)
                        #expect(answer == .dictionary(sent))
                    }
                }
            }
            try await group.waitForAll()
        }
        listener.stop()
        await #expect(throws: AgentError.connectionLost) { try await hanging.value }
    }

    /// A daemon that a call stops has to answer that call first.
    @Test
    func `an answer arrives although the listener stops right after it`() async throws {
        for number in 0..<20 {
            let home = try directory.home("home \(number)")
            let running = RunningListener()
            let listener = try AgentListener(
                lock: try AgentLock(home: home),
                whenAnswered: { _, _ in running.stop() },
                handler: { request, _, _ in .result(.string(request.call)) }
            )
            running.set(listener)
            try listener.start()
            let answer = try await blocking { [self] in try client(home).call("stop") }
            #expect(answer == .string("stop"))
            listener.stop()
        }
    }

    /// Quick answers and slow ones of one connection keep their order.
    @Test
    func `a call that can be answered at once never becomes a task`() async throws {
        let heard = Mutex<[String]>([])
        let listener = try AgentListener(
            lock: try AgentLock(home: try directory.home()),
            whenAnswered: { request, _ in heard.withLock { $0.append("answered " + request.call) }
            },
            handler: { request, peer in
                guard request.call == "quick" else {
                    return .later { _ in
                        heard.withLock { $0.append("handled " + request.call) }
                        return .result(.dictionary(request.arguments))
                    }
                }
                heard.withLock { $0.append("at once") }
                return .now(.result(.integer(Int64(peer.processID))))
            }
        )
        try listener.start()
        let home = try directory.home()
        try await blocking { [self] in
            let client = try client(home)
            #expect(try client.call("quick") == .integer(Int64(getpid())))
            #expect(try client.call("slow", ["a": 1]) == ["a": 1])
            #expect(try client.call("quick") == .integer(Int64(getpid())))
        }
        // A program may have its answer before the listener reports it.
        listener.stop()
        let order = heard.withLock { $0 }
        #expect(
            order.filter { !$0.hasPrefix("answered") } == ["at once", "handled slow", "at once"]
        )
        #expect(order.count { $0 == "answered quick" } == 2)
    }

    @Test
    func `after a connection has ended, nobody reaches the old daemon`() async throws {
        for number in 0..<50 {
            let home = try directory.home("home \(number)")
            let running = RunningListener()
            let listener = try listener(home)
            running.set(listener)
            try await blocking { [self] in
                let client = try client(home)
                #expect(try client.call("echo") == [:])
                // A thread of its own, which waits for no other test's work.
                DispatchQueue(label: "stopping").async { running.stop() }
                let start = ContinuousClock.now
                client.waitUntilClosed(milliseconds: 300_000)
                try #require(ContinuousClock.now - start < .seconds(300), "it was not closed")
                #expect(throws: AgentError.daemonNotRunning) { try self.client(home) }
            }
            listener.stop()
        }
    }

    @Test
    func `a call is cancelled when its program goes away`() async throws {
        let home = try directory.home()
        let (news, continuation) = AsyncStream.makeStream(of: String.self)
        let listener = try listener(
            home,
            whenHanging: { continuation.yield("hanging") },
            whenCancelled: { continuation.yield("cancelled") }
        )
        defer { listener.stop() }
        let socket = try await blocking { try RawConnection(home) }
        let request = AgentRequest(id: 1, call: "hang", arguments: [:])
        socket.send(AgentMessage.request(request).frame ?? [])
        var iterator = news.makeAsyncIterator()
        #expect(await iterator.next() == "hanging")
        socket.close()
        #expect(await iterator.next() == "cancelled")
    }

    @Test(
        arguments: [[255, 255, 255, 255], [0, 0, 0, 3, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1, 9]]
            as [[UInt8]]
    )
    func `broken bytes end only their own connection`(bytes: [UInt8]) async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let isClosed = try await blocking {
            let socket = try RawConnection(home)
            socket.send(bytes)
            return socket.isClosedByPeer()
        }
        #expect(isClosed)
        let answer = try await blocking { [self] in try client(home).call("echo", ["a": 1]) }
        #expect(answer == ["a": 1])
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `random bytes never crash the daemon`(seed: UInt64) async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        try await blocking { [self] in
            var random = SeededGenerator(seed: seed)
            let socket = try RawConnection(home)
            let count = UInt8.random(in: 0..<60, using: &random)
            socket.send([0, 0, 0, count, 1] + random.bytes(Int(count)))
            socket.close()
            #expect(try client(home).call("echo") == [:])
        }
    }

    @Test
    func `a second daemon of one home is refused`() throws {
        let home = try directory.home()
        let lock = try AgentLock(home: home)
        #expect(throws: AgentError.alreadyRunning) { try AgentLock(home: home) }
        // Another name of the same directory is the same home.
        unsafe symlink(home.path, directory.path + "/alias")
        #expect(throws: AgentError.alreadyRunning) {
            try AgentLock(home: try directory.home("alias"))
        }
        withExtendedLifetime(lock) {}
    }

    @Test
    func `the home is free again when the daemon ends`() async throws {
        let home = try directory.home()
        do {
            let first = try listener(home)
            first.stop()
            first.stop()
        }
        #expect(mode(of: home.socketPath) == nil)
        // A process that another test starts at this moment has a copy of the lock until it runs
        // its program, so the lock may take a moment to be free.
        var reopened: AgentListener?
        while reopened == nil {
            // Refused while such a copy is there.
            reopened = try? listener(home)
            if reopened == nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        let second = try #require(reopened)
        defer { second.stop() }
        let answer = try await blocking { [self] in try client(home).call("echo") }
        #expect(answer == [:])
    }

    @Test
    func `a socket that a killed daemon left is replaced`() async throws {
        let home = try directory.home()
        makeFile(home.socketPath, "")
        let listener = try listener(home)
        defer { listener.stop() }
        let answer = try await blocking { [self] in try client(home).call("echo") }
        #expect(answer == [:])
    }

    @Test
    func `nobody else can read the socket or its directories`() throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        #expect(mode(of: home.socketPath) == 0o600)
        #expect(mode(of: home.runDirectory) == 0o700)
        #expect(mode(of: home.path) == 0o700)
    }

    @Test
    func `a socket that was removed is made again, and open connections stay open`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        try await blocking { [self] in
            let before = try client(home)
            for _ in 0..<3 {
                #expect(unsafe unlink(home.socketPath) == 0)
                try before.callUntilListening()
                #expect(try client(home).call("echo") == [:])
                #expect(mode(of: home.socketPath) == 0o600)
            }
        }
    }

    @Test
    func `without a daemon there is an error and not a wait`() throws {
        let home = try directory.home()
        #expect(throws: AgentError.daemonNotRunning) { try client(home) }
    }
}

extension AgentClient {
    /// Calls until the listener has made again what was removed of its socket.
    ///
    /// It may notice the first call before the removal, and answers the second one before it acts
    /// on that. It takes the third one after that.
    func callUntilListening() throws {
        for _ in 0..<3 { #expect(try call("echo") == [:]) }
    }
}

/// A connection that sends what it likes.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(_ home: AgentHome) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(home.socketPath.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw AgentError.system(errno: errno) }
    }

    func send(_ bytes: [UInt8]) {
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits for bytes and returns them; empty at the end.
    func receive() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    func isClosedByPeer() -> Bool {
        var byte: UInt8 = 0
        return unsafe read(descriptor, &byte, 1) <= 0
    }

    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    deinit {
        Glibc.close(descriptor)
    }
}

/// The listener that a call is about to stop.
private final class RunningListener: Sendable {
    private let listener = Mutex<AgentListener?>(nil)

    func set(_ listener: AgentListener) { self.listener.withLock { $0 = listener } }

    func stop() { listener.withLock { $0 }?.stop() }
}
