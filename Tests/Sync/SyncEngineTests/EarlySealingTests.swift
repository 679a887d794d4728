import GRDB
import KSCausality
import KSRecords
import KSSealing
import KSWire
import Testing

import KSSyncEngine

/// A small write is sealed in the transaction that makes it.
struct EarlySealingTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        home = try ReplicaHome(account, hasNotes: true)
        try home.pull(account.page(to: 5))
        #expect(try home.replica.nextRequest() == .rest)
    }

    @Test
    func `a write is sealed with its transaction, and that batch is sent`() throws {
        #expect(try home.noteEarly(["a"], "1"))
        #expect(try home.rows("outbox") == 0)
        let sealed = try #require(try home.sealedDots().first)
        let batch = try home.pushTaken(from: 6)
        #expect(batch.envelopes.map(\.dot.counter) == [sealed])
        #expect(home.names(of: batch, among: "a") == ["a"])
        #expect(try home.replica.isQuiet())
        #expect(try home.replica.state().cursor?.seq == 6)
        // The next write names the first one's dot as seen, and has a dot of its own.
        #expect(try home.noteEarly(["a"], "2"))
        let next = try #require(try home.pushTaken(from: 7).envelopes.first)
        #expect(next.replaced == batch.envelopes.map(\.dot))
        #expect(next.dot.counter == sealed + 1)
    }

    @Test
    func `nothing is left of a batch whose transaction was undone`() throws {
        let before = try home.replica.state()
        #expect(throws: Undone.self) { try home.noteEarly(["lost"], "1", isUndone: true) }
        #expect(try home.rows("batch") == 0 && home.rows("outbox") == 0)
        #expect(try home.replica.state() == before)
        #expect(try home.replica.earlySealing() != nil)
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.noteEarly(["kept"], "2"))
        let batch = try home.pushTaken(from: 6)
        #expect(batch.envelopes.map(\.dot.counter) == [before.counter + 1])
        #expect(home.names(of: batch, among: "lost", "kept") == ["kept"])
    }

    @Test
    func `while a batch is on its way or waits to be sent, edits are not sealed`() throws {
        #expect(try home.noteEarly(["a"], "1"))
        #expect(try !home.noteEarly(["b"], "2"))
        let (request, first) = try home.push()
        #expect(try !home.noteEarly(["c"], "3"))
        #expect(home.names(of: first, among: "a", "b", "c") == ["a"])
        try home.replica.receive(.pushed(account.taken(first, from: 6)), to: request)
        // Edits keep coming, so they are gathered.
        #expect(try !home.noteEarly(["d"], "4"))
        let second = try home.pushTaken(from: 7)
        #expect(home.names(of: second, among: "a", "b", "c", "d") == ["b", "c", "d"])
    }

    @Test
    func `a batch that was sealed before the program ended is sent as it was`() throws {
        #expect(try home.noteEarly(["a", "b"], "1"))
        let sealed = try home.sealedDots()
        try home.restart()
        try home.pull(account.page(to: 5))
        let batch = try home.pushTaken(from: 6)
        #expect(batch.envelopes.map(\.dot.counter) == sealed && sealed.count == 2)
    }

    @Test
    func `many edits are left to the next step`() throws {
        let names = (1...9).map { "note \($0)" }
        #expect(try !home.noteEarly(names, "1"))
        #expect(try home.rows("outbox") == 9)
        #expect(try home.pushTaken(from: 6).envelopes.count == 9)
    }

    @Test
    func `nothing is sealed before a pull that is due, in a wait or on a locked device`() throws {
        try home.replica.notice(seq: 9, circleVersion: 1)
        #expect(try !home.noteEarly(["a"], "1"))
        try home.pull(account.page(to: 9))
        let (request, _) = try home.push()
        try home.replica.receive(.failed, to: request)
        #expect(try home.replica.earlySealing() == nil)
        home.clock.advance(seconds: 5)
        _ = try home.pushTaken(from: 10)
        #expect(try home.replica.earlySealing() != nil)
        home.keys.lock()
        home.device.keys.lock()
        #expect(try home.replica.earlySealing() == nil)
    }

    @Test
    func `a lock during the transaction leaves the write whole, and it is sent later`() throws {
        let seal = try #require(try home.replica.earlySealing())
        try home.database.write { database in
            try home.note("a", "1", in: database)
            home.keys.lock()
            home.device.keys.lock()
            try seal(database)
        }
        #expect(try home.rows("batch") == 0 && home.rows("outbox") == 1)
    }

    @Test
    func `a record that cannot be sealed leaves the write whole, and is downloaded again`() throws {
        try home.note("a", "1")
        _ = try home.pushTaken(from: 6)
        #expect(try home.replica.nextRequest() == .rest)
        try home.execute("UPDATE mirror SET state = zeroblob(100)")
        #expect(try !home.noteEarly(["a"], "2"))
        #expect(try home.notes() == ["a": "2"])
        #expect(try home.replica.state().cursor == nil)
        guard case .send(let request) = try home.replica.nextRequest() else {
            Issue.record("everything is pulled again")
            return
        }
        #expect(request.request == .pull(after: nil))
    }

    @Test
    func `a batch whose bytes changed on the disk after the transaction is not sent`() throws {
        #expect(try home.noteEarly(["a"], "1"))
        try home.execute("UPDATE batch SET signature = zeroblob(64)")
        try home.execute("UPDATE batch_record SET box = zeroblob(100)")
        let (_, batch) = try home.push()
        #expect(home.names(of: batch, among: "a") == ["a"])
        #expect(batch.envelopes.allSatisfy { $0.box.contains { $0 != 0 } })
        #expect(batch.signature.contains { $0 != 0 })
    }
}

private struct Undone: Error {}

extension ReplicaHome {
    /// Writes notes in one transaction as a key-value store does.
    ///
    /// - Returns: whether a batch was sealed in it.
    fileprivate func noteEarly(
        _ names: [String],
        _ text: String,
        isUndone: Bool = false
    ) throws -> Bool {
        let before = try rows("batch")
        let seal = try replica.earlySealing()
        try database.write { database in
            for name in names { try note(name, text, in: database) }
            try seal?(database)
            if isUndone { throw Undone() }
        }
        return try rows("batch") > before
    }

    fileprivate func rows(_ table: String) throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    fileprivate func sealedDots() throws -> [UInt64] {
        try database.read { database in
            try Int64.fetchAll(database, sql: "SELECT counter FROM batch_record ORDER BY id")
                .map { UInt64($0) }
        }
    }

    /// Which of these notes a batch has.
    fileprivate func names(of batch: Batch, among names: String...) -> Set<String> {
        let ring = device.keys.keyRing
        let sent = Set(batch.envelopes.map(\.recordID))
        return Set(
            names.filter {
                sent.contains(ring.recordID(forCanonicalKey: Array($0.utf8), kind: NoteStore.kind))
            }
        )
    }
}
