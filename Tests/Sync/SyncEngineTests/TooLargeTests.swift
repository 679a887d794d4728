import KSDeviceKeys
import KSCausality
import KSRecords
import KSSealing
import KSWire
import Testing

import KSSyncEngine

/// A proxy that refuses large requests: batches become smaller until it lets them through.
struct TooLargeTests {
    private let home: ReplicaHome
    private let server: LimitedServer
    /// How often it had taken a new actor when it began.
    private let forks: Int
    private static let kilobyte = String(repeating: "x", count: 1000)

    init() throws {
        let account = try ReplicaAccount()
        home = try ReplicaHome(account, hasNotes: true)
        try home.pull(account.page(to: 5))
        server = LimitedServer(account, boxBytesMax: 1 << 20)
        forks = home.replica.report.forks
    }

    private func note(_ name: String, kilobytes: Int) throws {
        try home.note(name, String(repeating: Self.kilobyte, count: kilobytes))
    }

    @Test
    func `batches are halved until they are accepted, and the size is remembered`() throws {
        for number in 1...30 { try note("note \(number)", kilobytes: 100) }
        try server.serve(home)
        #expect(server.refusedCount == 1)
        #expect(server.recordIDs.count == 30)
        #expect(try home.replica.openRecords()?.isEmpty == true)
        // The refused batch cost one actor, and its dots are not used again.
        #expect(home.replica.report.forks == forks + 1)
        // After a restart too, the next batches are small from the start.
        try home.restart()
        for number in 1...30 { try note("note \(number)", kilobytes: 101) }
        try server.serve(home)
        #expect(server.refusedCount == 1)
        // After a week the limit may be gone.
        home.clock.advance(seconds: 8 * 86_400)
        server.boxBytesMax = .max
        for number in 1...30 { try note("note \(number)", kilobytes: 102) }
        try server.serve(home)
        #expect(server.batches.last.map { $0.envelopes.count > 6 } == true)
    }

    @Test
    func `a record that is refused alone holds back no other, until doctor tries it again`()
        throws
    {
        try note("first", kilobytes: 10)
        try note("large", kilobytes: 1500)
        try note("last", kilobytes: 10)
        try server.serve(home)
        #expect(server.recordIDs == home.noteIDs("first", "last"))
        let open = try #require(try home.replica.openRecords())
        #expect(open.blocked.map(\.reason) == [.proxyLimit])
        #expect(open.requestBytesRefused ?? 0 > 1_500_000)
        // A record that is as large is not even tried: each refusal costs an actor.
        let refused = server.refusedCount
        try note("other", kilobytes: 1500)
        try server.serve(home)
        #expect(server.refusedCount == refused)
        #expect(try home.replica.openRecords()?.blocked.count == 2)
        // The operator has raised the limit.
        server.boxBytesMax = .max
        try home.replica.askAgain()
        try server.serve(home)
        #expect(server.recordIDs == home.noteIDs("first", "last", "large", "other"))
        #expect(try home.replica.openRecords()?.isEmpty == true)
    }

    @Test
    func `a transaction is sent in parts that the proxy lets through`() throws {
        let large = String(repeating: Self.kilobyte, count: 300)
        try home.noteTogether(["a", "b", "c", "d"], large)
        try server.serve(home)
        #expect(server.recordIDs == home.noteIDs("a", "b", "c", "d"))
        #expect(try home.replica.counts().unsent == 0)
    }

