import KSCausality
import KSDigests
import Foundation
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

/// A device joins an account, over a bad network and beside other devices.
struct LoginTests {
    private static let password = Array("a long enough password".utf8)

    private let server: LoginServer

    init() throws {
        server = try LoginServer(password: Self.password)
    }

    private func setup(account: String = "ada", device: String = "phone") throws -> AccountSetup {
        try AccountSetup(
            client: ServerClient(transport: server, origin: "https://sync.example.org"),
            server: ServerEndpoint(origin: "https://sync.example.org"),
            names: EnrolledNames(account: account, device: device),
            random: SystemRandomSource(),
            cost: .simulation
        )
    }

    private func logIn(_ setup: AccountSetup) async throws -> Enrollment {
        try await setup.logIn(password: Self.password, accountKey: server.accountKey)
    }

    private func cipher(_ keyRing: KeyRing, _ enrollment: Enrollment) -> RecordCipher {
        RecordCipher(keyRing: keyRing, account: enrollment.account, random: SystemRandomSource())
    }

    @Test
    func `a login adds the device to the newest circle`() async throws {
        let enrollment = try await logIn(setup())
        #expect(enrollment.circle.newest.version == 2)
        #expect(enrollment.circle.newest.member(enrollment.identity.memberID) != nil)
        let (theirs, ours) = (
            cipher(server.keyRing, enrollment), cipher(enrollment.keyRing, enrollment)
        )
        let envelope = try theirs.seal(
            text: [1, 2, 3],
            recordID: RecordID(validated: [UInt8](repeating: 1, count: 32)),
            dot: Dot(actor: ActorID(rawValue: 1), counter: 1),
            replaced: [],
            isTombstone: false,
            kind: .keychain
        )
        #expect(try ours.open(envelope) == [1, 2, 3])
        #expect(try server.chain().newest.version == 2)
    }

    @Test
    func `a device whose name is taken gets a number after it`() async throws {
        func names() throws -> [String] {
            let entry = try server.chain().newest
            return try entry.members.filter { $0.kind == .device }.map {
                try MemberName.open(of: $0, account: entry.account, keyRing: server.keyRing)
            }
        }
        for name in ["laptop 2", "laptop 3"] {
            #expect(try await logIn(setup(device: "laptop")).names.device == name)
        }
        #expect(try await logIn(setup()).names.device == "phone")
        // The one that is in the circle stays, also after a lost answer.
        server.behave(.takesAndIsSilent, .answers)
        #expect(try await logIn(setup()).names.device == "phone 2")
        #expect(
            try names().sorted() == ["laptop", "laptop 2", "laptop 3", "phone", "phone 2"]
        )
    }

    @Test
    func `a login whose answer is lost adds the device once`() async throws {
        server.behave(.takesAndIsSilent, .answers)
        let enrollment = try await logIn(setup())
        let devices = try server.chain().newest.members.filter { $0.kind == .device }
        #expect(devices.count == 2)
        #expect(devices.map(\.id).contains(enrollment.identity.memberID))
        #expect(enrollment.circle.newest.version == 2)
    }

    @Test
    func `an accepted login adds the device once, even if the circle grew before its answer`()
        async throws
    {
        server.behave(.takesAndIsSilent, .anotherCameFirst)
        let enrollment = try await logIn(setup())
        let members = try server.chain().newest.members
        #expect(members.filter { $0.kind == .device }.count == 3)
        #expect(enrollment.circle.newest.version == 3)
        #expect(enrollment.circle.newest.member(enrollment.identity.memberID) != nil)
    }

    @Test
    func `a login succeeds beside another device's join`() async throws {
        server.behave(.anotherCameFirst, .anotherCameFirst, .answers)
        let enrollment = try await logIn(setup())
        #expect(enrollment.circle.newest.version == 4)
        #expect(try server.chain().newest.member(enrollment.identity.memberID) != nil)
    }

    @Test
    func `a login reports a circle that keeps changing`() async throws {
        server.behave(.anotherCameFirst, .anotherCameFirst, .anotherCameFirst, .anotherCameFirst)
        await #expect(throws: AccountSetupError.circleBusy) { try await logIn(setup()) }
    }

    /// A device that logged out is one of them still.
    @Test
    func `a login to an account with as many devices as it can have says so`() async throws {
        var free = Limits.membersMax
        while free > 0 { free = try await logIn(setup()).freeDevices }
        #expect(try server.chain().newest.members.count == Limits.membersMax)
        await #expect(throws: AccountSetupError.accountFull) { try await logIn(setup()) }
    }

    /// Such as a proxy's empty page, or a server that lost the entry.
    @Test
    func `a login fails if the answer does not name the new version`() async throws {
        server.behave(.answersWithNothing)
        await #expect(throws: ServerError.unreadable(status: 200)) {
            try await logIn(setup())
        }
    }

    @Test
    func `a request that fails is tried three times`() async throws {
        server.lose(2)
        _ = try await logIn(setup())
        server.lose(3)
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await logIn(setup())
        }
    }

    @Test
    func `a wrong password is reported as refused credentials`() async throws {
        await #expect(throws: AccountSetupError.credentialsRefused) {
            try await setup().logIn(
                password: Array("another password".utf8),
                accountKey: server.accountKey
            )
        }
    }

    @Test
    func `invalid names are refused before anything is sent`() async throws {
        let long = String(repeating: "x", count: 300)
        for setup in try [
            setup(account: ""), setup(account: long), setup(device: ""), setup(device: long),
        ] {
            await #expect(throws: AccountSetupError.nameRefused) { try await logIn(setup) }
        }
        #expect(server.requestCount == 0)
    }

    @Test
    func `a login refuses an account that does not match the credentials`() async throws {
        server.behave(.answersWithAnotherAccount)
        await #expect(throws: AccountSetupError.accountNotAuthentic) { try await logIn(setup()) }
    }
}

