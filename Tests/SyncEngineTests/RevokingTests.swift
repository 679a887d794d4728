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

import SyncEngine

/// The engine removes a device: what the server and the network may do meanwhile.
@Suite(.timeLimit(.minutes(10)))
struct RevokingTests {
    private let home: ReplicaHome
    private let server: CircleServer

    init() throws {
        let account = try ReplicaAccount()
        home = try ReplicaHome(account)
        server = try CircleServer(account)
    }

    private func withEngine(_ body: (SyncEngine) async throws -> Void) async throws {
        try await home.running(over: server, body)
    }

    /// The names of the account's devices, as this device knows them.
    private func names(_ engine: SyncEngine) async throws -> [String?] {
        try await engine.withReplica { $0.devices().map(\.name) }
    }

    @Test
    func `a device is removed, and this one has the new keys at once`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            #expect(try await names(engine) == ["first", "lost"])
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await names(engine) == ["first"])
            #expect(home.device.keys.keyRing.generations == [1, 2])
            // It is gone: there is nothing to do.
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(server.version == 3)
        }
    }

    @Test
    func `a lost answer counts as success once the server shows the entry`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.lost(isTaken: true))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await names(engine) == ["first"])
            #expect(home.device.keys.keyRing.generations == [1, 2])
        }
    }

    @Test
    func `an entry that did not arrive is an error, and changes nothing`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.lost(isTaken: false))
            await #expect(throws: ServerError.transport(.timedOut)) {
                try await engine.revoke([server.lost])
            }
            #expect(try await names(engine) == ["first", "lost"])
            #expect(home.device.keys.keyRing.generations == [1])
            #expect(try await engine.revoke([server.lost]) == nil)
        }
    }

    /// A thief may have filled the account.
    @Test
    func `a device that cannot send its own changes removes others all the same`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.records.refusePushes(.quotaExceeded)
            try home.save("wifi", "one")
            #expect(await engine.syncNow() == .failed(.refused(.quotaExceeded)))
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(try await names(engine) == ["first"])
        }
    }

    @Test
    func `while others write, the entry is made again`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(.changed, .changed, .changed)
            #expect(try await engine.revoke([server.lost]) == nil)
            #expect(server.entryCount == 4)
        }
    }

    @Test
    func `others that never stop writing end it, and nothing was changed`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            server.answerEntries(Array(repeating: .changed, count: 100))
            await #expect(throws: RevocationFailure.busy) { try await engine.revoke([server.lost]) }
            #expect(try await names(engine) == ["first", "lost"])
        }
    }

    @Test
    func `a locked device removes nobody`() async throws {
        try await withEngine { (engine: SyncEngine) async throws in
            home.keys.lock()
            home.device.keys.lock()
            await #expect(throws: SealingError.classLocked(.whenUnlocked)) {
                try await engine.revoke([server.lost])
            }
            #expect(server.entryCount == 0)
        }
    }
}

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

    @Test
    func `a device that has signed false keys is shown and removed`() async throws {
        try await home.running(over: server) { (engine: SyncEngine) async throws in
            try server.addFalseEntry()
            #expect(await engine.syncNow() == .failed(.circleRefused(.envelopesForged)))
            let devices = try await engine.withReplica { $0.devices() }
            #expect(devices.map(\.hasSignedFalseKeys) == [false, true])
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
            let devices = try await engine.withReplica { $0.devices() }
            #expect(devices.map(\.hasSignedFalseKeys) == [false, false])
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
            await #expect(throws: RevocationFailure.falsenessUnproven) {
                try await engine.revoke([server.lost])
            }
            server.repairEnvelopes()
            #expect(await engine.syncNow() == .synced)
            #expect(home.device.keys.keyRing.generations == [1, 2])
        }
    }
}

