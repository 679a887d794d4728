import Foundation
import GRDB
import KSRecords
import Testing
import KSTransport
import KSWire

@testable import SyncEngine

/// What carries a replica's requests: sessions, events, failures and the end.
@Suite(.timeLimit(.minutes(10)))
struct EngineTests {
    private let home: ReplicaHome
    private let server: EngineServer

    init() throws {
        home = try ReplicaHome(try ReplicaAccount())
        server = EngineServer(home.account, clock: home.clock)
    }

    /// Runs an engine for as long as the test takes, from its first sync on.
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

    // MARK: Sessions

    @Test
    func `a session that the server does not know any more is opened anew`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            server.endSessions()
            #expect(await engine.syncNow() == .synced)
        }
    }

    @Test
    func `a session is not used when its time is over`() async throws {
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

    // MARK: Events

    @Test
    func `events are listened to with another session when one is refused`() async throws {
        // The first request and the first stream may open a session each.
        server.refuseStreams(ofSessionsUpTo: 2)
        try await withEngine { _, _ in await server.nextStream() }
    }

    @Test
    func `what an event tells of is asked for, also when it cannot be read`() async throws {
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
                #expect(status.isListening)
                #expect(await engine.syncNow() == .synced)
            }
        }
    }

    @Test
    func `what was changed here goes up without being asked for`() async throws {
        try await withEngine { engine, _ in
            try home.save("mail", "one")
            engine.noticeLocalChange()
            await server.request(to: "/v1/batches")
            #expect(await engine.syncNow() == .synced)
            #expect(try await engine.status().unsent == 0)
        }
    }

    // MARK: Failures

    @Test
    func `whoever waits hears of what comes after the first answer too`() async throws {
        try await withEngine { engine, _ in
            server.answerPulls(.firstOfTwoPages, .failure)
            #expect(await engine.syncNow() == .failed(.unreadable(status: 500)))
            let failed = try await engine.status()
            #expect(failed.lastError == .unreadable(status: 500))
            #expect(await engine.syncNow() == .synced)
            let mended = try await engine.status()
            #expect(mended.lastError == nil)
        }
    }

    @Test
    func `a server that asks to be left alone is, until its time is over`() async throws {
        try await withEngine { engine, _ in
            await server.nextStream()
            server.answerPulls(.busy(seconds: 90))
            let refusal = ServerError.refused(.unavailable, retryAfterSeconds: 90)
            #expect(await engine.syncNow() == .failed(refusal))
            server.forgetRequests()
            try home.save("mail", "one")
            home.clock.advance(seconds: 80)
            engine.noticeLocalChange()
            // Long enough for a request that should not be.
            for _ in 0..<200 { _ = try await engine.status() }
            #expect(!server.hasHeard("/v1/changes"))
            // Up to a half more than it says.
            home.clock.advance(seconds: 60)
            engine.noticeLocalChange()
            await server.request(to: "/v1/changes")
            await server.request(to: "/v1/batches")
        }
    }

    @Test
    func `whoever waits hears of a server that takes no write, and so does the status`()
        async throws
    {
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
    func `a page that says there is more and leads no further is no answer`() async throws {
        try await withEngine { engine, _ in
            server.answerPulls(.standstill, .standstill, .standstill)
            #expect(await engine.syncNow() == .failed(.contradictory(.standstill)))
            // It waits, like after any other failure.
            let status = try await engine.status()
            #expect(status.lastError == .contradictory(.standstill))
            #expect(await engine.syncNow() == .failed(.contradictory(.standstill)))
        }
    }

    @Test
    func `whoever waits hears of changes that cannot be sent`() async throws {
        try await withEngine { engine, _ in
            // From here on it sends nothing that it is not asked for.
            _ = await engine.syncNow()
            try home.save("mail", "one")
            try home.execute("UPDATE outbox SET set_aside = 'too_large'")
            let open = OpenRecords(
                setAside: [.init(record: home.recordID("mail"), reason: .tooLarge)],
                quarantined: []
            )
            #expect(await engine.syncNow() == .open(open))
        }
    }

    @Test
    func `a disk that is full is told of, and sync goes on when it is not`() async throws {
        try await withEngine { engine, _ in
            try await home.database.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER full BEFORE INSERT ON sync_state
                        BEGIN SELECT RAISE(ABORT, 'full'); END
                        """
                )
            }
            #expect(await engine.syncNow() == .databaseFailed)
            try await home.database.write { try $0.execute(sql: "DROP TRIGGER full") }
            #expect(await engine.syncNow() == .synced)
        }
    }

    // MARK: The end

    @Test
    func `whoever waits for a sync is told when it is stopped, before and after`() async throws {
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
    func `a signal is not lost when nobody waits yet`() async {
        let signal = Signal()
        signal.raise()
        signal.raise()
        await signal.wait()
    }
}
