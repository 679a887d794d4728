import Foundation
import GRDB
import KSDigests
import KSKeychain
import KSPrimitives
import KSRecords
import KSSealing
import KSTransport
import KSWire
import Testing

import KSSyncEngine

/// A server of another version, and its answers that this version does not know.
@Suite(.timeLimit(.minutes(10)))
struct VersionTests {
    private let home: ReplicaHome
    private let engineServer: EngineServer
    private let server: AlteredServer

    init() throws {
        home = try ReplicaHome(try ReplicaAccount(), keepsCircle: true)
        engineServer = EngineServer(home.account)
        server = AlteredServer(engineServer)
    }

    private func client(_ spoken: SpokenProtocol = .own) -> ServerClient {
        ServerClient(transport: server, origin: "https://sync.example.org", spoken: spoken)
    }

    private func failure(
        _ client: ServerClient,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> ServerError? {
        await #expect(throws: ServerError.self, sourceLocation: sourceLocation) {
            try await client.openSession(
                account: home.account.id.bytes,
                signer: .device(home.device.identity)
            )
        }
    }

    /// How many records the batch has that waits for its answer.
    private func waitingCount() throws -> Int? {
        try home.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM batch_record") }
    }

    private func move() throws -> ServerMove {
        try home.database.read { try ServerMove(of: home.device, in: $0) }
    }

    private static func problem(
        _ body: String,
        _ status: Int,
        type: String = "application/problem+json",
        _ headers: [String: String] = [:]
    ) -> TransportResponse {
        TransportResponse(
            status: status,
            headers: headers.merging(["content-type": type]) { first, _ in first },
            body: Array(body.utf8)
        )
    }

    // MARK: Protocols

    @Test
    func `each request states the protocols and features of this program`() async throws {
        _ = try await client().openSession(
            account: home.account.id.bytes,
            signer: .device(home.device.identity)
        )
        #expect(server.stated == [SpokenProtocol.own.text, SpokenProtocol.own.text])
    }

    @Test
    func `of two programs without a common protocol the older one is named`() async {
        let newer = SpokenProtocol(3...4, [])
        // A server from before the header states nothing.
        for stated in [nil, "1-1 events rebuild", "1-2"] {
            server.claim(stated)
            #expect(await failure(client(newer)) == .refused(.serverTooOld))
        }
        server.claim("5-7")
        #expect(await failure(client(newer)) == .refused(.clientTooOld))
        server.claim("gateway")
        #expect(await failure(client(newer)) == .unreadable(status: 200))
    }

    @Test
    func `a server that serves only newer programs loses nothing of the device`() async throws {
        try await home.running(over: server) { engine in
            server.claim("2-2")
            try home.save("mail", "one")
            #expect(await engine.syncNow() == .failed(.refused(.clientTooOld)))
            let status = try await engine.status()
            #expect(status.state.hold == nil && status.counts.unsent == 1)
            server.claim(nil)
            #expect(await engine.syncNow() == .synced)
            #expect(try await engine.status().counts.unsent == 0)
        }
    }

