import GRDB
import KSRecords
import KSSealing
import KSWire
import Testing

import KSSyncEngine

/// The edits of one transaction are sent in one batch.
struct TransactionBatchTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome
    private static let large = String(repeating: "x", count: 60_000)

    init() throws {
        account = try ReplicaAccount()
        home = try ReplicaHome(account, hasNotes: true)
        try home.pull(account.page(to: 5))
    }

    @Test
    func `a batch that has room for a part of a transaction takes none of it`() throws {
        let others = Limits.batchRecordsMax - 2
        for number in 1...others { try home.note("note \(number)", "x") }
        try home.noteTogether(["a", "b", "c"], "1")
        let first = try home.pushTaken(from: 6)
        #expect(first.envelopes.count == others)
        let second = try home.pushTaken(from: 6 + UInt64(others))
        #expect(recordIDs(second) == home.noteIDs("a", "b", "c"))
        #expect(try home.replica.counts().unsent == 0)
    }

    @Test
    func `a batch takes a whole transaction even if its first entries fill it`() throws {
        for number in 1...31 { try home.note("note \(number)", Self.large) }
        try home.noteTogether(["a", "b", "c"], Self.large)
        let first = try home.pushTaken(from: 6)
        #expect(first.envelopes.count == 34)
        #expect(home.noteIDs("a", "b", "c").isSubset(of: recordIDs(first)))
    }

    @Test
    func `transactions that share a key are sent together, in whatever order they were made`()
        throws
    {
        for number in 1...(Limits.batchRecordsMax - 3) { try home.note("note \(number)", "x") }
        try home.noteTogether(["a", "b"], "1")
        try home.noteTogether(["c", "d"], "1")
        try home.noteTogether(["b", "c"], "2")
        // Tied already: no circle is made of them.
        try home.noteTogether(["d", "a"], "3")
        let first = try home.pushTaken(from: 6)
        #expect(first.envelopes.count == Limits.batchRecordsMax - 3)
        let second = try home.pushTaken(from: 503)
        #expect(recordIDs(second) == home.noteIDs("a", "b", "c", "d"))
        #expect(try home.ties(in: "outbox").isEmpty)
    }

    @Test
    func `a transaction is still sent together after its batch was refused`() throws {
        try home.noteTogether(["a", "b", "c"], "1")
        let (request, _) = try home.push()
        try home.replica.receive(.refused(.generationClosed), to: request)
        #expect(try home.ties(in: "outbox").count == 2)
        for number in 1...(Limits.batchRecordsMax - 2) { try home.note("note \(number)", "x") }
        try home.note("a", "2")
        try home.pull(account.page(to: 5))
        var batches: [Set<RecordID>] = []
        while try home.replica.counts().unsent > 0 {
            batches.append(recordIDs(try home.pushTaken(from: 6 + UInt64(batches.count * 600))))
        }
        let together = home.noteIDs("a", "b", "c")
        #expect(batches.filter { !$0.isDisjoint(with: together) }.count == 1)
        #expect(batches.contains { together.isSubset(of: $0) })
    }

    @Test
    func `a transaction with more entries than a batch holds is sent in parts, and none is lost`()
        throws
    {
        let names = (1...(Limits.batchRecordsMax + 20)).map { "key \($0)" }
        try home.noteTogether(names, "1")
        var sent: Set<RecordID> = []
        for part in 0..<2 {
            sent.formUnion(recordIDs(try home.pushTaken(from: 6 + UInt64(part) * 600)))
        }
        #expect(sent.count == names.count)
        #expect(try home.replica.counts().unsent == 0)
    }

    @Test
    func `a transaction that is larger than a batch is sent in parts, and none is lost`() throws {
        let names = (1...4).map { "key \($0)" }
        let large = String(repeating: "x", count: 900_000)
        try home.noteTogether(names, large)
        var sent: Set<RecordID> = []
        while try home.replica.counts().unsent > 0 {
            let batch = try home.pushTaken(from: 6 + UInt64(sent.count))
            #expect(batch.envelopes.reduce(0) { $0 + $1.box.count } <= Limits.batchBytesMax)
            sent.formUnion(recordIDs(batch))
        }
        #expect(sent.count == names.count)
    }

    @Test
    func `later edits wait behind a transaction that does not fit into a batch any more`() throws {
        let large = String(repeating: "x", count: 500_000)
        for name in ["first", "second", "third"] { try home.note(name, large) }
        // The largest is sealed last, so that one batch holds all of the transaction.
        let largest = String(repeating: "x", count: 1_500_000)
        try home.noteTogether(["a", "b", "c"], large, last: (name: "d", text: largest))
        try home.note("last", "x")
        var batches: [Set<RecordID>] = []
        var seq: UInt64 = 6
        while try home.replica.counts().unsent > 0 {
            let batch = try home.pushTaken(from: seq)
            seq += UInt64(batch.envelopes.count)
            batches.append(recordIDs(batch))
        }
        #expect(batches.first == home.noteIDs("first", "second", "third"))
        #expect(batches.dropFirst().first?.isSuperset(of: home.noteIDs("a", "b", "c", "d")) == true)
    }

    private func recordIDs(_ batch: Batch) -> Set<RecordID> {
        Set(batch.envelopes.map(\.recordID))
    }
}

extension ReplicaHome {
    /// Writes notes in one transaction.
    func noteTogether(
        _ names: [String],
        _ text: String,
        last: (name: String, text: String)? = nil
    ) throws {
        for name in names { try note(name, text) }
        if let last { try note(last.name, last.text) }
        let clock = clock
        let outbox = Outbox<NoteStore>(
            keys: device.keys,
            clock: { clock.milliseconds },
            whenCommitted: {}
        )
        try database.write { database in
            try outbox.sendTogether(
                (names + [last?.name].compactMap { $0 }).map { Array($0.utf8) },
                in: database
            )
        }
    }

    func noteIDs(_ names: String...) -> Set<RecordID> {
        let ring = device.keys.keyRing
        return Set(
            names.map { ring.recordID(forCanonicalKey: Array($0.utf8), kind: NoteStore.kind) }
        )
    }
}
