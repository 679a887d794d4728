import Foundation
import KSRecords
import KSSealing
import SwiftProtobuf
import Testing
import KSWire

import KSSyncServer

/// Attack 35: bodies that are large, slow, many, or made of many parts.
@Suite(.serialized)
struct UploadTests {
    private static let protobuf = "application/x-protobuf"

    private static func head(
        _ path: String,
        length: Int,
        token: String = "none"
    ) -> [UInt8] {
        Array(
            """
            POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
            Authorization: Bearer \(token)\r\nContent-Type: \(protobuf)\r\n\
            Content-Length: \(length)\r\n\r\n
            """.utf8
        )
    }

    private static func errors(_ log: TestLog) -> [Substring] {
        log.text.split(separator: "\n").filter { $0.hasPrefix("error ") }
    }

    private static func until(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private static func member(_ server: TestServer) async throws -> String {
        let account = try TestAccount()
        try await server.signUp(account)
        return try await server.deviceToken(account)
    }

    // MARK: Time

    @Test
    func `a body sent byte by byte is cut off, however steadily`() async throws {
        let log = TestLog()
        var options = SyncService.Options()
        options.uploadTimeMax = .seconds(3)
        try await withServer(options: options, log: log) { server in
            let connection = try #require(LoopbackConnection(port: server.port))
            let isCutOff = await onThread {
                connection.send(Self.head("/v1/sessions", length: 8000))
                // 120 s, as on a machine where the server's own work waits for many seconds.
                return (0..<4800).contains { _ in
                    connection.send([0x0A])
                    return connection.ends(withinMilliseconds: 25)
                }
            }
            #expect(isCutOff)
            try await Self.until { log.text.contains("status=408") }
            #expect(log.text.contains("info request code=malformed "))
            #expect(Self.errors(log).isEmpty)
            #expect(server.service.strangersUploads.bytesTaken == 0)
            // A request that is answered in time has its connection to the end.
            #expect(try await server.challenge().nonce.count == 48)
        }
    }

    @Test
    func `a client that goes away in the middle of a body is not a server error`()
        async throws
    {
        let log = TestLog()
        try await withServer(log: log) { server in
            let connection = try #require(LoopbackConnection(port: server.port))
            await onThread { connection.send(Self.head("/v1/sessions", length: 1000) + [1, 2, 3]) }
            try await Self.until { server.service.strangersUploads.bytesTaken == 3 }
            connection.hangUp()
            try await Self.until { log.text.contains("route=/v1/sessions status=") }
            #expect(log.text.contains("info request code=malformed "))
            #expect(Self.errors(log).isEmpty)
            #expect(server.service.strangersUploads.bytesTaken == 0)
        }
    }

    // MARK: Memory

    @Test
    func `unfinished bodies have a memory limit, and those of strangers a separate one`()
        async throws
    {
        let log = TestLog()
        var options = SyncService.Options()
        options.membersUploadBytesMax = 100_000
        try await withServer(options: options, log: log) { server in
            let token = try await Self.member(server)
            let room = server.service.membersUploads
            #expect(room.bytesTaken == 0)
            let connection = try #require(LoopbackConnection(port: server.port))
            await onThread {
                connection.send(Self.head("/v1/batches", length: 90_000, token: token))
                connection.send([UInt8](repeating: 0, count: 80_000))
            }
            try await Self.until { room.bytesTaken == 80_000 }
            func push(_ count: Int) async throws -> HTTPAnswer {
                try await server.request(
                    "POST",
                    "/v1/batches",
                    headers: ["Authorization": "Bearer \(token)", "Content-Type": Self.protobuf],
                    body: [UInt8](repeating: 0, count: count)
                )
            }
            let refused = try await push(30_000)
            #expect(refused.status == 503 && refused.code == .unavailable)
            #expect(refused.headers["retry-after"] == "1")
            #expect(log.text.contains("warning request code=unavailable "))
            // A body that fits is read, and is malformed.
            #expect(try await push(20_000).code == .malformed)
            #expect(try await server.challenge().nonce.count == 48)
            #expect(room.bytesTaken == 80_000)
            connection.hangUp()
            try await Self.until { room.bytesTaken == 0 }
            #expect(try await push(30_000).code == .malformed)
            #expect(room.bytesTaken == 0)
        }
    }

    @Test
    func `a large body is not read without a session`() async throws {
        try await withServer { server in
            for (method, path) in [("POST", "/v1/batches"), ("PUT", "/v1/circle")] {
                let answer = try await server.request(
                    method,
                    path,
                    headers: ["Content-Type": Self.protobuf, "If-Match": "1"],
                    declaredLength: 4 << 20
                )
                #expect(answer.status == 401 && answer.code == .unauthenticated, "\(path)")
            }
        }
    }

    @Test
    func `a sign-up may take several times the size of the largest genesis`() throws {
        let account = try TestAccount()
        let genesis = try CircleAuthoring.genesis(
            account: account.id,
            device: account.device,
            deviceName: String(repeating: "x", count: Limits.memberNameBytesMax),
            credentials: account.credentials,
            keyRing: account.keyRing,
            random: account.random
        )
        var message = account.signup
        message.name = String(repeating: "x", count: Limits.accountNameBytesMax)
        message.entry = WireSignedEntry(genesis.entry)
        message.envelopes = genesis.envelopes.map(WireKeyEnvelope.init)
        message.credentialsBox = Data(genesis.credentialsBox ?? [])
        message.invitation = String(repeating: "x", count: 20)
        #expect(try message.serializedData().count * 3 < Limits.signUpBytesMax)
        #expect(try message.jsonUTF8Data().count * 2 < Limits.signUpBytesMax)
    }

    // MARK: Parts

    @Test
    func `a body of very many empty parts is refused before they are made`() async throws {
        try await withServer { server in
            let token = try await Self.member(server)
            let json = (#"{"envelopes":["# + String(repeating: "{},", count: 40_000) + "{}]}").utf8
            let bodies: [(String, [UInt8])] = [
                // Field 3, no bytes: an envelope.
                (Self.protobuf, (0..<100_000).flatMap { _ in [0x1A, 0] as [UInt8] }),
                ("application/json", Array(json)),
            ]
            for (type, body) in bodies {
                let answer = try await server.request(
                    "POST",
                    "/v1/batches",
                    headers: ["Authorization": "Bearer \(token)", "Content-Type": type],
                    body: body
                )
                #expect(answer.status == 413 && answer.code == .tooLarge, "\(type)")
            }
        }
    }

    @Test
    func `an entry's update of too many parts is refused before they are made`() async throws {
        try await withServer { server in
            let account = try TestAccount()
            try await server.signUp(account)
            let device = CircleSigner.device(account.device)
            let token = try await server.deviceToken(account)
            // Field 2, no bytes: a key envelope.
            let update = (0...Limits.membersMax).flatMap { _ in [0x12, 0] as [UInt8] }
            var message = WirePutCircleRequest()
            message.update = Data(update)
            message.proof = try await server.proof(
                .circle,
                by: device,
                account: account.id.bytes,
                body: update
            )
            let answer = try await server.post(
                "/v1/circle",
                message,
                method: "PUT",
                token: token,
                headers: ["If-Match": "1"]
            )
            #expect(answer.status == 413 && answer.code == .tooLarge)
        }
    }
}