/// A server with one account and one device, which handles logins only.
private final class LoginServer: Transport {
    /// What the server does with the next change of the circle.
    enum Behaviour {
        case answers
        case takesAndIsSilent
        case anotherCameFirst
        case answersWithAnotherAccount
        case answersWithNothing
    }

    private struct State {
        var entries: [SignedEntry] = []
        var envelopes: [KeyEnvelope] = []
        var box: [UInt8] = []
        var behaviours: [Behaviour] = []
        var lost = 0
        var requestCount = 0
    }

    let accountKey: AccountKey
    let keyRing: KeyRing
    private let account: AccountID
    private let credentials: AccountCredentials
    private let random = SeededRandomSource(seed: 5)
    private let state = Mutex(State())

    init(password: [UInt8]) throws {
        accountKey = AccountKey.random(from: random)
        keyRing = KeyRing.random(from: random)
        account = AccountID(validated: random.bytes(AccountID.byteCount))
        credentials = try AccountCredentials.derive(
            password: password,
            accountKey: accountKey,
            cost: .simulation
        )
        let genesis = try CircleAuthoring.genesis(
            account: account,
            device: DeviceIdentity.random(from: random),
            deviceName: "laptop",
            credentials: credentials,
            keyRing: keyRing,
            random: random
        )
        state.withLock { state in
            state.entries = [genesis.entry]
            state.envelopes = genesis.envelopes
            state.box = genesis.credentialsBox ?? []
        }
    }

    func behave(_ behaviours: Behaviour...) {
        state.withLock { $0.behaviours = behaviours }
    }

    /// Loses this many of the next requests.
    func lose(_ count: Int) {
        state.withLock { $0.lost = count }
    }

    var requestCount: Int { state.withLock(\.requestCount) }

