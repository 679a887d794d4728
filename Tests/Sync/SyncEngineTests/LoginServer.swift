import Foundation
import KSCausality
import KSDigests
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import KSTransport
import KSWire
import SwiftProtobuf
import Synchronization
import Testing

import KSSyncEngine

/// A server with one account and one device, which handles logins only.
final class LoginServer: Transport {
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
        case "/v1/sessions/challenge":
            return answer(WireChallengeResponse.with { $0.nonce = Data([1]) })
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
        TransportResponse(message)
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
            state.behaviours.isEmpty ? state.always ?? .answers : state.behaviours.removeFirst()
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
