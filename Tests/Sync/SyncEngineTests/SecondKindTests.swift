import KSDeviceKeys
import GRDB
import KSCausality
import KSRecords
import KSResolution
import KSSealing
import KSWire
import Synchronization
import Testing

import KSSyncEngine

/// A kind of record is one conformer of ``SyncedStore``; nothing else of sync knows its contents.
struct SecondKindTests {
    private static let number = Int64(NoteStore.kind.rawValue)

    private let account: ReplicaAccount
    private let writer: ReplicaHome
    private let reader: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        writer = try ReplicaHome(account, hasNotes: true)
        reader = try ReplicaHome(account, hasNotes: true)
        try writer.pull(account.page(to: 5))
        try reader.pull(account.page(to: 5))
    }

    @Test
    func `notes and items of one batch reach another device, each as its kind`() throws {
        try writer.note("milk", "two bottles")
        try writer.save("wifi", "one")
        #expect(try writer.kinds(in: "outbox") == [1, Self.number])
        let batch = try writer.pushTaken(from: 6)
        #expect(batch.envelopes.map(\.kind) == [NoteStore.kind, .keychain])
        #expect(try writer.kinds(in: "mirror") == [1, Self.number])
        let records = batch.envelopes.enumerated().map {
            PageAnswer.Record.of([$1], seq: 6 + UInt64($0))
        }
        try reader.hear(account.page(records, to: 7))
        #expect(try reader.notes() == ["milk": "two bottles"])
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.kinds(in: "mirror") == [1, Self.number])
    }

    @Test
    func `two concurrent edits of a note are kept, and a delete is synced`() throws {
        try writer.note("milk", "one")
        let first = try writer.pushTaken(from: 6).envelopes[0]
        try reader.hear(account.page([.of([first], seq: 6)], to: 6))
        try writer.note("milk", "two")
        reader.clock.advance(seconds: 1)
        try reader.note("milk", "three")
        let second = try writer.pushTaken(from: 7).envelopes[0]
        let third = try reader.pushTaken(from: 8).envelopes[0]
        let both = [second, third].sorted { $0.dot < $1.dot }
        for home in [writer, reader] {
            try home.hear(account.page([.of(both, seq: 9)], to: 9))
            #expect(try home.notes() == ["milk": "three"])
            #expect(try home.replica.counts().conflicts == 1)
        }
        try reader.note("milk", nil)
        let deletion = try reader.pushTaken(from: 10).envelopes[0]
        #expect(deletion.isTombstone && deletion.kind == NoteStore.kind)
        try writer.hear(account.page([.of([deletion], seq: 10)], to: 10))
        #expect(try writer.notes().isEmpty)
    }

    @Test
    func `two large concurrent notes fit in one record, which has a batch of its own`() throws {
        let large = String(repeating: "x", count: 1_200_000)
        try reader.note("milk", large)
        let other = try reader.pushTaken(from: 6).envelopes[0]
        writer.clock.advance(seconds: 1)
        try writer.note("apple", "red")
        try writer.note("milk", large + "y")
        try writer.hear(account.page([.of([other], seq: 6)], to: 6))
        let before = try writer.replica.state().counter
        let first = try writer.pushTaken(from: 7)
        #expect(first.envelopes.map(\.dot.counter) == [before + 1])
        #expect(first.envelopes.allSatisfy { $0.box.count < 1000 })
        let second = try writer.pushTaken(from: 8).envelopes
        #expect(second.map(\.dot.counter) == [before + 2])
        #expect(second.map(\.replaced) == [[other.dot]])
        #expect(second[0].box.count == NoteStore.kind.boxBytesMax)
        try reader.hear(account.page([.of(second, seq: 8)], to: 8))
        #expect(try reader.notes()["milk"]?.utf8.count == large.utf8.count + 1)
        #expect(try reader.replica.counts().conflicts == 1)
    }

    @Test
    func `notes pulled while locked wait, and a damaged edit is rebuilt`() throws {
        try writer.note("milk", "one")
        try writer.execute("UPDATE outbox SET edit = zeroblob(100)")
        let envelope = try writer.pushTaken(from: 6).envelopes[0]
        reader.keys.lock()
        reader.device.keys.lock()
        try reader.hear(account.page([.of([envelope], seq: 6)], to: 6))
        #expect(try reader.kinds(in: "waiting") == [Self.number])
        try reader.keys.unlock(passcode: nil)
        try reader.device.keys.unlock(from: reader.database)
        reader.replica.noticeUnlock()
        #expect(try reader.replica.nextRequest() == .rest)
        #expect(try reader.notes() == ["milk": "one"])
    }

    @Test
    func `a device quarantines records of an unknown kind, and syncs the others`() throws {
        try writer.note("milk", "one")
        try writer.save("wifi", "one")
        let envelopes = try writer.pushTaken(from: 6).envelopes
        let old = try ReplicaHome(account)
        let records = envelopes.enumerated().map {
            PageAnswer.Record.of([$1], seq: 6 + UInt64($0))
        }
        try old.pull(account.page(records, to: 7))
        #expect(try old.secret("wifi") == "one")
        let quarantined = try old.replica.counts().open.quarantined
        #expect(quarantined == [.init(record: envelopes[0].recordID, reason: .newerFormat)])
        #expect(try old.kinds(in: "sibling_quarantine") == [Self.number])
    }

    // MARK: What is new

    @Test
    func `a transaction with edits is announced once, and only if committed`() throws {
        let told = Mutex(0)
        let home = writer
        let outbox = Outbox<NoteStore>(
            keys: home.device.keys,
            clock: { 0 },
            whenCommitted: { told.withLock { $0 += 1 } }
        )
        let notes = ["milk", "bread"].map { NoteStore.Note(name: $0, text: "two") }
        struct Undone: Error {}
        for _ in 0..<2 {
            #expect(throws: Undone.self) {
                try home.database.write { database in
                    for note in notes { try outbox.note(.added(note), in: database) }
                    throw Undone()
                }
            }
        }
        #expect(told.withLock { $0 } == 0)
        for count in 1...2 {
            try home.database.write { database in
                for note in notes { try outbox.note(.added(note), in: database) }
                #expect(told.withLock { $0 } == count - 1)
            }
            #expect(told.withLock { $0 } == count)
        }
    }
}
