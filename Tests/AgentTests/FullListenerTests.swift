import Synchronization
import Testing

import KSAgent

/// More connections than the listener's limit.
@Suite(.timeLimit(.minutes(10)))
struct FullListenerTests {
    let directory = TemporaryDirectory()
    private let held = Held()

    /// The calls under way.
    private final class Held: Sendable {
        private let calls = Mutex<[CheckedContinuation<Void, Never>]>([])

        var count: Int { calls.withLock { $0.count } }

        func wait() async {
            await withCheckedContinuation { call in calls.withLock { $0.append(call) } }
        }

        func takeAll() -> [CheckedContinuation<Void, Never>] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
    }

    private func listener(_ home: AgentHome) throws -> AgentListener {
        let listener = try AgentListener(
            lock: try AgentLock(home: home),
            connectionsMax: 3
        ) { [held] request, _, _ in
            if request.call == "hold" { await held.wait() }
            return .result(1)
        }
        try listener.start()
        return listener
    }

    private static func frame(_ call: String) -> [UInt8] {
        AgentMessage.request(AgentRequest(id: 1, call: call, arguments: [:])).frame ?? []
    }

    private static func call(_ home: AgentHome) async throws -> AgentValue {
        try await blocking { try AgentClient(home: home, startsDaemon: false).call("echo") }
    }

    @Test
    func `the longest silent connection is closed first`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let silent = try await blocking { try (0..<3).map { _ in try RawConnection(home) } }
        // The first bytes of a message, without the rest.
        silent[1].send(Array(Self.frame("echo").prefix(3)))
        #expect(try await Self.call(home) == 1)
        try await blocking { #expect(silent[0].isClosedByPeer()) }
        silent[2].send(Self.frame("echo"))
        try await blocking { #expect(!silent[2].receive().isEmpty) }
    }

    @Test
    func `a link whose connection was closed for another connects again for its next call`()
        async throws
    {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        try await blocking {
            let link = AgentLink(home: home.path)
            #expect(try link.call("echo", [:], mayRepeat: false) == 1)
            let others = try (0..<3).map { _ in try RawConnection(home) }
            #expect(waitFor { listener.connectionCount == 3 })
            #expect(try link.call("echo", [:], mayRepeat: false) == 1)
            withExtendedLifetime(others) {}
        }
    }

    @Test
    func `a connection with an unanswered call is not closed for another`() async throws {
        let home = try directory.home()
        let listener = try listener(home)
        defer { listener.stop() }
        let busy = try await blocking { [held] in
            let busy = try (0..<3).map { _ in try RawConnection(home) }
            for connection in busy { connection.send(Self.frame("hold")) }
            #expect(waitFor { held.count == 3 })
            return busy
        }
        let newcomer = Task { try await Self.call(home) }
        // All three are answered: none was closed for the newcomer.
        for call in held.takeAll() {
            call.resume()
            #expect(try await newcomer.value == 1)
        }
        try await blocking { for connection in busy { #expect(!connection.receive().isEmpty) } }
    }
}
