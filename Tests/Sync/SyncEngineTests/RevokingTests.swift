import KSDeviceKeys
import GRDB
import KSRecords
import KSSealing
import KSTransport
import KSWire
import Testing

import KSSyncEngine

/// The engine removes a device: what the server and the network may do meanwhile.
@Suite(.timeLimit(.minutes(10)))
struct RevokingTests {
    private let home: ReplicaHome
    private let server: CircleServer

    init() throws {
        let account = try ReplicaAccount()
        home = try ReplicaHome(account)
        server = try CircleServer(account)
    }

    private func withEngine(_ body: (SyncEngine) async throws -> Void) async throws {
        try await home.running(over: server, body)
    }

    /// The names of the account's devices, as this device knows them.
    private func names(_ engine: SyncEngine) async throws -> [String?] {
        try await engine.withReplica { $0.devices().map(\.name) }
    }

    @Test
    func `a device is removed, and this one has the new keys at once`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            #expect(try await names(engine) == ["first", "lost"])
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await names(engine) == ["first"])
            #expect(home.device.keys.keyRing.generations == [1, 2])
            // It is gone: there is nothing to do.
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(server.version == 3)
        }
    }

    @Test
    func `a lost answer counts as success once the server shows the entry`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.lost(isTaken: true))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await names(engine) == ["first"])
            #expect(home.device.keys.keyRing.generations == [1, 2])
        }
    }

    @Test
    func `an entry that did not arrive is an error, and changes nothing`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.lost(isTaken: false))
            await #expect(throws: ServerError.transport(.timedOut)) {
                try await engine.revoke([server.lost])
            }
            #expect(try await names(engine) == ["first", "lost"])
            #expect(home.device.keys.keyRing.generations == [1])
            #expect(try await engine.revoke([server.lost]) == nil)
        }
    }

    @Test(arguments: AlteredServer.foreignAnswers)
    func `an answer of another service in the middle changes nothing`(
        answer: TransportResponse
    ) async throws {
        let altered = AlteredServer(server)
        try await home.running(over: altered) { (engine: SyncEngine) async throws in
            // The device looks whether the server's circle is older than its own.
            server.answerEntries(.changed)
            altered.answer("/v1/circle/entry", answer)
            await #expect(throws: ServerError.unreadable(status: 200)) {
                try await engine.revoke([server.lost])
            }
            #expect(try await names(engine) == ["first", "lost"])
            #expect(home.device.keys.keyRing.generations == [1])
            altered.answer("/v1/circle/entry", nil)
            #expect(try await engine.revoke([server.lost]) == nil)
        }
    }

    /// A thief may have filled the account.
    @Test
    func `a device that cannot send its own changes removes others all the same`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.records.refusePushes(.quotaExceeded)
            try home.save("wifi", "one")
            #expect(await engine.syncNow() == .failed(.refused(.quotaExceeded)))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await names(engine) == ["first"])
        }
    }

    @Test
    func `while others write, the entry is made again`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.changed, .changed, .changed)
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(server.entryCount == 4)
        }
    }

    /// Both entries were on their way, and the other one came first.
    @Test
    func `a device that another one removes meanwhile learns it`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.removed)
            await #expect(throws: ServerError.refused(.refused)) {
                try await engine.revoke([server.lost])
            }
        }
    }

    @Test
    func `others that never stop writing end it, and nothing was changed`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(Array(repeating: .changed, count: 100))
            await #expect(throws: RevocationFailure.busy) { try await engine.revoke([server.lost]) }
            #expect(try await names(engine) == ["first", "lost"])
        }
    }

    private func pause(_ hold: SyncState.Hold) async throws {
        try await home.database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            state.hold = hold
            try SyncStateTable.save(state, in: database)
        }
    }

    @Test
    func `a device that was shown another circle removes nobody`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            try await pause(.circleForked)
            #expect(try await engine.revoke([server.lost]) == .held(.circleForked))
            #expect(server.entryCount == 0)
        }
    }

    @Test
    func `a server that shows an older circle is found out`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.forgetNewest()
            server.answerEntries(.changed)
            await #expect(throws: RevocationFailure.circleIsOlder) {
                try await engine.revoke([server.lost])
            }
        }
    }

    @Test
    func `a locked device removes nobody`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            home.keys.lock()
            home.device.keys.lock()
            await #expect(throws: SealingError.classLocked(.whenUnlocked)) {
                try await engine.revoke([server.lost])
            }
            #expect(server.entryCount == 0)
        }
    }
}
