import Foundation
import NIOCore
import Testing

import KSSyncServer

/// Silent connections do not keep others out.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    private static let patience = LoopbackConnection.patienceMilliseconds

    private func silent(_ count: Int, port: Int) -> [LoopbackConnection] {
        (0..<count).compactMap { number in
            if let connection = LoopbackConnection(port: port) { return connection }
            Issue.record("connection \(number): \(unsafe String(cString: strerror(errno)))")
            return nil
        }
    }

    /// Sends requests on new connections until one is admitted.
    private func answer(of server: TestServer) async throws -> HTTPAnswer {
        while true {
            let connection = try #require(LoopbackConnection(port: server.port))
            let answer = try await onThread {
                let question = "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"
                connection.send(Array(question.utf8))
                return try connection.receiveAll()
            }
            if let answer = HTTPAnswer(answer) { return answer }
        }
    }

    @Test
    func `hundreds of silent connections are refused, logged once, and closed in time`()
        async throws
    {
        var options = SyncService.Options()
        options.connections.count = 20
        options.connections.firstRequestMax = .milliseconds(500)
        let log = TestLog()
        try await withServer(options: options, log: log) { server in
            let connections = silent(200, port: server.port)
            #expect(connections.count == 200)
            // Those over the limit are closed at once, the others after their time; then
            // a client with a request is admitted.
            let status = try await answer(of: server).status
            #expect(status == 200)
            for connection in connections {
                #expect(connection.ends(withinMilliseconds: Self.patience))
            }
        }
        #expect(log.text.components(separatedBy: "connections are refused").count == 2)
    }

    @Test
    func `one address has its own limit`() async throws {
        var options = SyncService.Options()
        options.connections.countPerAddress = 10
        options.connections.firstRequestMax = .seconds(600)
        let log = TestLog()
        try await withServer(options: options, log: log) { server in
            let connections = silent(30, port: server.port)
            // They are refused at once, although admitted connections stay for ten minutes.
            let refused = connections.dropFirst(10)
            for connection in refused {
                #expect(connection.ends(withinMilliseconds: Self.patience))
            }
            for connection in connections { connection.hangUp() }
            let status = try await answer(of: server).status
            #expect(status == 200)
        }
        #expect(log.text.contains("an address has reached its limit of connections"))
    }

    @Test
    func `a connection with a request stays open`() async throws {
        var options = SyncService.Options()
        options.connections.firstRequestMax = .seconds(5)
        try await withServer(options: options) { server in
            let talkative = try #require(LoopbackConnection(port: server.port))
            let question = Array("GET /healthz HTTP/1.1\r\n\r\n".utf8)
            _ = try await onThread {
                talkative.send(question)
                return try talkative.receive()
            }
            // It was opened after the first, so its time ends later.
            let quiet = try #require(LoopbackConnection(port: server.port))
            let (hasEnded, answer) = try await onThread {
                let hasEnded = quiet.ends(withinMilliseconds: Self.patience)
                talkative.send(question)
                return (hasEnded, try talkative.receive())
            }
            #expect(hasEnded && answer != nil)
        }
    }

    @Test
    func `a missing handshake is waited for only up to its limit`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(
                data: directory,
                arguments: ["--connections", "20"]
            )
            let connections = silent(200, port: server.port)
            for connection in connections {
                #expect(connection.ends(withinMilliseconds: Self.patience))
            }
            let client = try LiveClient(server)
            let account = try TestAccount()
            try await client.signUp(account)
            _ = try await client.changes("", token: try await client.token(account))
            let end = await server.stop()
            #expect(end.status == 0)
            #expect(end.log.components(separatedBy: "connections are refused").count == 2)
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.77", "192.0.2.77"), ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2"),
        ("2001:db8:1:2::1", "20:1:d:b8:0:1:0:2"), ("::1", "0:0:0:0:0:0:0:0"),
    ])
    func `addresses of one owner count as one`(text: String, counted: String) throws {
        #expect(try SocketAddress(ipAddress: text, port: 1).counted == counted)
    }

    @Test
    func `the limits leave files for the store`() {
        let usual = ConnectionLimits(openFilesMax: 1 << 20, count: nil, countPerAddress: nil)
        #expect(usual.count == 16_384 && usual.countPerAddress == 2048)
        let small = ConnectionLimits(openFilesMax: 1024, count: nil, countPerAddress: nil)
        #expect(small.count == 896 && small.countPerAddress == 112)
        let asked = ConnectionLimits(openFilesMax: 1024, count: 5000, countPerAddress: 10)
        #expect(asked.count == 896 && asked.countPerAddress == 10)
        let tiny = ConnectionLimits(openFilesMax: 64, count: nil, countPerAddress: nil)
        #expect(tiny.count == 16 && tiny.countPerAddress == 16)
        #expect(ConnectionLimits().handshakeMax == .seconds(10))
    }

    @Test
    func `the limit of open files is raised as far as the system allows`() {
        let raised = OpenFiles.raiseMax()
        #expect(raised >= 256 && OpenFiles.raiseMax() == raised)
    }
}
