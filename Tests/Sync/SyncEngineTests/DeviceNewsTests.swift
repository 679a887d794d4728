import KSRecords
import KSSyncEngine
import Testing

/// Devices that others have added or removed, until the user has looked.
@Suite(.timeLimit(.minutes(10)))
struct DeviceNewsTests {
    private let home: ReplicaHome
    private let server: CircleServer

    init() throws {
        let account = try ReplicaAccount()
        home = try ReplicaHome(account)
        server = try CircleServer(account)
    }

    private func news(_ engine: SyncEngine) async throws -> [String] {
        try await engine.withReplica {
            try $0.deviceNews().map { "\($0.change) \($0.device.name ?? "")" }
        }
    }

    private func look(_ engine: SyncEngine, at ids: Set<MemberID>? = nil) async throws {
        try await engine.withReplica {
            try $0.noteSeen(ids ?? Set($0.devices().map(\.id)))
        }
    }

    @Test
    func `what others do to the list is news until it was seen`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            // This device has added that one itself.
            #expect(try await news(engine).isEmpty)
            try server.addGoodEntry()
            #expect(await engine.syncNow() == .synced)
            #expect(try await news(engine) == ["added added"])
            // Another list than the present one was seen.
            try await look(engine, at: [server.lost])
            #expect(try await news(engine) == ["added added"])
            try await look(engine)
            #expect(try await news(engine).isEmpty)
            // A device that is gone again was there nevertheless.
            try server.addFalseEntry(isFalse: false)
            #expect(await engine.syncNow() == .synced)
            #expect(try await news(engine) == ["added added", "removed added"])
        }
        // It is on the disk.
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            #expect(try await news(engine) == ["added added", "removed added"])
            try await look(engine)
            // What this device does is no news.
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await news(engine).isEmpty)
        }
    }

    @Test
    func `a damaged note of what was seen shows the changes again`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addGoodEntry()
            #expect(await engine.syncNow() == .synced)
            try await look(engine)
            try home.execute(
                "UPDATE account_value SET value = zeroblob(60) WHERE name = 'seen circle'"
            )
            #expect(try await news(engine) == ["added added"])
        }
    }
}
