import KSSealing
import KSDigests
import Foundation
import GRDB
import KSKeychain
import KSKeychainRecords
import KSPrimitives
import KSRecords
import KSDeviceKeys
import SwiftProtobuf
import Synchronization
import KSTestSupport
import Testing
import KSTransport
import KSWire

import KSSyncEngine

/// A device keeps its sign-up, whatever happens.
struct SignUpTests {
    private static let password = Array("a long enough password".utf8)
    private static let origin = "https://sync.example.org"

    private let server = SignUpServer()
    private let home: Home
    private let seen = SeenDrafts()

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
        // Here the process ends, or the disk is full, before the device has stored anything of it.
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

    /// An earlier version of one of the two may have accepted it, and a later one may.
    @Test(arguments: [ErrorCode.clientTooOld, .serverTooOld])
    func `a draft stays when the two programs do not fit together`(code: ErrorCode) async throws {
        server.behaviour = .refuses(code)
        await #expect(throws: ServerError.refused(code)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        #expect(try home.drafts().map(\.wasSent) == [true])
    }

    @Test
    func `a draft says that it was sent before its request goes out`() async throws {
        server.whenAsked = { [home, seen] in seen.note(try home.drafts()) }
        _ = try await setup().prepareSignUp(password: Self.password, drafts: home)
        #expect(try home.drafts().map(\.wasSent) == [false])
        _ = try await setup().signUp(password: Self.password, drafts: home)
        #expect(seen.wereSent == [true])
    }

    @Test
    func `a sign-up that never reached a server leaves a draft that was not sent`() async throws {
        server.behaviour = .isNotThere
        await #expect(throws: ServerError.transport(.outOfReach(code: 7))) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        #expect(server.attemptCount == 3)
        let draft = try #require(try home.drafts().first)
        #expect(!draft.wasSent)
        // The same command continues with the same key.
        server.behaviour = .takes
        let enrollment = try await setup().signUp(password: Self.password, drafts: home)
        #expect(enrollment.accountKey.bytes == draft.accountKey.bytes)
    }

    @Test
    func `a sign-up of which one attempt may have arrived was sent`() async throws {
        server.behaviour = .takesAndIsGone
        await #expect(throws: ServerError.transport(.outOfReach(code: 7))) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        #expect(server.requests.count == 1 && server.attemptCount == 3)
        #expect(try home.drafts().map(\.wasSent) == [true])
        // Nothing that happens later makes it unsent.
        await #expect(throws: ServerError.transport(.outOfReach(code: 7))) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        #expect(try home.drafts().map(\.wasSent) == [true])
    }