extension ReplicaHome {
    /// Runs an engine that has synced once.
    fileprivate func running(
        over server: CircleServer,
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
private final class CircleServer: Transport {
    /// What happens to an entry that a device sends.
    enum EntryAnswer {
        /// The account was changed meanwhile.
        case changed
        case lost(isTaken: Bool)
    }

    private struct State {
        var entries: [SignedEntry]
        var envelopes: [KeyEnvelope]
        var areDamaged = false
        var answers: [EntryAnswer] = []
        var entryCount = 0
    }

    let lost: MemberID
    let records: EngineServer
    private let thief: DeviceIdentity
    private let keyRing: KeyRing
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
        keyRing = account.keyRing
        self.random = random
        member = account.first.memberID
        records = EngineServer(account)
        state = Mutex(
            State(entries: account.circle.entries + [adding.entry], envelopes: adding.envelopes)
        )
    }

    /// Adds an entry of the lost device, whose envelopes do not hold the account's keys.
    ///
    /// `adding`: whether it adds a device, else it ends the key generation.
    func addFalseEntry(adding: Bool = false, isFalse: Bool = true) throws {
        let chain = try CircleChain(verifying: state.withLock(\.entries))
        let applicant = DeviceIdentity.random(from: random)
        let added = try CircleAuthoring.addDevice(
            DeviceApplication(of: applicant, name: "added", to: chain),
            to: chain,
            keyRing: keyRing,
            by: .device(thief),
            random: random
        )
        var change = added
        if !adding {
            var longer = chain
            try longer.append(added.entry)
            change = try CircleAuthoring.revoke(
                [applicant.memberID],
                from: longer,
                keyRing: keyRing.startingGeneration(from: random),
                closing: (vector: VersionVector(), digest: .zero),
                by: .device(thief),
                random: random
            )
        }
        var entry = try change.entry.entry()
        let envelopes =
            isFalse
            ? change.envelopes.map { KeyEnvelope(member: $0.member, sealed: [1, 2, 3]) }
            : change.envelopes
        entry.envelopesHash = KeyEnvelope.hash(envelopes)
        let bytes = entry.encoded
        let signed = SignedEntry(
            signedBytes: bytes,
            signatures: [
                MemberSignature(member: lost, signature: CircleSigner.device(thief).sign(bytes))
            ],
            possession: change.entry.possession
        )
        state.withLock { state in
            if !adding { state.entries.append(added.entry) }
            state.entries.append(signed)
            state.envelopes = envelopes
        }
    }

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
            return TransportResponse(status: response.status, body: ServerClient.encode(page))
        }
        if request.path.hasPrefix("/v1/circle/entry") { return showNewest() }
        return request.method == .put ? try take(request) : show(after: request.path)
    }

    private func showNewest() -> TransportResponse {
        var message = WireCircleEntryResponse()
        state.withLock { state in
            if let newest = state.entries.last { message.entry = WireSignedEntry(newest) }
            message.envelopes = Self.shown(state).map(WireKeyEnvelope.init)
        }
        return TransportResponse(status: 200, body: ServerClient.encode(message))
    }

    private static func shown(_ state: State) -> [KeyEnvelope] {
        guard state.areDamaged else { return state.envelopes }
        return state.envelopes.map { KeyEnvelope(member: $0.member, sealed: $0.sealed + [0]) }
    }

    private func show(after path: String) -> TransportResponse {
        let known = path.split(separator: "=").last.flatMap { Int($0) } ?? 0
        var message = WireCircleResponse()
        state.withLock { state in
            message.entries = state.entries.dropFirst(known).map(WireSignedEntry.init)
            let own = Self.shown(state).first { $0.member == member }
            if let own { message.envelope = WireKeyEnvelope(own) }
        }
        return TransportResponse(status: 200, body: ServerClient.encode(message))
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
            case .changed: false
            case .lost(let isTaken): isTaken
            case nil: true
            }
        if isTaken {
            state.withLock { state in
                state.entries.append(entry)
                state.envelopes = envelopes
            }
        }
        switch answer {
        case .changed:
            let problem = #"{"code":"circle_changed"}"#
            return TransportResponse(status: 412, body: Array(problem.utf8))
        case .lost: throw .timedOut
        case nil:
            var message = WirePutCircleResponse()
            message.version = UInt64(version)
            return TransportResponse(status: 200, body: ServerClient.encode(message))
        }
    }
}
