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

    // MARK: False keys

    @Test(arguments: [false, true])
    func `a login names the device that has stored false keys, and removes it if asked`(
        isLast: Bool
    ) async throws {
        let thief = try server.addFalseEntry(isLast: isLast)
        let before = try server.chain().newest.version
        let error = await #expect(throws: AccountSetupError.self) { try await logIn(setup()) }
        guard case .falseKeys(let device) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(device.name == "laptop" && device.id == thief && device.hasSignedFalseKeys)
        #expect(try server.chain().newest.version == before)
        let enrollment = try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            mayRemove: { $0.id == thief }
        )
        let entry = enrollment.circle.newest
        #expect(entry.member(thief) == nil)
        #expect(entry.member(enrollment.identity.memberID) != nil)
        #expect(entry.voidGenerations == [2] && enrollment.keyRing.generations == [1, 3])
        #expect(try server.chain().closingVectors[2] == LoginServer.vector)
        // The next login finds a good circle.
        #expect(try await logIn(setup()).keyRing.generations == [1, 3])
    }

    @Test
    func `a lost answer to the removal removes the device once`() async throws {
        let thief = try server.addFalseEntry(isLast: true)
        server.behave(.takesAndIsSilent, .answers, .takesAndIsSilent, .answers)
        let enrollment = try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            mayRemove: { $0.id == thief }
        )
        #expect(enrollment.circle.newest.version == 5)
    }

    @Test
    func `a server that damages envelopes gets no device removed by a login`() async throws {
        try server.addFalseEntry(isLast: false)
        let before = try server.chain().newest.version
        for behaviour in [LoginServer.Behaviour.showsOtherEnvelopes, .showsNoEarlierEnvelope] {
            server.always(behaviour)
            await #expect(throws: AccountSetupError.accountNotAuthentic) {
                try await setup().logIn(
                    password: Self.password,
                    accountKey: server.accountKey,
                    mayRemove: { _ in true }
                )
            }
        }
        #expect(try server.chain().newest.version == before)
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
        case showsOtherEnvelopes
        case showsNoEarlierEnvelope
    }

    private struct State {
        var entries: [SignedEntry] = []
        var envelopes: [KeyEnvelope] = []
        var box: [UInt8] = []
        var behaviours: [Behaviour] = []
        var always: Behaviour?
        var lost = 0
        var requestCount = 0
    }

    /// The account vector.
    static let vector = VersionVector([(actor: ActorID(rawValue: 7), counter: UInt64(3))])

    let accountKey: AccountKey
    let keyRing: KeyRing
    private let laptop: DeviceIdentity
    private let genesis: CircleChange
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
        laptop = DeviceIdentity.random(from: random)
        genesis = try CircleAuthoring.genesis(
            account: account,
            device: laptop,
            deviceName: "laptop",
            credentials: credentials,
            keyRing: keyRing,
            random: random
        )
        let genesis = genesis
        state.withLock { state in
            state.entries = [genesis.entry]
            state.envelopes = genesis.envelopes
            state.box = genesis.credentialsBox ?? []
        }
    }

    func behave(_ behaviours: Behaviour...) {
        state.withLock { $0.behaviours = behaviours }
    }

    func always(_ behaviour: Behaviour) { state.withLock { $0.always = behaviour } }

    /// The laptop removes another device and stores false envelopes.
    ///
    /// `isLast`: whether the laptop is the only device then.
    @discardableResult
    func addFalseEntry(isLast: Bool) throws -> MemberID {
        let tablet = DeviceIdentity.random(from: random)
        for identity in [tablet] + (isLast ? [] : [DeviceIdentity.random(from: random)]) {
            let chain = try chain()
            let added = try CircleAuthoring.addDevice(
                DeviceApplication(of: identity, name: "tablet", to: chain),
                to: chain,
                keyRing: keyRing,
                by: .device(laptop),
                random: random
            )
            take(added.entry, added.envelopes, nil)
        }
        let change = try CircleAuthoring.revoke(
            [tablet.memberID],
            from: chain(),
            keyRing: keyRing.startingGeneration(from: random),
            closing: (vector: Self.vector, digest: .zero),
            by: .device(laptop),
            random: random
        )
        let envelopes = change.envelopes.map { KeyEnvelope(member: $0.member, sealed: [7]) }
        var entry = try change.entry.entry()
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        let bytes = entry.encoded
        let signature = MemberSignature(
            member: laptop.memberID,
            signature: CircleSigner.device(laptop).sign(bytes)
        )
        let signed = SignedEntry(signedBytes: bytes, signatures: [signature], possession: [])
        take(signed, envelopes, nil)
        return laptop.memberID
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
        if request.path.hasPrefix("/v1/circle/entry") { return showEntry(request.path) }
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

    /// The newest entry with all its envelopes, or the first with the credentials'.
    private func showEntry(_ path: String) -> TransportResponse {
        let (entries, envelopes, always) = state.withLock { ($0.entries, $0.envelopes, $0.always) }
        var message = WireCircleEntryResponse()
        message.vector = [WireVectorEntry](Self.vector)
        if path.contains("generation") {
            guard path.hasSuffix("=1"), always != .showsNoEarlierEnvelope else {
                return refusal(404, .notFound)
            }
            message.entry = WireSignedEntry(entries[0])
            message.envelopes = genesis.envelopes
                .filter { $0.member == credentials.memberID }
                .map(WireKeyEnvelope.init)
            // Every entry here was checked before.
        } else if let newest = entries.last, let entry = try? newest.entry() {
            // The envelopes of all entries are kept here, the newest last.
            let shown = envelopes.suffix(entry.members.count)
            message.entry = WireSignedEntry(newest)
            message.envelopes = shown.map(WireKeyEnvelope.init)
            if always == .showsOtherEnvelopes { message.envelopes[0].sealed.append(1) }
        }
        return answer(message)
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