    /// The answer to a stream has no code, and a device that is idle asks for nothing else.
    @Test
    func `a device that only listens learns that it is too old`() async throws {
        server.refuseStreams(400)
        try await home.running(over: server) { engine in
            server.claim("2-2")
            while try await engine.status().lastError != .refused(.clientTooOld) {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    // MARK: Codes

    @Test(
        arguments: [
            (403, "", false), (403, #","retry":true"#, true), (409, "", false), (429, "", true),
            (503, "", true), (507, #","retry":false"#, false), (500, #","retry":false"#, false),
        ] as [(Int, String, Bool)]
    )
    func `an unknown code is shown, and its kind decides whether to try again`(
        status: Int,
        hint: String,
        isWorthRetrying: Bool
    ) async {
        server.answer("/v1/sessions", Self.problem(#"{"code":"of_tomorrow"\#(hint)}"#, status))
        let refusal = UnknownRefusal(code: "of_tomorrow", status: status, canPass: isWorthRetrying)
        let error = await failure(client())
        #expect(error == .unknown(refusal))
        #expect(error?.isWorthRetrying == isWorthRetrying)
    }

    @Test(arguments: [
        ("application/json", #"{"code":"of_tomorrow"}"#),
        ("application/problem+json", #"{"code":"Of Tomorrow"}"#),
        ("application/problem+json", #"{"code":"\u001b[2J"}"#),
        ("application/problem+json", #"{"code":""}"#), ("application/problem+json", "{}"),
        ("text/html", "<h1>Forbidden</h1>"),
    ])
    func `an error of another service is no code of a sync server`(
        type: String,
        body: String
    ) async {
        server.answer("/v1/sessions", Self.problem(body, 403, type: type))
        #expect(await failure(client()) == .unreadable(status: 403))
    }

    @Test
    func `an unknown refusal of a batch keeps it, and the server's wait counts`() async throws {
        try await home.running(over: server) { engine in
            let headers = ["retry-after": "90"]
            let body = #"{"code":"of_tomorrow","retry":true}"#
            server.answer("/v1/batches", Self.problem(body, 429, headers))
            try home.save("mail", "one")
            let refusal = UnknownRefusal(code: "of_tomorrow", status: 429, retryAfterSeconds: 90)
            #expect(await engine.syncNow() == .failed(.unknown(refusal)))
            let status = try await engine.status()
            #expect(status.state.hold == nil && status.report.forks == 0)
            #expect(try waitingCount() == 1)
            server.answer("/v1/batches", nil)
            #expect(await engine.syncNow() == .synced)
        }
    }

    @Test
    func `a session that ends for an unknown reason is opened again`() async throws {
        try await home.running(over: server) { engine in
            server.answer("/v1/batches", Self.problem(#"{"code":"of_tomorrow"}"#, 401), count: 1)
            let before = engineServer.sessionCount
            try home.save("mail", "one")
            #expect(await engine.syncNow() == .synced)
            #expect(engineServer.sessionCount == before + 1)
        }
    }

    @Test
    func `a record that is refused for an unknown reason does not keep others back`() async throws {
        try await home.running(over: server) { engine in
            let body = #"{"code":"of_tomorrow","refused":[{"counter":1,"code":"of_tomorrow"}]}"#
            server.answer("/v1/batches", Self.problem(body, 422), count: 1)
            // In one transaction, and so in one batch.
            _ = try home.keychain.write { database in
                for service in ["mail", "wifi"] {
                    try home.keychain.add(
                        ReplicaHome.item(service, "one"),
                        access: .all(defaultGroup: ReplicaHome.group),
                        in: database
                    )
                }
            }
            guard case .open(let open) = await engine.syncNow() else {
                Issue.record("all of it was sent")
                return
            }
            #expect(open.blocked.map(\.reason) == [.malformed])
            #expect(try await engine.status().report.pushedRecords == 1)
        }
    }

    // MARK: Features

    @Test
    func `what the server lacks is not asked of it`() async throws {
        server.claim("1-1 events")
        engineServer.refuseSessions(true)
        engineServer.refuseReturns(.accountUnknown)
        let toServer = try move()
        let rebuilt = await #expect(throws: ServerError.self) {
            try await toServer.rebuild(client(), invitation: "")
        }
        #expect(rebuilt == .lacks(.rebuild))
        let deleted = await #expect(throws: ServerError.self) {
            try await AccountEnd.delete(
                home.device,
                password: Array("a long password".utf8),
                accountKey: AccountKey.random(from: SystemRandomSource()),
                client: client(),
                cost: .simulation
            )
        }
        #expect(deleted == .lacks(.deleteAccount))
        #expect(!server.hasHeard("/v1/account"))
        // The circle without the account's name tells an unknown account from an unknown device.
        #expect(server.count(of: "/v1/circle/return") == 1)
    }

    @Test
    func `without a stream of events the device asks`() async throws {
        server.claim("1-1")
        let engine = try home.engine(over: server)
        let running = Task { await engine.run() }
        while try await engine.status().connection != .polling {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(!server.hasOpenedStream)
        running.cancel()
        await running.value
    }
}