    @Test
    func `an old name is deleted only once the new one is on the server`() throws {
        let secret = String(repeating: "s", count: 40_000)
        try home.save("old", secret)
        try server.serve(home)
        // Both together are too large, each alone is not.
        server.boxBytesMax = 100_000
        try home.rename("old", to: "new")
        try server.serve(home)
        #expect(server.order(of: home.recordID("new")) < server.order(of: home.recordID("old")))
        #expect(try home.replica.counts().unsent == 0)
        // Now the new name alone is too large: the old one stays.
        server.boxBytesMax = 50_000
        let deletions = server.tombstones
        try home.rename("new", to: "newest")
        try server.serve(home)
        #expect(server.tombstones == deletions)
        #expect(
            try home.blocked()
                == [home.recordID("newest"): .proxyLimit, home.recordID("new"): .tied]
        )
    }

    @Test
    func `a proxy that refuses everything costs no actor`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.replica.receive(.refused(.tooLarge), to: request)
        #expect(home.replica.report.forks == forks)
        home.clock.advance(seconds: 10)
        #expect(try home.push().batch == batch)
    }

    /// The answer to the batch was lost; then a proxy came between.
    @Test(arguments: [true, false])
    func `a batch that may have arrived is not made again before a pull has shown it`(
        hasArrived: Bool
    ) throws {
        for number in 1...3 { try note("note \(number)", kilobytes: 100) }
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        home.clock.advance(seconds: 10)
        let (again, sameBatch) = try home.push()
        #expect(sameBatch == batch)
        try home.replica.receive(.refused(.tooLarge), to: again)
        if hasArrived { server.take(batch) }
        server.boxBytesMax = 250_000
        try server.serve(home)
        #expect(try home.replica.counts().unsent == 0)
        #expect(server.recordIDs == home.noteIDs("note 1", "note 2", "note 3"))
        #expect(server.writeCount == 3)
        #expect(home.replica.report.forks == forks + (hasArrived ? 0 : 1))
    }

    /// A device that is locked cannot apply the answer, and sends the batch again after the unlock.
    @Test
    func `a batch whose answer came while the device was locked is not made again`() throws {
        for number in 1...3 { try note("note \(number)", kilobytes: 100) }
        let (request, batch) = try home.push()
        lock()
        server.take(batch)
        try home.replica.receive(.pushed(server.account.taken(batch, from: 6)), to: request)
        try unlock()
        server.boxBytesMax = 250_000
        try server.serve(home)
        #expect(try home.replica.counts().unsent == 0)
        #expect(server.writeCount == 3)
        #expect(home.replica.report.forks == forks)
    }

    @Test
    func `the dots of a batch that a copy of this device sent are not taken for its own`() throws {
        for number in 1...3 { try note("note \(number)", kilobytes: 100) }
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        home.clock.advance(seconds: 10)
        let (again, _) = try home.push()
        try home.replica.receive(.refused(.tooLarge), to: again)
        // The copy wrote another record under these dots.
        let other = try home.forged("wifi", [1], time: 1 << 20, actor: 7)
        server.take([other], claiming: batch)
        server.boxBytesMax = 250_000
        try server.serve(home)
        #expect(home.noteIDs("note 1", "note 2", "note 3").isSubset(of: server.recordIDs))
    }

    @Test
    func `a locked device keeps a batch that is too large until it is unlocked`() throws {
        for number in 1...3 { try note("note \(number)", kilobytes: 100) }
        let (request, batch) = try home.push()
        lock()
        try home.replica.receive(.refused(.tooLarge), to: request)
        #expect(try home.replica.nextRequest() == .rest)
        try unlock()
        #expect(try home.push().batch == batch)
    }

    private func lock() {
        home.keys.lock()
        home.device.keys.lock()
    }

    private func unlock() throws {
        try home.keys.unlock(passcode: nil)
        try home.device.keys.unlock(from: home.database)
        home.replica.noticeUnlock()
    }
}

/// A server behind a proxy that refuses a batch with larger boxes than this.
private final class LimitedServer {
    let account: ReplicaAccount
    var boxBytesMax: Int
    private(set) var batches: [Batch] = []
    private(set) var refusedCount = 0
    private var records: [RecordID: [Envelope]] = [:]
    private var seqs: [RecordID: UInt64] = [:]
    private var vector: [(actor: ActorID, counter: UInt64)] = []
    private var seq: UInt64 = 5

    init(_ account: ReplicaAccount, boxBytesMax: Int) {
        self.account = account
        self.boxBytesMax = boxBytesMax
    }

    var recordIDs: Set<RecordID> { Set(batches.flatMap(\.envelopes).map(\.recordID)) }
    var writeCount: Int { batches.reduce(0) { $0 + $1.envelopes.count } }
    var tombstones: Int { batches.flatMap(\.envelopes).count(where: \.isTombstone) }

    /// The place of a record's last write among all.
    func order(of record: RecordID) -> Int {
        batches.flatMap(\.envelopes).lastIndex { $0.recordID == record } ?? -1
    }

    /// Answers requests until the device rests.
    func serve(_ home: ReplicaHome) throws {
        for _ in 0..<200 {
            home.replica.gatherNoMore()
            guard case .send(let request) = try home.replica.nextRequest() else { return }
            try home.replica.receive(answer(to: request.request), to: request)
        }
        Issue.record("it does not come to rest")
    }

    private func answer(to request: SyncRequest) -> SyncAnswer {
        switch request {
        case .push(let batch, _):
            guard batch.envelopes.reduce(0, { $0 + $1.box.count }) <= boxBytesMax else {
                refusedCount += 1
                return .refused(.tooLarge)
            }
            let answer = account.taken(batch, from: seq + 1)
            take(batch)
            return .pushed(answer)
        case .pull(let cursor):
            let after = cursor?.seq ?? 0
            let new = seqs.filter { $0.value > after }.sorted { $0.value < $1.value }
                .map {
                    PageAnswer.Record(id: $0.key, seq: $0.value, siblings: records[$0.key] ?? [])
                }
            return .page(account.page(new, to: seq, vector: vector))
        case .circle: return .circle([])
        case .raise: return .raised
        case .returnCircle: return .circleReturned
        }
    }

    func take(_ batch: Batch) {
        batches.append(batch)
        take(batch.envelopes, claiming: batch)
    }

    /// Takes writes, with the counters of a batch.
    func take(_ envelopes: [Envelope], claiming batch: Batch) {
        for envelope in envelopes {
            seq += 1
            records[envelope.recordID] =
                (records[envelope.recordID] ?? []).filter { !envelope.replaced.contains($0.dot) }
                + [envelope]
            seqs[envelope.recordID] = seq
        }
        for dot in (batch.envelopes + envelopes).map(\.dot) {
            vector.removeAll { $0.actor == dot.actor }
            vector.append((actor: dot.actor, counter: dot.counter))
        }
    }
}
