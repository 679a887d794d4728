import Testing
import KSWire

import KSSyncEngine

/// A server refuses a device that was removed, and also one whose account it has lost.
///
/// Only its answer to a circle that is put back tells the two apart.
@Suite(.timeLimit(.minutes(10)))
struct RefusedDeviceTests {
    private let home: ReplicaHome
    private let server: EngineServer

    init() throws {
        home = try ReplicaHome(try ReplicaAccount(), keepsCircle: true)
        server = EngineServer(home.account)
    }

    private func withEngine(_ body: (SyncEngine) async throws -> Void) async throws {
        let engine = try home.engine(over: server)
        let running = Task { await engine.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(engine))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await running.value
        try result.get()
    }

    @Test
    func `the first sync with an emptied server says that it lost the account`() async throws {
        server.refuseSessions(true)
        server.refuseReturns(.accountUnknown)
        try await withEngine { (engine) async throws in
            for _ in 0..<3 {
                #expect(await engine.syncNow() == .failed(.refused(.accountUnknown)))
                let status = try await engine.status()
                #expect(status.refusal == .account)
                #expect(status.lastError == .refused(.accountUnknown))
            }
        }
        // The device starts again, and its events are refused before anything is sent.
        try home.restart()
        try await withEngine { (engine) async throws in
            #expect(await engine.syncNow() == .failed(.refused(.accountUnknown)))
        }
    }

    @Test
    func `a device that is removed right after it has opened a session learns it`() async throws {
        try await withEngine { (engine) async throws in
            await server.nextStream()
            #expect(await engine.syncNow() == .synced)
            server.removeAfterNextSession()
            #expect(await engine.syncNow() == .failed(.refused(.refused)))
        }
    }

    @Test(arguments: [Refusal.account, .device])
    func `an idle device learns from its events alone why it is refused`(
        refusal: Refusal
    ) async throws {
        // A removed device is not in the newest list.
        server.refuseReturns(refusal == .account ? .accountUnknown : .circleChanged)
        try await withEngine { (engine) async throws in
            #expect(await engine.syncNow() == .synced)
            await server.nextStream()
            server.forgetRequests()
            server.refuseSessions(true)
            server.endStream()
            var status = try await engine.status()
            while status.refusal == nil {
                #expect(status.lastError == nil && status.refusedSinceMilliseconds == nil)
                try await Task.sleep(for: .milliseconds(1))
                status = try await engine.status()
            }
            #expect(status.refusal == refusal)
            #expect(
                status.lastError == .refused(refusal == .account ? .accountUnknown : .refused)
            )
            #expect(server.hasHeard("/v1/circle/return"))
            #expect(!server.hasHeard("/v1/changes"))
        }
        try home.restart()
        #expect(home.replica.refusal == refusal)
    }

    private enum Asked: Equatable {
        case pull
        case returnCircle
        case other
        case nothing
    }

    /// Answers the next request, and returns what it asked.
    private func answer(_ answer: SyncAnswer) throws -> Asked {
        guard case .send(let request) = try home.replica.nextRequest() else { return .nothing }
        try home.replica.receive(answer, to: request)
        switch request.request {
        case .pull: return .pull
        case .returnCircle: return .returnCircle
        default: return .other
        }
    }

    @Test
    func `a question without an answer is asked again, and an answer counts for minutes`() throws {
        for unanswered in [SyncAnswer.failed, .refused(.unavailable, records: [])] {
            #expect(try answer(.refused(.refused, records: [])) == .pull)
            #expect(try answer(unanswered) == .returnCircle)
            home.clock.advance(seconds: 100)
        }
        #expect(try answer(.refused(.refused, records: [])) == .pull)
        #expect(try answer(.refused(.refused, records: [])) == .returnCircle)
        home.clock.advance(seconds: 100)
        #expect(try answer(.refused(.refused, records: [])) == .pull)
        #expect(try answer(.failed) == .nothing)
        home.clock.advance(seconds: 300)
        #expect(try answer(.refused(.refused, records: [])) == .pull)
        #expect(try answer(.refused(.refused, records: [])) == .returnCircle)
    }

    /// `answer`: what the server says to a circle that is put back and that it has, or a newer one.
    @Test(arguments: [ErrorCode.refused, .circleChanged])
    func `a removed device is not taken for one of a lost account, nor the reverse`(
        answer: ErrorCode
    ) async throws {
        server.refuseSessions(true)
        try await withEngine { (engine) async throws in
            #expect(await engine.syncNow() == .failed(.refused(.refused)))
            #expect(try await engine.status().refusal == .device)
            // The server is emptied.
            server.refuseReturns(.accountUnknown)
            #expect(await engine.syncNow() == .failed(.refused(.accountUnknown)))
            // The account is there again, without this device.
            server.refuseReturns(answer)
            #expect(await engine.syncNow() == .failed(.refused(.refused)))
            #expect(try await engine.status().refusal == .device)
        }
    }
}
