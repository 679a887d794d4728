import KSDigests
import Foundation
import GRDB
import KSKeychain
import KSKeychainRecords
import KSPrimitives
import KSRecords
import KSSealing
import SwiftProtobuf
import Synchronization
import KSTestSupport
import Testing
import KSTransport
import KSWire

import SyncEngine

/// A device keeps its sign-up, whatever happens.
struct SignUpTests {
    private static let password = Array("a long enough password".utf8)
    private static let origin = "https://sync.example.org"

    private let server = SignUpServer()
    private let home: Home

    init() throws {
        home = try Home()
    }

    private func setup(account: String = "ada") throws -> AccountSetup {
        try AccountSetup(
            client: ServerClient(transport: server, origin: Self.origin),
            server: ServerEndpoint(origin: Self.origin),
            names: EnrolledNames(account: account, device: "laptop"),
            random: SystemRandomSource(),
            cost: .simulation
        )
    }

    @Test
    func `a sign-up whose answer is lost is sent again, with the same keys`() async throws {
        server.behaviour = .takesAndIsSilent
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        let accountKey = try #require(try await home.signUpDrafts().first).accountKey
        server.behaviour = .takes
        let enrollment = try await setup().signUp(password: Self.password, drafts: home)
        #expect(enrollment.accountKey.bytes == accountKey.bytes)
        #expect(Set(server.requests.map(\.account)).count == 1)
        #expect(Set(server.requests.map(\.entry.signedBytes)).count == 1)
    }

    @Test
    func `a device that dies after the server's yes still has the keys`() async throws {
        let first = try await setup().signUp(password: Self.password, drafts: home)
        // Here the process ends, or the disk is full, before the device has saved anything of it.
        let again = try await setup().signUp(password: Self.password, drafts: home)
        #expect(again.accountKey.bytes == first.accountKey.bytes)
        #expect(again.account == first.account)
        #expect(again.identity.memberID == first.identity.memberID)

        try home.save(again)
        #expect(try await home.signUpDrafts().isEmpty)
    }

    @Test
    func `a sign-up that could not be saved is not sent`() async throws {
        let full = FullDisk()
        await #expect(throws: FullDisk.Failure.self) {
            try await setup().signUp(password: Self.password, drafts: full)
        }
        #expect(server.requests.isEmpty)
    }

    @Test
    func `a refused sign-up leaves no draft`() async throws {
        server.behaviour = .refuses(.nameTaken)
        await #expect(throws: ServerError.refused(.nameTaken)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        #expect(try await home.signUpDrafts().isEmpty)
    }

    @Test
    func `a draft stays after an error of the server, which may have accepted it`() async throws {
        server.behaviour = .refuses(.storageFailed)
        await #expect(throws: ServerError.refused(.storageFailed)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        #expect(try await home.signUpDrafts().count == 1)
    }

    @Test
    func `a sign-up with another password keeps the draft of an earlier one`() async throws {
        server.behaviour = .takesAndIsSilent
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        server.behaviour = .takes
        await #expect(throws: AccountSetupError.unfinishedSignUp) {
            try await setup().signUp(password: Array("another password".utf8), drafts: home)
        }
        let kept = try #require(try await home.signUpDrafts().first)
        let enrollment = try await setup().signUp(password: Self.password, drafts: home)
        #expect(enrollment.accountKey.bytes == kept.accountKey.bytes)
    }

    @Test
    func `a sign-up under another name has a draft of its own`() async throws {
        server.behaviour = .takesAndIsSilent
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        server.behaviour = .takes
        let other = try await setup(account: "grace").signUp(
            password: Self.password,
            drafts: home
        )
        #expect(try await home.signUpDrafts().map(\.names.account) == ["ada", "grace"])
        #expect(server.requests.last?.name == "grace")
        #expect(Array(server.requests.last?.account ?? Data()) == other.account.bytes)
    }
}

/// A server that handles sign-ups only.
private final class SignUpServer: Transport {
    enum Behaviour {
        case takes
        case takesAndIsSilent
        case refuses(ErrorCode)
    }

    private struct State {
        var behaviour = Behaviour.takes
        var requests: [WireSignupRequest] = []
        var entries: [String: WireSignupRequest] = [:]
    }

    private let state = Mutex(State())

    var behaviour: Behaviour {
        get { state.withLock(\.behaviour) }
        set { state.withLock { $0.behaviour = newValue } }
    }

    var requests: [WireSignupRequest] { state.withLock(\.requests) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // Nothing else is sent in these tests.
        guard let signUp = try? WireSignupRequest(serializedBytes: request.body) else {
            return TransportResponse(status: 400)
        }
        let (behaviour, code) = state.withLock { state -> (Behaviour, ErrorCode?) in
            state.requests.append(signUp)
            if case .refuses(let code) = state.behaviour { return (state.behaviour, code) }
            let taken = state.entries[signUp.name]
            if let taken, taken.entry != signUp.entry { return (state.behaviour, .nameTaken) }
            state.entries[signUp.name] = signUp
            return (state.behaviour, nil)
        }
        if case .takesAndIsSilent = behaviour { throw .timedOut }
        if let code {
            return TransportResponse(
                status: 409,
                body: Array(#"{"code":"\#(code.rawValue)"}"#.utf8)
            )
        }
        var answer = WireSignupResponse()
        answer.epoch = Data(repeating: 7, count: 16)
        return TransportResponse(status: 200, body: ServerClient.encode(answer))
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }
}

/// The database and the keys of a device without an account.
private struct Home: SignUpDraftKeeping {
    private let database: DatabaseQueue
    private let keys: LocalKeyFile
    private let random = SystemRandomSource()

    init() throws {
        database = try KeychainDatabase.openInMemory()
        try SyncSchema.schema.apply(to: database)
        keys = try LocalKeyFile.open(storage: MemoryKeyFiles(), random: random, mayCreate: true)
    }

    private var rows: SealedRows {
        SealedRows(cipher: keys.rowCipher(random: random), random: random)
    }

    func signUpDrafts() async throws -> [SignUpDraft] {
        try SignUpDraft.load(from: database, rows: rows)
    }

    func replaceSignUpDrafts(_ drafts: [SignUpDraft]) async throws {
        try SignUpDraft.replace(drafts, in: database, rows: rows)
    }

    func save(_ enrollment: Enrollment) throws {
        try enrollment.save(
            in: database,
            stores: [
                SyncedKeychain(
                    Keychain(
                        database: database,
                        sealing: LocalRowSealing(keys, random: random),
                        clock: { 0 },
                        random: random
                    )
                )
            ],
            rows: rows,
            clock: { 0 },
            random: random
        )
    }
}

/// A disk that refuses every write.
private struct FullDisk: SignUpDraftKeeping {
    struct Failure: Error {}

    func signUpDrafts() async throws -> [SignUpDraft] { [] }
    func replaceSignUpDrafts(_ drafts: [SignUpDraft]) async throws { throw Failure() }
}
