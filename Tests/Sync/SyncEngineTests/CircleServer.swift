import Foundation
import KSCausality
import KSDigests
import KSRecords
import KSSealing
import KSTestSupport
import KSTransport
import KSWire
import SwiftProtobuf
import Synchronization
import Testing

import KSSyncEngine

extension ReplicaHome {
    /// Runs an engine that has synced once.
    func running(
        over server: any Transport,
        _ body: (SyncEngine) async throws -> Void
    ) async throws {
        let engine = try engine(over: server)
        let running = Task { await engine.run() }
        let result: Result<Void, any Error>
        do {
            #expect(await engine.syncNow() == .synced)
            result = .success(try await body(engine))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await running.value
        try result.get()
    }
}

/// A server with a circle that devices can extend.
final class CircleServer: Transport {
    /// What happens to an entry that a device sends.
    enum EntryAnswer {
        /// The account was changed meanwhile.
        case changed
        /// Another device has just removed this one.
        case removed
        case lost(isTaken: Bool)
    }

    private struct State {
        var entries: [SignedEntry]
        var envelopes: [KeyEnvelope]
        var thiefRing: KeyRing
        var areDamaged = false
        var answers: [EntryAnswer] = []
        var entryCount = 0
    }

    let lost: MemberID
    let records: EngineServer
    private let thief: DeviceIdentity
    private let random: any RandomSource
    private let member: MemberID
    private let state: Mutex<State>

    init(_ account: ReplicaAccount) throws {
        let random = SeededRandomSource(seed: 4)
        let identity = DeviceIdentity.random(from: random)
        let adding = try CircleAuthoring.addDevice(
            DeviceApplication(of: identity, name: "lost", to: account.circle),
            to: account.circle,
            keyRing: account.keyRing,
            by: .device(account.first),
            random: random
        )
        lost = identity.memberID
        thief = identity
        self.random = random
        member = account.first.memberID
        records = EngineServer(account)
        state = Mutex(
            State(
                entries: account.circle.entries + [adding.entry],
                envelopes: adding.envelopes,
                thiefRing: account.keyRing
            )
        )
    }

    // MARK: The lost device is a thief's

    /// Adds an entry whose envelopes do not hold the account's keys, unless they are to be good.
    ///
    /// `adding`: whether it adds a device, else it begins a key generation.
    func addFalseEntry(adding: Bool = false, isFalse: Bool = true) throws {
        let applicant = DeviceIdentity.random(from: random)
        guard !adding else { return try store(addition(of: applicant), isFalse: isFalse) }
        try store(addition(of: applicant), isFalse: false)
        let ring = try state.withLock(\.thiefRing).startingGeneration(from: random)
        let change = try CircleAuthoring.revoke(
            [applicant.memberID],
            from: CircleChain(verifying: state.withLock(\.entries)),
            keyRing: ring,
            closing: (vector: VersionVector(), digest: .zero),
            by: .device(thief),
            random: random
        )
        state.withLock { $0.thiefRing = ring }
        try store(change, isFalse: isFalse)
    }

    /// Adds a device, with envelopes of all keys that the thief has.
    func addGoodEntry() throws {
        try store(addition(of: DeviceIdentity.random(from: random)), isFalse: false)
    }

    private func addition(of applicant: DeviceIdentity) throws -> CircleChange {
        let chain = try CircleChain(verifying: state.withLock(\.entries))
        return try CircleAuthoring.addDevice(
            DeviceApplication(of: applicant, name: "added", to: chain),
            to: chain,
            keyRing: state.withLock(\.thiefRing),
            by: .device(thief),
            random: random
        )
    }

