import GRDB
import KSSyncEngine
import KSTransport
import KSWire
import Testing

/// Servers that may not take the place of the present one.
@Suite(.timeLimit(.minutes(10)))
struct ServerMoveTests {
    private let account: ReplicaAccount

    init() throws {
        account = try ReplicaAccount()
    }

    private func move(of home: ReplicaHome) throws -> ServerMove {
        try home.database.read { try ServerMove(of: home.device, in: $0) }
    }

    private func client(_ server: any Transport) -> ServerClient {
        ServerClient(transport: server, origin: "https://sync.example.org")
    }

    @Test
    func `a server with another list of devices is refused, a shorter or longer one is not`()
        async throws
    {
        let home = try ReplicaHome(account)
        let present = try CircleServer(account)
        try present.addGoodEntry()
        try await home.running(over: present) { (_: SyncEngine) async throws in }
        let move = try move(of: home)
        #expect(move.deviceCount == 3)

        let other = try CircleServer(account)
        // It lacks the newest entry, as after a restore.
        #expect(try await !move.check(client(other)))
        try other.addGoodEntry()
        #expect(try await move.check(client(other)))
        other.forgetNewest()
        try other.addGoodEntry()
        await #expect(throws: ServerMoveError.otherCircle) {
            try await move.check(client(other))
        }
        present.forgetNewest()
        try present.addGoodEntry()
        await #expect(throws: ServerMoveError.otherCircle) {
            try await move.check(client(present))
        }
    }

    @Test
    func `a device without all keys cannot give a server the account back`() async throws {
        let server = EngineServer(account)
        server.refuseSessions(true)
        server.refuseReturns(.accountUnknown)
        let lacking = try move(of: ReplicaHome(account))
        await #expect(throws: ServerMoveError.incomplete) {
            try await lacking.check(client(server))
        }
        await #expect(throws: ServerMoveError.incomplete) {
            try await lacking.rebuild(client(server), invitation: "")
        }
        #expect(!server.hasHeard("/v1/circle/return"))

        // A device that has all of it learns what the server says.
        let whole = try move(of: ReplicaHome(account, keepsCircle: true))
        await #expect(throws: ServerMoveError.noAccount) {
            try await whole.check(client(server))
        }
        server.refuseReturns(.refused)
        await #expect(throws: ServerMoveError.unknownDevice) {
            try await whole.check(client(server))
        }
    }
}
