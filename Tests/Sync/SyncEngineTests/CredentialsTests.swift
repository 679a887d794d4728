import KSPrimitives
import KSRecords
import KSSealing
import KSTransport
import Testing

import KSSyncEngine

/// The engine replaces the account's credentials: what the server and the network may do meanwhile.
@Suite(.timeLimit(.minutes(10)))
struct CredentialsTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome
    private let server: CircleServer

    init() throws {
        account = try ReplicaAccount()
        home = try ReplicaHome(account)
        server = try CircleServer(account)
    }

    /// `old`: the present password.
    private func change(
        from old: String = ReplicaAccount.password,
        to new: String = "another password"
    ) throws -> CredentialsChange {
        try CredentialsChange(
            from: (Array(old.utf8), account.accountKey),
            to: (Array(new.utf8), account.accountKey),
            cost: .simulation
        )
    }

    private func replace(
        _ credentials: CredentialsChange? = nil,
        _ body: (SyncEngine, CredentialsChange) async throws -> Void
    ) async throws {
        let credentials = try credentials ?? change()
        try await home.running(over: server) { engine in try await body(engine, credentials) }
    }

    private func expectReplaced(
        _ engine: SyncEngine,
        _ credentials: CredentialsChange
    ) async throws {
        let members = try await engine.withReplica { $0.circle.newest.members }
        #expect(members.filter { $0.kind == .credentials }.map(\.id) == [credentials.new.memberID])
        #expect(members.count { $0.kind == .device } == 2)
        #expect(home.device.keys.keyRing.generations == [1, 2])
    }

    @Test
    func `the new credentials begin a key generation, and all devices stay`() async throws {
        try await replace { engine, credentials in
            #expect(try await engine.replaceCredentials(credentials) == nil)
            try await expectReplaced(engine, credentials)
            // They are there: there is nothing to do.
            #expect(try await engine.replaceCredentials(credentials) == nil)
            #expect(server.version == 3)
        }
    }

    @Test
    func `a lost answer counts as success once the server shows the entry`() async throws {
        try await replace { engine, credentials in
            server.answerEntries(.lost(isTaken: true))
            #expect(try await engine.replaceCredentials(credentials) == nil)
            try await expectReplaced(engine, credentials)
        }
    }

    @Test
    func `an entry that did not arrive is an error, and changes nothing`() async throws {
        try await replace { engine, credentials in
            server.answerEntries(.lost(isTaken: false))
            await #expect(throws: ServerError.transport(.timedOut)) {
                try await engine.replaceCredentials(credentials)
            }
            #expect(server.version == 2)
            #expect(home.device.keys.keyRing.generations == [1])
            #expect(try await engine.replaceCredentials(credentials) == nil)
            try await expectReplaced(engine, credentials)
        }
    }

    @Test
    func `while others write, the entry is made again`() async throws {
        try await replace { (engine: SyncEngine, credentials: CredentialsChange) async throws in
            server.answerEntries(.changed, .changed, .changed)
            #expect(try await engine.replaceCredentials(credentials) == nil)
            #expect(server.entryCount == 4)
        }
    }

    @Test
    func `credentials that are not the account's replace nothing`() async throws {
        try await replace(try change(from: "a wrong password")) { engine, credentials in
            await #expect(throws: AccountSetupError.credentialsRefused) {
                try await engine.replaceCredentials(credentials)
            }
            #expect(server.entryCount == 0)
            // Nor do those that another change has replaced.
            let (first, second) = (try change(to: "the first"), try change(to: "the second"))
            #expect(try await engine.replaceCredentials(first) == nil)
            await #expect(throws: AccountSetupError.credentialsRefused) {
                try await engine.replaceCredentials(second)
            }
        }
    }

    /// A thief with one unlocked device knows the Account Key, and not the password.
    @Test
    func `without the old credentials' signature the entry is refused`() async throws {
        try await replace { engine, credentials in
            let thief = try CredentialsChange(
                from: (Array("guessed".utf8), account.accountKey),
                to: (Array("a thief's".utf8), account.accountKey),
                cost: .simulation
            )
            await #expect(throws: SealingError.self) {
                try await engine.withReplica { _ = try $0.replacement(of: thief) }
            }
            #expect(try await engine.replaceCredentials(credentials) == nil)
        }
    }

    @Test
    func `while sync cannot verify the circle, nothing is replaced`() async throws {
        try await replace { engine, credentials in
            try server.addFalseEntry()
            let outcome = try await engine.replaceCredentials(credentials)
            #expect(outcome == .failed(.circleRefused(.envelopesForged)))
            #expect(server.entryCount == 0)
        }
    }
}