    private func store(_ change: CircleChange, isFalse: Bool) throws {
        var entry = try change.entry.entry()
        let envelopes =
            isFalse
            ? change.envelopes.map { KeyEnvelope(member: $0.member, sealed: [1, 2, 3]) }
            : change.envelopes
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        let bytes = entry.encoded
        let signature = CircleSigner.device(thief).sign(bytes)
        let signed = SignedEntry(
            signedBytes: bytes,
            signatures: [MemberSignature(member: lost, signature: signature)],
            possession: change.entry.possession
        )
        state.withLock { state in
            state.entries.append(signed)
            state.envelopes = envelopes
        }
    }

    /// Forgets the newest entry, as a server does that was restored.
    func forgetNewest() { state.withLock { _ = $0.entries.popLast() } }

    func damageEnvelopes() { state.withLock { $0.areDamaged = true } }

    func repairEnvelopes() { state.withLock { $0.areDamaged = false } }

    var version: Int { state.withLock(\.entries.count) }
    var entryCount: Int { state.withLock(\.entryCount) }

    func answerEntries(_ answers: EntryAnswer...) { answerEntries(answers) }

    func answerEntries(_ answers: [EntryAnswer]) { state.withLock { $0.answers = answers } }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        records.events(request)
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.path.hasPrefix("/v1/circle") else {
            let response = try await records.send(request)
            guard request.path.hasPrefix("/v1/changes"),
                // Another answer than a page stays as it is.
                var page = try? WireChangesResponse(serializedBytes: response.body)
            else { return response }
            page.circleVersion = UInt64(version)
            return TransportResponse(page, status: response.status)
        }
        if request.path.hasPrefix("/v1/circle/entry") {
            return records.refusal(ofSession: request) ?? showNewest()
        }
        return request.method == .put ? try take(request) : show(after: request.path)
    }

    private func showNewest() -> TransportResponse {
        var message = WireCircleEntryResponse()
        state.withLock { state in
            if let newest = state.entries.last { message.entry = WireSignedEntry(newest) }
            message.envelopes = Self.shown(state).map(WireKeyEnvelope.init)
        }
        return TransportResponse(message)
    }

    private static func shown(_ state: State) -> [KeyEnvelope] {
        guard state.areDamaged else { return state.envelopes }
        return state.envelopes.map { KeyEnvelope(member: $0.member, sealed: $0.sealed + [0]) }
    }

    private func show(after path: String) -> TransportResponse {
        let known = path.split(separator: "=").last.flatMap { Int($0) } ?? 0
        var message = WireCircleResponse()
        (message.account, message.epoch) = (Data(count: 16), Data(count: 16))
        state.withLock { state in
            message.entries = state.entries.dropFirst(known).map(WireSignedEntry.init)
            let own = Self.shown(state).first { $0.member == member }
            if let own { message.envelope = WireKeyEnvelope(own) }
        }
        return TransportResponse(message)
    }

    private func take(_ request: TransportRequest) throws(TransportError) -> TransportResponse {
        let (entry, envelopes): (SignedEntry, [KeyEnvelope])
        do {
            let put = try WirePutCircleRequest(serializedBytes: request.body)
            let update = try WireCircleUpdate(serializedBytes: put.update)
            entry = try update.entry.value()
            envelopes = try update.envelopes.map { try $0.value() }
        } catch {
            // No test expects this answer.
            return TransportResponse(status: 400)
        }
        let answer = state.withLock { state in
            state.entryCount += 1
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        let isTaken =
            switch answer {
            case .changed, .removed: false
            case .lost(let isTaken): isTaken
            case nil: true
            }
        if isTaken {
            state.withLock { state in
                state.entries.append(entry)
                state.envelopes = envelopes
            }
        }
        if case .removed = answer { records.refuseSessions(true) }
        switch answer {
        case .changed, .removed:
            let problem = #"{"code":"circle_changed"}"#
            return TransportResponse(status: 412, body: Array(problem.utf8))
        case .lost: throw .timedOut
        case nil:
            var message = WirePutCircleResponse()
            message.version = UInt64(version)
            return TransportResponse(message)
        }
    }
}
