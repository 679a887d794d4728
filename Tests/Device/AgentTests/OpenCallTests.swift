import Synchronization
import Testing

import KSAgent

/// Calls that last until their program goes away.
@Suite(.timeLimit(.minutes(10)))
struct OpenCallTests {
    let directory = TemporaryDirectory()
    private let calls = Calls()

    /// The calls under way, behind a lock that is held while they report.
    private final class Calls: Sendable {
        private let reports = Mutex<[Int: AgentAnswer.ReportProgress]>([:])
        let (ends, end) = AsyncStream.makeStream(of: Int.self)

        func start(_ number: Int, _ report: @escaping AgentAnswer.ReportProgress) {
            reports.withLock { reports in
                reports[number] = report
                report(AgentProgress(done: 0, total: 0, text: ""))
            }
        }

        func end(_ number: Int) {
            let ended = reports.withLock { $0.removeValue(forKey: number) }
            if ended != nil { end.yield(number) }
        }

        /// - Returns: how many calls are under way.
        func reportAll() -> Int {
            reports.withLock { reports in
                for report in reports.values {
                    report(AgentProgress(done: 1, total: 0, text: "news"))
                }
                return reports.count
            }
        }
    }

    private func listener(_ home: AgentHome, connectionsMax: Int = 256) throws -> AgentListener {
        let listener = try AgentListener(
            lock: try AgentLock(home: home),
            connectionsMax: connectionsMax,
            handler: { [calls] request, _ in
                guard let number = request.arguments["watch"]?.integer else {
                    return .now(.result(.integer(Int64(calls.reportAll()))))
                }
                return .whileOpen { report in
                    calls.start(Int(number), report)
                    return { calls.end(Int(number)) }
                }
            }
        )
        try listener.start()
        return listener
    }

    private static func frame(watch number: Int64) -> [UInt8] {
        let request = AgentRequest(id: 1, call: "watch", arguments: ["watch": .integer(number)])
        return AgentMessage.request(request).frame ?? []
    }

    /// A program whose call has begun.
    private static func watch(_ home: AgentHome, _ number: Int64) throws -> RawConnection {
        let socket = try RawConnection(home)
        socket.send(frame(watch: number))
        #expect(!socket.receive().isEmpty)
        return socket
    }

    private static func reportAll(_ home: AgentHome) throws -> AgentValue {
        try AgentClient(home: home, startsDaemon: false).call("report")
    }

    @Test
    func `such a call reports until its program goes away, and only it ends`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let (first, second) = try await blocking {
            let sockets = (try Self.watch(home, 1), try Self.watch(home, 2))
            #expect(try Self.reportAll(home) == 2)
            #expect(!sockets.0.receive().isEmpty && !sockets.1.receive().isEmpty)
            return sockets
        }
        first.close()
        var ends = calls.ends.makeAsyncIterator()
        #expect(await ends.next() == 1)
        try await blocking {
            let count = try Self.reportAll(home)
            #expect(count == 1)
            #expect(!second.receive().isEmpty)
        }
    }

    @Test
    func `such a call ends when the listener stops`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        let socket = try await blocking { try Self.watch(home, 1) }
        listener.stop()
        var ends = calls.ends.makeAsyncIterator()
        #expect(await ends.next() == 1)
        #expect(calls.reportAll() == 0)
        withExtendedLifetime(socket) {}
    }

    /// The report that finds no reader closes the connection, inside the lock that the end needs.
    @Test
    func `such a call ends while it reports`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        for number in 1...20 as ClosedRange<Int64> {
            let socket = try await blocking { try Self.watch(home, number) }
            socket.close()
            try await blocking { [calls] in while calls.reportAll() > 0 {} }
        }
    }

    @Test
    func `such a call's connection is not closed for another`() async throws {
        let home = try directory.home()
        let listener = try listener(home, connectionsMax: 3)
        defer { listener.stop() }
        try await blocking {
            let watching = try [Self.watch(home, 1), Self.watch(home, 2)]
            for _ in 0..<5 { #expect(try Self.reportAll(home) == 2) }
            let silent = try RawConnection(home)
            #expect(try Self.reportAll(home) == 2)
            #expect(silent.isClosedByPeer())
            withExtendedLifetime(watching) {}
        }
    }

    @Test
    func `a call that arrives in pieces begins, and so does one behind another`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let report = AgentRequest(id: 1, call: "report", arguments: [:])
        let frames = (AgentMessage.request(report).frame ?? []) + Self.frame(watch: 1)
        try await blocking {
            let socket = try RawConnection(home)
            socket.send(Array(frames.prefix(3)))
            #expect(try Self.reportAll(home) == 0)
            socket.send(Array(frames[3..<frames.count - 1]))
            #expect(!socket.receive().isEmpty)
            #expect(try Self.reportAll(home) == 0)
            socket.send(Array(frames.suffix(1)))
            #expect(!socket.receive().isEmpty)
            #expect(try Self.reportAll(home) == 1)
        }
    }
}
