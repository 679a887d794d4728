import KSDeviceKeys
import KSCausality
import KSKeychain
import KSRecords
import KSResolution
import KSSealing
import Testing
import KSWire

import KSSyncEngine

/// Damaged rows of sync stop no other rows and lose nothing.
struct DamagedRowTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome
    private let other: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        home = try ReplicaHome(account)
        other = try ReplicaHome(account)
        try home.pull(account.page(to: 5))
        try other.pull(account.page(to: 5))
    }

    // MARK: The mirror

    @Test
    func `the next page replaces a damaged mirror`() throws {
        try other.save("wifi", "one")
        let first = try #require(try other.pushTaken(from: 6).envelopes.first)
        try home.hear(account.page([.of([first], seq: 6)], to: 6))
        try home.spoil("state", of: "mirror", "wifi")
        #expect(try home.inspection().mirror == 1)
        try other.save("wifi", "two")
        let second = try #require(try other.pushTaken(from: 7).envelopes.first)
        try home.hear(account.page([.of([second], seq: 7)], to: 7))
        #expect(try home.secret("wifi") == "two")
        #expect(try home.inspection() == SyncInspection())
    }

    @Test
    func `an edit over a damaged mirror waits until the record is pulled again`() throws {
        try home.save("wifi", "one")
        let first = try home.pushTaken(from: 6).envelopes[0]
        try home.spoil("state", of: "mirror", "wifi")
        try home.save("wifi", "two")
        try home.save("bank", "three")
        // Everything is pulled again first; the other item is not held up.
        let actor = try home.replica.state().actor
        try home.pull(
            account.page([.of([first], seq: 6)], to: 6, vector: [(actor: actor, counter: 1)])
        )
        #expect(try home.replica.state().hold == nil)
        #expect(try home.inspection() == SyncInspection())
        #expect(try home.secret("wifi") == "two")
        let batch = try home.pushTaken(from: 7)
        #expect(batch.envelopes.count == 2)
        let edited = try #require(batch.envelopes.first { $0.recordID == first.recordID })
        #expect(edited.replaced == [first.dot])
        #expect(try account.shown("wifi", [edited]) == "two")
    }

    @Test
    func `an edit is not sent over a mirror that was damaged later`() throws {
        try home.save("wifi", "one")
        let first = try home.pushTaken(from: 6).envelopes[0]
        try home.save("wifi", "two")
        try home.spoil("state", of: "mirror", "wifi")
        try home.save("bank", "three")
        #expect(try home.pushTaken(from: 7).envelopes.map(\.recordID) == [home.recordID("bank")])
        #expect(try home.replica.counts().blocked == 1)
        try home.restart()
        #expect(try home.next().request == .pull(after: nil))
        home.replica.giveUpRequest()
        let actor = try home.replica.state().actor
        try home.pull(
            account.page([.of([first], seq: 6)], to: 7, vector: [(actor: actor, counter: 2)])
        )
        #expect(try home.replica.counts().blocked == 0)
        let edited = try #require(try home.pushTaken(from: 8).envelopes.first)
        #expect(edited.replaced == [first.dot])
        #expect(try account.shown("wifi", [edited]) == "two")
    }

    @Test(arguments: [
        ("dots", "CAST(substr(dots, 1, 11) || x'FF00FF' || substr(dots, 15) AS BLOB)"),
        ("seq", "seq + (1 << 40)"), ("seq", "-1"), ("is_stub", "1"), ("kind", "2"),
        ("dots_check", "x''"),
    ])
    func `the clear columns of a damaged mirror are not believed`(
        column: String,
        value: String
    ) throws {
        try other.save("wifi", "one")
        let first = try #require(try other.pushTaken(from: 6).envelopes.first)
        let vector = [(actor: first.dot.actor, counter: first.dot.counter)]
        try home.hear(account.page([.of([first], seq: 6)], to: 6, vector: vector))
        try home.spoil(column, of: "mirror", "wifi", to: value)
        #expect(try home.inspection().mirror == 1)
        // The server shows the same as before, so sync is not paused.
        try home.hear(account.page([.of([first], seq: 7)], to: 7, vector: vector))
        #expect(try home.replica.state().hold == nil)
        #expect(try home.inspection() == SyncInspection())
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == [first.dot])
        #expect(try home.mirror("wifi")?.seq == 7)
    }

    @Test
    func `a page on its way does not cancel the download of everything`() throws {
        try home.save("wifi", "one")
        let first = try home.pushTaken(from: 6).envelopes[0]
        try home.replica.notice(seq: .max, circleVersion: 1)
        let request = try home.next()
        try home.spoil("state", of: "mirror", "wifi")
        try home.save("wifi", "two")
        let vector = [(actor: first.dot.actor, counter: first.dot.counter)]
        try home.replica.receive(.page(account.page(to: 7, vector: vector)), to: request)
        #expect(try home.next().request == .pull(after: nil))
        home.replica.giveUpRequest()
        try home.pull(account.page([.of([first], seq: 6)], to: 7, vector: vector))
        #expect(try home.inspection() == SyncInspection())
        #expect(try home.pushTaken(from: 8).envelopes.map(\.replaced) == [[first.dot]])
    }

    @Test
    func `a batch states no cursor while everything is pulled again`() throws {
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        try home.save("wifi", "two")
        try home.save("bank", "three")
        try home.spoil("state", of: "mirror", "wifi")
        #expect(try home.replica.state().cursor != nil)
        guard case .push(_, let applied) = try home.next().request else {
            Issue.record("nothing is pushed")
            return
        }
        #expect(applied == nil)
    }

    // MARK: What is unsent

    @Test
    func `a damaged edit is rebuilt from its item, and does not stop other edits`() throws {
        try home.save("wifi", "one")
        let first = try home.pushTaken(from: 6).envelopes[0]
        try home.save("wifi", "two")
        try home.save("bank", "three")
        try home.spoil("edit", of: "outbox", "wifi")
        #expect(try home.inspection().outbox == 1)
        let batch = try home.pushTaken(from: 7)
        #expect(batch.envelopes.count == 2)
        let edited = try #require(batch.envelopes.first { $0.recordID == first.recordID })
        #expect(try account.shown("wifi", [edited]) == "two")
        #expect(try home.inspection() == SyncInspection())
    }

    @Test
    func `a page does not undo a damaged edit`() throws {
        try home.save("wifi", "one")
        let first = try home.pushTaken(from: 6).envelopes[0]
        try other.hear(account.page([.of([first], seq: 6)], to: 6))
        home.clock.advance(seconds: 10)
        try home.save("wifi", "two")
        try home.spoil("edit", of: "outbox", "wifi")
        try other.save("wifi", "three")
        let second = try #require(try other.pushTaken(from: 7).envelopes.first)
        let actor = try home.replica.state().actor
        try home.hear(
            account.page([.of([second], seq: 7)], to: 7, vector: [(actor: actor, counter: 1)])
        )
        #expect(try home.secret("wifi") == "two")
        let edited = try #require(try home.pushTaken(from: 8).envelopes.first)
        #expect(edited.replaced == [second.dot])
        #expect(try home.replica.counts().conflicts == 1)
        #expect(try account.shown("wifi", [edited]) == "two")
    }

    // MARK: The batch on its way

    @Test
    func `a batch with a damaged record is still acknowledged`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.spoil("work", of: "batch_record", "wifi")
        #expect(try home.inspection().batch == 1)
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: request)
        #expect(try home.replica.counts().unsent == 0)
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == batch.envelopes.map(\.dot))
        #expect(try home.secret("wifi") == "one")
        try home.save("wifi", "two")
        let next = try home.pushTaken(from: 7)
        #expect(next.envelopes.map(\.replaced) == [batch.envelopes.map(\.dot)])
    }

    @Test
    func `an accepted write does not hide the siblings of a damaged mirror`() throws {
        try other.save("wifi", "one")
        let first = try #require(try other.pushTaken(from: 6).envelopes.first)
        try home.save("wifi", "two")
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        let theirs = (actor: first.dot.actor, counter: first.dot.counter)
        home.replica.wake()
        try home.pull(account.page([.of([first], seq: 6)], to: 6, vector: [theirs]))
        try home.spoil("state", of: "mirror", "wifi")
        let mine = batch.envelopes[0]
        let dots = [first.dot, mine.dot].sorted()
        let (again, _) = try home.push()
        try home.replica.receive(.pushed(account.taken(batch, from: 7, dots: dots)), to: again)
        let siblings = [first, mine].sorted { $0.dot < $1.dot }
        let own = (actor: mine.dot.actor, counter: mine.dot.counter)
        try home.pull(account.page([.of(siblings, seq: 7)], to: 7, vector: [theirs, own]))
        #expect(try home.replica.state().hold == nil)
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == dots)
        #expect(try home.replica.counts().conflicts == 1)
    }

    @Test
    func `a damaged batch is taken apart and loses nothing`() throws {
        for sql in [
            "UPDATE batch_record SET work = zeroblob(100)", "UPDATE batch SET header = x'00'",
            "UPDATE batch_record SET replaced = x'00', work = zeroblob(100)",
        ] {
            let home = try ReplicaHome(account)
            try home.pull(account.page(to: 5))
            try home.save("wifi", "one")
            let (request, batch) = try home.push()
            try home.execute(sql)
            try home.replica.receive(.refused(.actorForked), to: request)
            try home.pull(account.page(to: 5))
            let again = try home.push().batch
            #expect(try account.shown("wifi", again.envelopes) == "one")
            // The server may have accepted the first batch all the same.
            #expect(try account.shown("wifi", again.envelopes + batch.envelopes) == "one")
        }
    }

    @Test
    func `a batch with a damaged header is taken apart`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        try home.execute("UPDATE batch SET header = x'00'")
        home.clock.advance(seconds: 100)
        let again = try home.push().batch
        #expect(again.envelopes.map(\.recordID) == batch.envelopes.map(\.recordID))
        #expect(again.envelopes[0].dot.actor != batch.envelopes[0].dot.actor)
    }

    @Test(arguments: [
        "UPDATE batch SET signature = zeroblob(64)",
        "UPDATE batch_record SET box = CAST(box || x'00' AS BLOB)",
        "UPDATE batch_record SET box = zeroblob(length(box))",
        "UPDATE batch_record SET is_tombstone = 1", "UPDATE batch_record SET counter = counter + 1",
        "UPDATE batch_record SET counter = -1", "UPDATE batch_record SET replaced = zeroblob(8)",
        "DELETE FROM batch_record WHERE id = 0",
    ])
    func `a batch that does not match its signature is taken apart`(sql: String) throws {
        try home.save("wifi", "zero")
        _ = try home.pushTaken(from: 6)
        try home.save("wifi", "one")
        try home.save("bank", "two")
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        try home.execute("PRAGMA ignore_check_constraints = 1; " + sql)
        #expect(try home.inspection().batch == 1)
        home.clock.advance(seconds: 100)
        let (second, again) = try home.push()
        #expect(again.envelopes[0].dot.actor != batch.envelopes[0].dot.actor)
        #expect(home.device.keys.signer.hasSigned(again))
        _ = try again.checkedHeader()
        try home.replica.receive(.pushed(account.taken(again, from: 7)), to: second)
        #expect(try home.inspection() == SyncInspection())
    }

    // MARK: What waits for an unlock

    @Test
    func `a damaged waiting record is pulled again, and does not stop others`() throws {
        try other.save("wifi", "one")
        try other.save("bank", "two")
        let envelopes = try other.pushTaken(from: 6).envelopes
        let records = envelopes.enumerated().map { offset, envelope in
            PageAnswer.Record.of([envelope], seq: UInt64(offset) + 6)
        }
        let actor = try other.replica.state().actor
        let page = account.page(records, to: 7, vector: [(actor: actor, counter: 2)])
        home.keys.lock()
        home.device.keys.lock()
        try home.hear(page)
        try home.spoil("message", of: "waiting", "wifi")
        try home.keys.unlock(passcode: nil)
        try home.device.keys.unlock(from: home.database)
        home.replica.noticeUnlock()
        #expect(try home.inspection().waiting == 1)
        let request = try home.next()
        #expect(request.request == .pull(after: nil))
        #expect(try home.secret("bank") == "two")
        try home.replica.receive(.page(page), to: request)
        #expect(try home.replica.state().hold == nil)
        #expect(try home.secret("wifi") == "one")
        #expect(try home.inspection() == SyncInspection())
    }

    // MARK: The pins

    @Test
    func `damaged pins count as missing`() throws {
        let actor = try home.replica.state().actor
        for bytes in [[], [1, 2, 3]] as [[UInt8]] {
            home.keyFiles.replace(.devicePins, with: bytes)
            try home.restart()
            let state = try home.replica.state()
            #expect(state.actor != actor)
            #expect(try home.keys.pins()?.actor == state.actor)
        }
    }
}
