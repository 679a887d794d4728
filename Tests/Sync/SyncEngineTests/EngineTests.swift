import Foundation
import GRDB
import KSKeychain
import KSRecords
import KSSealing
import Testing
import KSTransport
import KSWire

import KSSyncEngine

/// The engine, which carries a replica's requests: sessions, events, failures and the end.
@Suite(.timeLimit(.minutes(10)))
struct EngineTests {
    private let home: ReplicaHome
    private let server: EngineServer

    init() throws {
        home = try ReplicaHome(try ReplicaAccount())
        server = EngineServer(home.account)
    }

    /// Runs an engine during the test, which begins after its first sync.
    private func withEngine(
        _ body: (SyncEngine, Task<Void, Never>) async throws -> Void
    ) async throws {
        let engine = try home.engine(over: server)
        let running = Task { await engine.run() }
        let result: Result<Void, any Error>
        do {
            #expect(await engine.syncNow() == .synced)
            result = .success(try await body(engine, running))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await running.value
        try result.get()
    }

    @Test
    func `a refusal of this device is remembered until the server accepts it again`() async throws {
        let start = home.clock.milliseconds
        try await withEngine { (engine, _) async throws in
            #expect(try await engine.status().refusedSinceMilliseconds == nil)
            server.refuseSessions(true)
            #expect(await engine.syncNow() == .failed(.refused(.refused)))
            home.clock.advance(seconds: 60)
            #expect(await engine.syncNow() == .failed(.refused(.refused)))
            #expect(try await engine.status().refusedSinceMilliseconds == start)
        }
        // The device starts again.
        try home.restart()
        #expect(home.replica.refusedSinceMilliseconds == start)
        server.refuseSessions(false)
        try await withEngine { (engine, _) async throws in
            #expect(try await engine.status().refusedSinceMilliseconds == nil)
        }
        try home.restart()
        #expect(home.replica.refusedSinceMilliseconds == nil)
    }

    // MARK: Sessions

    @Test
    func `a session that the server has forgotten is opened again`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            server.endSessions()
            #expect(await engine.syncNow() == .synced)
        }
    }

    @Test
    func `a session is not used after its lifetime`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            let before = server.sessionCount
            #expect(await engine.syncNow() == .synced)
            #expect(server.sessionCount == before)
            home.clock.advance(seconds: EngineServer.sessionSeconds)
            #expect(await engine.syncNow() == .synced)
            #expect(server.sessionCount == before + 1)
        }
    }

    @Test
    func `a sync with nothing new is one request`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            for _ in 0..<3 {
                let before = server.requestCount
                #expect(await engine.syncNow() == .synced)
                #expect(server.requestCount == before + 1)
            }
        }
    }

    /// A session's lifetime is the server's: this device's clock does not matter.
    @Test(arguments: [-3600, 3600, 360_000_000] as [Int64])
    func `one session serves many requests, whatever this device's clock says`(
        aheadSeconds: Int64
    ) async throws {
        let date = Int64(home.clock.milliseconds) + aheadSeconds * 1000
        home.clock.set(milliseconds: UInt64(date))
        try await withEngine { engine, _ in
            await server.nextStream()
            let before = server.sessionCount
            for _ in 0..<5 { #expect(await engine.syncNow() == .synced) }
            // The clock is set during the session.
            home.clock.set(milliseconds: UInt64(date + 7_200_000))
            for _ in 0..<5 { #expect(await engine.syncNow() == .synced) }
            #expect(server.sessionCount == before)
        }
    }

    // MARK: A store that went back

    @Test
    func `a server that does not know the cursor gets evidence, and is compared`() async throws {
        try await withEngine { engine, _ in
            let cursor = try #require(try await engine.status().state.cursor)
            server.answerPulls(.unknownCursor)
            _ = await engine.syncNow()
            #expect(try await engine.status().reconciliation?.reason == .serverRestored)
            #expect(server.evidence.count == 1)
            let evidence = try #require(server.evidence.first)
            let statement = HistoryStatement(
                account: home.account.enrollment().account,
                member: home.device.identity.memberID,
                cursor: try evidence.cursor.value(),
                challenge: Challenge(
                    nonce: Array(evidence.nonce),
                    expirySeconds: evidence.expirySeconds
                )
            )
            #expect(statement.cursor == cursor)
            let key = home.device.identity.signingPublicKey
            #expect(statement.isSigned(by: key, signature: Array(evidence.signature)))
        }
    }

    @Test
    func `a pull is repeated when the server knows the cursor after all`() async throws {
        try await withEngine { engine, _ in
            server.knowHistory(true)
            server.answerPulls(.unknownCursor)
            #expect(await engine.syncNow() == .failed(.contradictory()))
            #expect(server.evidence.count == 1)
            #expect(await engine.syncNow() == .synced)
        }
    }

    // MARK: Refused batches

    @Test
    func `the records that a server names are read, each once and in order`() async throws {
        let body = """
            {"code":"siblings_full","refused":[{"counter":9,"code":"too_large"},\
            {"counter":4,"code":"siblings_full"},{"counter":9,"code":"malformed"},\
            {"counter":5,"code":"of_tomorrow"}]}
            """
        let client = ServerClient(transport: OneAnswer(409, body), origin: "https://a.example")
        let error = await #expect(throws: ServerError.self) {
            try await client.circle(after: 0, token: "t")
        }
        let records = [
            RefusedRecord(counter: 4, code: .siblingsFull),
            // A reason that this version does not know.
            RefusedRecord(counter: 5, code: .malformed),
            RefusedRecord(counter: 9, code: .tooLarge),
        ]
        #expect(error == .refused(.siblingsFull, records: records))
    }

    // MARK: Events

    @Test
    func `a refused event stream is opened again with another session`() async throws {
        // The first request and the first stream may open a session each.
        server.refuseStreams(ofSessionsUpTo: 2)
        try await withEngine { _, _ in await server.nextStream() }
    }

    @Test
    func `an event leads to a request, even if it cannot be read`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            for (data, path) in [
                (#"{"seq":"9"}"#, "/v1/changes"), (#"{"circleVersion":"2"}"#, "/v1/circle"),
                ("?", "/v1/changes"),
            ] {
                server.forgetRequests()
                server.say(data)
                await server.request(to: path)
                let status = try await engine.status()
                #expect(status.connection == .live)
                #expect(await engine.syncNow() == .synced)
            }
        }
    }

    @Test
    func `a stream without a first event counts as held back, and the device asks`() async throws {
        let engine = try home.engine(over: server, firstEventMilliseconds: 50)
        let running = Task { await engine.run() }
        #expect(await engine.syncNow() == .synced)
        while try await engine.status().connection != .polling {
            try await Task.sleep(for: .milliseconds(5))
        }
        server.answerPulls(.firstOfTwoPages)
        while try await engine.status().state.cursor?.seq != 1 {
            try await Task.sleep(for: .milliseconds(5))
        }
        running.cancel()
        await running.value
    }

    @Test
    func `an edit is pushed without a call to sync`() async throws {
        try await withEngine { engine, _ in
            try home.save("mail", "one")
            await server.request(to: "/v1/batches")
            #expect(await engine.syncNow() == .synced)
            #expect(try await engine.status().counts.unsent == 0)
        }
    }

    // MARK: Failures

    @Test
    func `a sync reports a failure after its first page`() async throws {
        try await withEngine { engine, _ in
            server.answerPulls(.firstOfTwoPages, .failure)
            #expect(await engine.syncNow() == .failed(.unreadable(status: 500)))
            let failed = try await engine.status()
            #expect(failed.lastError == .unreadable(status: 500))
            #expect(await engine.syncNow() == .synced)
            let recovered = try await engine.status()
            #expect(recovered.lastError == nil)
        }
    }

    @Test
    func `the engine waits as long as the server asks`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            server.answerPulls(.busy(seconds: 90))
            let refusal = ServerError.refused(.unavailable, retryAfterSeconds: 90)
            #expect(await engine.syncNow() == .failed(refusal))
            server.forgetRequests()
            try home.save("mail", "one")
            home.clock.advance(seconds: 80)
            home.device.news.raise()
            // Long enough for an unwanted request to show.
            for _ in 0..<200 { _ = try await engine.status() }
            #expect(!server.hasHeard("/v1/changes"))
            // Jitter adds up to a half.
            home.clock.advance(seconds: 60)
            home.device.news.raise()
            await server.request(to: "/v1/changes")
            await server.request(to: "/v1/batches")
        }
    }

    @Test
    func `a sync and the status report a server that refuses every write`() async throws {
        try await withEngine { engine, _ in
            server.refusePushes(.generationClosed)
            try home.save("mail", "one")
            #expect(await engine.syncNow() == .failed(.refused(.generationClosed)))
            #expect(try await engine.status().lastError == .refused(.generationClosed))
            server.refusePushes(nil)
            #expect(await engine.syncNow() == .synced)
            #expect(try await engine.status().lastError == nil)
        }
    }

    @Test
    func `a page that does not move the cursor is refused`() async throws {
        try await withEngine { engine, _ in
            server.answerPulls(.standstill, .standstill, .standstill)
            #expect(await engine.syncNow() == .failed(.contradictory(.standstill)))
            // It waits, as after any other failure.
            let status = try await engine.status()
            #expect(status.lastError == .contradictory(.standstill))
            #expect(await engine.syncNow() == .failed(.contradictory(.standstill)))
        }
    }

    @Test
    func `a sync reports edits that cannot be sent`() async throws {
        try await withEngine { engine, _ in
            _ = await engine.syncNow()
            // In one transaction: the engine wakes after the commit.
            try home.keychain.write { database in
                try home.keychain.add(
                    ReplicaHome.item("mail", "one"),
                    access: .all(defaultGroup: ReplicaHome.group),
                    in: database
                )
                try database.execute(sql: "UPDATE outbox SET blocked = 'too_large'")
            }
            let open = OpenRecords(
                blocked: [.init(record: home.recordID("mail"), reason: .tooLarge)],
                quarantined: []
            )
            #expect(await engine.syncNow() == .open(open))
        }
    }

    private static let brokenState = """
        CREATE TRIGGER broken BEFORE INSERT ON sync_state
        BEGIN SELECT RAISE(ABORT, 'broken'); END
        """

    @Test
    func `a sync reports a database that fails, and works again once it works`() async throws {
        try await withEngine { engine, _ in
            try home.execute(Self.brokenState)
            // A pull that brings nothing is noted once an hour.
            home.clock.advance(seconds: 3601)
            guard case .databaseFailed = await engine.syncNow() else {
                Issue.record("the sync did not fail")
                return
            }
            #expect(try await engine.status().trouble != nil)
            try home.execute("DROP TRIGGER broken")
            #expect(await engine.syncNow() == .synced)
            #expect(try await engine.status().trouble == nil)
        }
    }

    @Test
    func `after a step that failed once, a new replica goes on, and nobody notices`()
        async throws
    {
        try home.execute(Self.brokenState)
        let database = home.database
        let engine = try home.engine(over: server) {
            try database.write { try $0.execute(sql: "DROP TRIGGER IF EXISTS broken") }
        }
        let running = Task { await engine.run() }
        try home.save("wifi", "one")
        #expect(await engine.syncNow() == .synced)
        let status = try await engine.status()
        #expect(status.trouble == nil && status.counts.unsent == 0)
        #expect(status.report.pushedRecords == 1)
        running.cancel()
        await running.value
    }

    // MARK: The end

    @Test
    func `a stopped engine completes syncs that began before or after the stop`() async throws {
        try await withEngine { engine, running in
            server.answerPulls(.silence)
            server.forgetRequests()
            async let outcome = engine.syncNow()
            await server.request(to: "/v1/changes")
            running.cancel()
            #expect(await outcome == .stopped)
            await running.value
            #expect(await engine.syncNow() == .stopped)
        }
    }

    @Test
    func `a signal that is raised before the wait is not lost`() async {
        let signal = Signal()
        signal.raise()
        signal.raise()
        await signal.wait()
    }
}

/// A server with one answer.
private struct OneAnswer: Transport {
    private let response: TransportResponse

    init(_ status: Int, _ body: String) {
        response = TransportResponse(status: status, body: Array(body.utf8))
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        response
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }
}