    @Test
    func `a name is taken by somebody else if the earlier sign-up was not sent`() async throws {
        let other = try Home()
        _ = try await setup().prepareSignUp(password: Self.password, drafts: home)
        _ = try await setup().signUp(password: Self.password, drafts: other)
        await #expect(throws: ServerError.refused(.nameTaken)) {
            try await setup().signUp(password: Array("another password".utf8), drafts: home)
        }
    }

    @Test
    func `a sign-up that the server would refuse is not prepared`() async throws {
        server.behaviour = .isNotThere
        await #expect(throws: ServerError.transport(.outOfReach(code: 7))) {
            try await setup().prepareSignUp(password: Self.password, drafts: home)
        }
        server.behaviour = .takes
        _ = try await setup().signUp(password: Self.password, drafts: Home())
        await #expect(throws: ServerError.refused(.nameTaken)) {
            try await setup().prepareSignUp(password: Self.password, drafts: home)
        }
        #expect(try home.drafts().isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test
    func `a sign-up that may have made its account is prepared again without a check`()
        async throws
    {
        server.behaviour = .takesAndIsSilent
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await setup().signUp(password: Self.password, drafts: home)
        }
        let draft = try #require(try home.drafts().first)
        let key = try await setup().prepareSignUp(password: Self.password, drafts: home)
        #expect(key.bytes == draft.accountKey.bytes)
        // With another password it is another sign-up, of a name that is taken.
        await #expect(throws: AccountSetupError.unfinishedSignUp) {
            try await setup().prepareSignUp(
                password: Array("another password".utf8),
                drafts: home
            )
        }
    }

    @Test
    func `of too many drafts the oldest that was not sent is dropped`() async throws {
        server.behaviour = .takesAndIsSilent
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await setup(account: "sent").signUp(password: Self.password, drafts: home)
        }
        for number in 1...16 {
            let setup = try setup(account: "\(number)")
            _ = try await setup.prepareSignUp(password: Self.password, drafts: home)
        }
        let names = try home.drafts().map(\.names.account)
        #expect(names == ["sent"] + (2...16).map(String.init))
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
        /// Takes one request without an answer; then nobody listens any more.
        case takesAndIsGone
        case isNotThere
        case refuses(ErrorCode)
    }

    private struct State {
        var behaviour = Behaviour.takes
        var attemptCount = 0
        var whenAsked: @Sendable () throws -> Void = {}
        var requests: [WireSignupRequest] = []
        var entries: [String: WireSignupRequest] = [:]
    }

    private let state = Mutex(State())

    var behaviour: Behaviour {
        get { state.withLock(\.behaviour) }
        set { state.withLock { $0.behaviour = newValue } }
    }

    var requests: [WireSignupRequest] { state.withLock(\.requests) }

    /// How often a request was made, also when it did not arrive.
    var attemptCount: Int { state.withLock(\.attemptCount) }

    var whenAsked: @Sendable () throws -> Void {
        get { state.withLock(\.whenAsked) }
        set { state.withLock { $0.whenAsked = newValue } }
    }

    /// Whether the server can be reached at this attempt.
    private func isThere() -> Bool {
        state.withLock { state in
            state.attemptCount += 1
            switch state.behaviour {
            case .isNotThere: return false
            case .takesAndIsGone: return state.requests.isEmpty
            case .takes, .takesAndIsSilent, .refuses: return true
            }
        }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard isThere() else {
            request.unsentProof?.prove()
            throw .outOfReach(code: 7)
        }
        if request.path == "/v1/accounts/check" { return check(request) }
        // A failure shows in what was not seen.
        try? whenAsked()
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
        switch behaviour {
        case .takesAndIsSilent, .takesAndIsGone: throw .timedOut
        case .takes, .isNotThere, .refuses: break
        }
        if let code {
            return TransportResponse(
                status: 409,
                body: Array(#"{"code":"\#(code.rawValue)"}"#.utf8)
            )
        }
        var answer = WireSignupResponse()
        answer.epoch = Data(repeating: 7, count: 16)
        return TransportResponse(answer)
    }

    /// Whether a sign-up would be accepted.
    private func check(_ request: TransportRequest) -> TransportResponse {
        // A message that cannot be read has no name.
        let name = (try? WireSignupRequest(serializedBytes: request.body))?.name ?? ""
        let isTaken = state.withLock { $0.entries[name] != nil }
        guard isTaken else { return TransportResponse(WireSignupResponse()) }
        return TransportResponse(status: 409, body: Array(#"{"code":"name_taken"}"#.utf8))
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

    func drafts() throws -> [SignUpDraft] {
        try SignUpDraft.load(from: database, rows: rows)
    }

    func signUpDrafts() async throws -> [SignUpDraft] { try drafts() }

    func replaceSignUpDrafts(_ drafts: [SignUpDraft]) async throws {
        try SignUpDraft.replace(drafts, in: database, rows: rows)
    }

    func save(_ enrollment: Enrollment) throws {
        try enrollment.save(
            in: database,
            stores: [
                SyncedKeychain(
                    ItemStore(
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

/// Whether each draft said that it was sent, when the server was asked.
private final class SeenDrafts: Sendable {
    private let flags = Mutex<[Bool]>([])
    var wereSent: [Bool] { flags.withLock(\.self) }

    func note(_ drafts: [SignUpDraft]) { flags.withLock { $0 = drafts.map(\.wasSent) } }
}

/// A disk that refuses every write.
private struct FullDisk: SignUpDraftKeeping {
    struct Failure: Error {}

    func signUpDrafts() async throws -> [SignUpDraft] { [] }
    func replaceSignUpDrafts(_ drafts: [SignUpDraft]) async throws { throw Failure() }
}
