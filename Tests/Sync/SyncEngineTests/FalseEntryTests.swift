import KSRecords
import KSSealing
import KSTransport
import Testing

import KSSyncEngine

/// The engine repairs a circle whose newest entry has false key envelopes.
@Suite(.timeLimit(.minutes(10)))
struct FalseEntryTests {
    private let home: ReplicaHome
    private let server: CircleServer

    init() throws {
        let account = try ReplicaAccount()
        home = try ReplicaHome(account)
        server = try CircleServer(account)
    }

    /// Which of the account's devices are marked as authors of false keys.
    private func marks(_ engine: SyncEngine) async throws -> [Bool] {
        try await engine.withReplica { $0.devices().map(\.hasSignedFalseKeys) }
    }

    @Test
    func `a device that has signed false keys is shown and removed`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry()
            #expect(await engine.syncNow() == .failed(.circleRefused(.envelopesForged)))
            #expect(try await marks(engine) == [false, false])
            await engine.proveFalseEntry()
            #expect(try await marks(engine) == [false, true])
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(await engine.syncNow() == .synced)
            #expect(try await engine.withReplica { $0.devices().map(\.name) } == ["first"])
            #expect(home.device.keys.keyRing.generations == [1, 3])
            #expect(try home.replica.state().circleVersion == 5)
            try home.save("wifi", "one")
            #expect(await engine.syncNow() == .synced)
        }
    }

    @Test
    func `a false entry that removes no device is repaired in the same way`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry(adding: true)
            #expect(await engine.syncNow() == .failed(.circleRefused(.envelopesForged)))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(await engine.syncNow() == .synced)
            #expect(home.device.keys.keyRing.generations == [1, 2])
            // What the thief added is removed like any other device.
            #expect(try await marks(engine) == [false, false])
            let devices = try await engine.withReplica { $0.devices() }
            #expect(try await engine.revoke([devices[1].id]) == nil)
            #expect(home.device.keys.keyRing.generations == [1, 2, 3])
        }
    }

    @Test
    func `the author of false keys must be among those that are removed`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry(adding: true)
            _ = await engine.syncNow()
            let added = try #require(
                try await engine.withReplica { $0.devices() }.first { $0.name == "added" }
            )
            await #expect(throws: RevocationFailure.falseEntryRemains) {
                try await engine.revoke([added.id])
            }
            #expect(try await engine.revoke([added.id, server.lost]) == nil)
            #expect(try await engine.withReplica { $0.devices().map(\.name) } == ["first"])
        }
    }

    @Test
    func `a server that shows other envelopes proves nothing against a device`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry()
            server.damageEnvelopes()
            for _ in 0..<2 {
                await #expect(throws: RevocationFailure.falsenessUnproven) {
                    try await engine.revoke([server.lost])
                }
            }
            #expect(server.entryCount == 0)
            #expect(try home.replica.state().circleVersion == 2)
        }
    }

    @Test
    func `a server that damages good envelopes gets no device removed`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry(isFalse: false)
            server.damageEnvelopes()
            #expect(await engine.syncNow() == .failed(.circleRefused(.envelopesForged)))
            await engine.proveFalseEntry()
            #expect(try await marks(engine) == [false, false])
            await #expect(throws: RevocationFailure.falsenessUnproven) {
                try await engine.revoke([server.lost])
            }
            server.repairEnvelopes()
            #expect(await engine.syncNow() == .synced)
            #expect(home.device.keys.keyRing.generations == [1, 2])
        }
    }

    /// To skip a generation that others have may lose its records.
    @Test
    func `a device that has missed a generation before the false one does not call it void`()
        async throws
    {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry(isFalse: false)
            try server.addFalseEntry()
            await #expect(throws: RevocationFailure.keysMissing) {
                try await engine.revoke([server.lost])
            }
            #expect(server.entryCount == 0)
        }
    }

    /// It stores good envelopes afterwards, so that only a login would find the false ones.
    @Test
    func `a false entry that began a generation is found behind a good one`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry()
            try server.addGoodEntry()
            #expect(await engine.syncNow() == .failed(.circleRefused(.envelopesForged)))
            await engine.proveFalseEntry()
            #expect(try await marks(engine).contains(true))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(await engine.syncNow() == .synced)
            #expect(home.device.keys.keyRing.generations == [1, 3])
        }
    }

    @Test
    func `a removal whose answer was lost before the server took it is no success`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry()
            server.answerEntries(.lost(isTaken: false))
            await #expect(throws: ServerError.transport(.timedOut)) {
                try await engine.revoke([server.lost])
            }
            server.answerEntries(.lost(isTaken: true))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(home.device.keys.keyRing.generations == [1, 3])
        }
    }
}
