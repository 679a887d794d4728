import Foundation
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
        let engine = try home.engine(over: server)
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
            await #expect(throws: RevocationBusy.self) { try await engine.revoke([server.lost]) }
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
        var answers: [EntryAnswer] = []
        var entryCount = 0
    }

    let lost: MemberID
    let records: EngineServer
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
        member = account.first.memberID
        records = EngineServer(account)
        state = Mutex(
            State(entries: account.circle.entries + [adding.entry], envelopes: adding.envelopes)
        )
    }

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
        return request.method == .put ? try take(request) : show(after: request.path)
    }

    private func show(after path: String) -> TransportResponse {
        let known = path.split(separator: "=").last.flatMap { Int($0) } ?? 0
        var message = WireCircleResponse()
        state.withLock { state in
            message.entries = state.entries.dropFirst(known).map(WireSignedEntry.init)
            let own = state.envelopes.first { $0.member == member }
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
