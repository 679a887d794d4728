import KSCausality
import KSRecords
import Testing
import KSWire

import KSSyncEngine

/// A deletion reaches the other devices, even if what it deletes cannot be read.
struct DamagedDeletionTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome
    private let first: Envelope

    /// The server holds one item.
    init() throws {
        home = try .caughtUp()
        account = home.account
        try home.save("wifi", "one")
        first = try home.pushTaken(from: 6).envelopes[0]
    }

    private func pullAll() throws {
        let actor = first.dot.actor
        try home.pull(
            account.page([.of([first], seq: 6)], to: 6, vector: [(actor: actor, counter: 1)])
        )
        #expect(try home.replica.state().hold == nil)
    }

    // MARK: What it deletes cannot be read

    @Test
    func `an item with a damaged mirror is deleted after it was pulled again`() throws {
        try home.spoil("state", of: "mirror", "wifi")
        try home.delete("wifi")
        try home.restart()
        try pullAll()
        #expect(try home.secret("wifi") == nil)
        let deletion = try #require(try home.pushTaken(from: 7).envelopes.first)
        #expect(deletion.isTombstone && deletion.replaced == [first.dot])
        #expect(try account.shown("wifi", [first, deletion]) == nil)
        #expect(try home.replica.counts().unsent == 0)
        #expect(try home.inspection() == SyncInspection())
    }

    @Test
    func `an item added in place of a deleted one replaces it`() throws {
        try home.spoil("state", of: "mirror", "wifi")
        try home.delete("wifi")
        try home.save("wifi", "again")
        try pullAll()
        #expect(try home.secret("wifi") == "again")
        let edited = try #require(try home.pushTaken(from: 7).envelopes.first)
        #expect(try account.shown("wifi", [edited]) == "again")
        #expect(try home.replica.counts().conflicts == 0)
    }

    @Test(arguments: [false, true])
    func `an item is deleted although its part of the batch is damaged`(isTakenFirst: Bool) throws {
        try home.save("bank", "two")
        let (request, batch) = try home.push()
        let sent = batch.envelopes[0]
        try home.spoil("work", of: "batch_record", "bank")
        if !isTakenFirst { try home.delete("bank") }
        if isTakenFirst {
            // The page arrives before the answer to the push.
            try home.replica.receive(.failed, to: request)
            try home.delete("bank")
            home.replica.wake()
            let vector = [(actor: sent.dot.actor, counter: sent.dot.counter)]
            try home.pull(account.page([.of([sent], seq: 7)], to: 7, vector: vector))
            #expect(try home.secret("bank") == nil)
            _ = try home.pushTaken(from: 7)
            try home.pull(account.page(to: 7, vector: vector))
        } else {
            try home.replica.receive(.pushed(account.taken(batch, from: 7)), to: request)
        }
        #expect(try home.secret("bank") == nil)
        let deletion = try #require(try home.pushTaken(from: 8).envelopes.first)
        #expect(deletion.isTombstone && deletion.replaced == [sent.dot])
        #expect(try account.shown("bank", [sent, deletion]) == nil)
    }

    @Test
    func `a deletion made before the damage covers the batch on its way`() throws {
        try home.save("bank", "two")
        let (request, batch) = try home.push()
        try home.delete("bank")
        try home.spoil("work", of: "batch_record", "bank")
        try home.replica.receive(.pushed(account.taken(batch, from: 7)), to: request)
        #expect(try home.secret("bank") == nil)
        let deletion = try #require(try home.pushTaken(from: 8).envelopes.first)
        #expect(deletion.isTombstone)
        #expect(try account.shown("bank", [batch.envelopes[0], deletion]) == nil)
    }

    @Test
    func `an item with a damaged mirror is renamed, and its old record is deleted`() throws {
        try home.spoil("state", of: "mirror", "wifi")
        try home.rename("wifi", to: "home")
        try pullAll()
        #expect(try home.secret("wifi") == nil)
        let batch = try home.pushTaken(from: 7)
        let old = try #require(batch.envelopes.first { $0.recordID == first.recordID })
        let new = try #require(batch.envelopes.first { $0.recordID == home.recordID("home") })
        #expect(old.isTombstone && old.replaced == [first.dot])
        #expect(try account.shown("wifi", [first, old]) == nil)
        #expect(try account.shown("home", [new]) == "one")
    }

    @Test
    func `an item is renamed with its values although its part of the batch is damaged`() throws {
        try home.save("bank", "two")
        let (request, batch) = try home.push()
        try home.spoil("work", of: "batch_record", "bank")
        try home.rename("bank", to: "other")
        try home.replica.receive(.pushed(account.taken(batch, from: 7)), to: request)
        let next = try home.pushTaken(from: 8)
        let old = try #require(next.envelopes.first { $0.recordID == home.recordID("bank") })
        let new = try #require(next.envelopes.first { $0.recordID == home.recordID("other") })
        #expect(old.isTombstone)
        #expect(try account.shown("bank", [batch.envelopes[0], old]) == nil)
        #expect(try account.shown("other", [new]) == "two")
    }

    // MARK: The deletion itself cannot be read

    @Test
    func `a damaged deletion is rebuilt, and does not stop other edits`() throws {
        try home.delete("wifi")
        try home.save("bank", "three")
        try home.spoil("edit", of: "outbox", "wifi")
        let batch = try home.pushTaken(from: 7)
        #expect(batch.envelopes.count == 2)
        let deletion = try #require(batch.envelopes.first { $0.recordID == first.recordID })
        #expect(deletion.isTombstone)
        #expect(try account.shown("wifi", [first, deletion]) == nil)
        #expect(try home.replica.openRecords()?.isEmpty == true)
        #expect(try home.inspection() == SyncInspection())
    }

    @Test(arguments: [false, true])
    func `a page does not undo a damaged deletion`(isMirrorDamaged: Bool) throws {
        try home.delete("wifi")
        try home.spoil("edit", of: "outbox", "wifi")
        if isMirrorDamaged { try home.spoil("state", of: "mirror", "wifi") }
        try home.hear(account.page([.of([first], seq: 7)], to: 7))
        #expect(try home.secret("wifi") == nil)
        #expect(try home.pushTaken(from: 8).envelopes.map(\.isTombstone) == [true])
    }

    @Test
    func `a damaged edit without an item is dropped, and the server's state stays`() throws {
        try home.save("wifi", "two")
        try home.spoil("edit", of: "outbox", "wifi")
        try home.execute("DELETE FROM genp")
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.secret("wifi") == "one")
        #expect(try home.replica.openRecords()?.isEmpty == true)
        #expect(try home.inspection() == SyncInspection())
    }
}