    func chain() throws -> CircleChain {
        try CircleChain(verifying: state.withLock(\.entries))
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let isLost = state.withLock { state in
            state.requestCount += 1
            defer { state.lost = max(0, state.lost - 1) }
            return state.lost > 0
        }
        if isLost { throw .timedOut }
        switch request.path {
        case "/v1/sessions/challenge": return answer(WireChallengeResponse())
        case "/v1/sessions": return openSession(request)
        default: break
        }
        if request.method == .put { return try extend(request) }
        var circle = WireCircleResponse()
        let (entries, envelopes, box, behaviour) = state.withLock {
            ($0.entries, $0.envelopes, $0.box, $0.behaviours.first)
        }
        circle.account = Data(account.bytes)
        circle.epoch = Data(repeating: 7, count: 16)
        circle.entries = entries.map(WireSignedEntry.init)
        circle.credentialsBox = Data(box)
        if let envelope = envelopes.last(where: { $0.member == credentials.memberID }) {
            circle.envelope = WireKeyEnvelope(envelope)
        }
        if behaviour == .answersWithAnotherAccount { circle.credentialsBox[20] ^= 1 }
        return answer(circle)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }

    private func answer(_ message: some Message) -> TransportResponse {
        TransportResponse(status: 200, body: ServerClient.encode(message))
    }

    private func refusal(_ status: Int, _ code: ErrorCode) -> TransportResponse {
        TransportResponse(status: status, body: Array(#"{"code":"\#(code.rawValue)"}"#.utf8))
    }

    private func openSession(_ request: TransportRequest) -> TransportResponse {
        // An unreadable request is no member's.
        guard let session = try? WireSessionRequest(serializedBytes: request.body),
            Array(session.proof.member) == credentials.memberID.bytes
        else { return refusal(403, .refused) }
        var message = WireSessionResponse()
        message.token = "token"
        message.account = Data(account.bytes)
        return answer(message)
    }

    private func extend(_ request: TransportRequest) throws(TransportError) -> TransportResponse {
        let behaviour = state.withLock { state in
            state.behaviours.isEmpty ? .answers : state.behaviours.removeFirst()
        }
        if behaviour == .anotherCameFirst {
            // If the test's set-up fails, the device sees a server's error.
            guard let change = try? anotherDevice() else { return refusal(500, .internalError) }
            take(change.entry, change.envelopes, change.credentialsBox)
            return refusal(412, .circleChanged)
        }
        guard let last = state.withLock({ $0.entries.last }),
            // An unreadable or invalid entry is refused.
            let (entry, envelopes, box) = try? addition(in: request, after: last)
        else { return refusal(403, .refused) }
        guard request.headers["Authorization"] == "Bearer token" else {
            return refusal(401, .unauthenticated)
        }
        // The newest entry sent again gets the same answer.
        if entry != last { take(entry, envelopes, box) }
        let count = state.withLock { $0.entries.count }
        if behaviour == .takesAndIsSilent { throw .timedOut }
        if behaviour == .answersWithNothing { return answer(WirePutCircleResponse()) }
        return answer(WirePutCircleResponse.with { $0.version = UInt64(count) })
    }

    private func addition(
        in request: TransportRequest,
        after last: SignedEntry
    ) throws -> (SignedEntry, [KeyEnvelope], [UInt8]?) {
        let put = try WirePutCircleRequest(serializedBytes: request.body)
        let update = try WireCircleUpdate(serializedBytes: Array(put.update))
        let entry = try update.entry.value()
        if entry != last {
            let entries = state.withLock { $0.entries }
            let checked = try CircleRules.check(next: entry, after: entries)
            #expect(
                CircleRules.bringsCredentialsBox(checked, signed: entry)
                    == !update.credentialsBox.isEmpty
            )
        }
        let box = update.credentialsBox.isEmpty ? nil : Array(update.credentialsBox)
        return (entry, try update.envelopes.map { try $0.value() }, box)
    }

    private func take(_ entry: SignedEntry, _ envelopes: [KeyEnvelope], _ box: [UInt8]?) {
        state.withLock { state in
            state.entries.append(entry)
            state.envelopes += envelopes
            if let box { state.box = box }
        }
    }

    private func anotherDevice() throws -> CircleChange {
        let chain = try chain()
        return try CircleAuthoring.addDevice(
            DeviceApplication(of: DeviceIdentity.random(from: random), name: "tablet", to: chain),
            to: chain,
            keyRing: keyRing,
            by: .credentials(credentials),
            random: random
        )
    }
}
