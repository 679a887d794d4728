import Foundation
import GRDB
import KSCausality
import KSKeychain
import KSRecords
import KSResolution
import KSTestSupport
import KSWire
import Testing

import KSSyncEngine

/// A device after its server has removed deleted records.
struct RemovalTests {
    /// The page of a server that has removed deleted records up to this seq.
    private func page(
        _ account: ReplicaAccount,
        _ records: [PageAnswer.Record] = [],
        to seq: UInt64,
        hasMore: Bool = false,
        accountSeq: UInt64 = 0,
        removalHorizon: UInt64
    ) -> PageAnswer {
        let page = account.page(records, to: seq, hasMore: hasMore)
        return PageAnswer(
            records: page.records,
            cursor: page.cursor,
            hasMore: page.hasMore,
            vector: page.vector,
            circleVersion: page.circleVersion,
            accountSeq: accountSeq,
            removalHorizon: removalHorizon
        )
    }

    /// The same for a device whose own writes the server has.
    private func page(
        _ home: ReplicaHome,
        to seq: UInt64,
        hasMore: Bool = false,
        removalHorizon: UInt64
    ) throws -> PageAnswer {
        let page = home.account.page(to: seq, hasMore: hasMore)
        let state = try home.replica.state()
        var vector = page.vector
        if state.counter > 0 { vector.raise(state.actor, to: state.counter) }
        return PageAnswer(
            records: [],
            cursor: page.cursor,
            hasMore: hasMore,
            vector: vector,
            circleVersion: page.circleVersion,
            removalHorizon: removalHorizon
        )
    }

    /// A device that has deleted its item, at seq 7.
    private func deleted() throws -> ReplicaHome {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        try home.delete("wifi")
        _ = try home.pushTaken(from: 7)
        #expect(try home.mirror("wifi")?.isStub == true)
        return home
    }

    private func count(_ home: ReplicaHome, _ condition: String) throws -> Int? {
        try home.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM " + condition) }
    }

    @Test
    func `a deleted record is forgotten once the server has removed it, and not before`() throws {
        let home = try deleted()
        try home.hear(page(home, to: 8, removalHorizon: 6))
        #expect(try home.mirror("wifi")?.isStub == true)
        try home.hear(page(home, to: 9, hasMore: true, removalHorizon: 8))
        #expect(try home.mirror("wifi") != nil, "a later page may still show it")
        try home.hear(page(home, to: 10, removalHorizon: 8))
        #expect(try home.mirror("wifi") == nil)
        #expect(try home.replica.reconciliation() == nil)
    }

    @Test
    func `the same item starts from nothing when it is added again`() throws {
        let home = try deleted()
        try home.hear(page(home, to: 8, removalHorizon: 8))
        try home.save("wifi", "two")
        let batch = try home.pushTaken(from: 9)
        #expect(batch.envelopes.map(\.replaced) == [[]])
        #expect(try home.secret("wifi") == "two")
        #expect(try home.replica.state().cursor?.seq == 9)
    }

    @Test
    func `a record with an unsent edit, or a batch on its way, is kept`() throws {
        let home = try deleted()
        try home.save("wifi", "two")
        try home.hear(page(home, to: 8, removalHorizon: 8))
        #expect(try home.mirror("wifi")?.isStub == true)
        let (request, batch) = try home.push()
        try home.replica.notice(seq: 9, circleVersion: 1)
        try home.replica.receive(.pushed(home.account.taken(batch, from: 9)), to: request)
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == batch.envelopes.map(\.dot))
        #expect(try home.secret("wifi") == "two")
    }

    @Test
    func `a record with a sibling that this device cannot open is kept`() throws {
        let home = try deleted()
        try home.execute("UPDATE mirror SET seq = 7")
        let record = home.recordID("wifi")
        try home.execute(
            """
            INSERT INTO sibling_quarantine (record, kind, actor, counter, reason)
            VALUES (x'\(record.bytes.map { String(format: "%02x", $0) }.joined())', 1,
                x'0000000000000001', 1, 'keyMissing')
            """
        )
        try home.hear(page(home, to: 8, removalHorizon: 8))
        #expect(try count(home, "mirror") == 1)
    }

    @Test
    func `a pull over a batch without an answer says so`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.replica.notice(seq: 6, circleVersion: 1)
        var request = try home.next()
        #expect(request.request == .pull(after: home.account.cursor(5)))
        #expect(request.pullNote == PullNote())
        try home.replica.receive(.page(home.account.page(to: 6)), to: request)
        try home.save("wifi", "one")
        let (push, _) = try home.push()
        try home.replica.receive(.failed, to: push)
        try home.replica.notice(seq: 7, circleVersion: 1)
        home.clock.advance(seconds: 60)
        request = try home.next()
        #expect(request.request == .pull(after: home.account.cursor(6)))
        #expect(request.pullNote.hasBatch)
    }

    @Test
    func `a device that pulls everything says up to where it has missed no removal`() throws {
        // A new device: what is removed while it pulls was deleted when it began.
        let account = try ReplicaAccount()
        let home = try ReplicaHome(account)
        var request = try home.next()
        #expect(request.pullNote.completeSeq == nil)
        let first = page(account, to: 3, hasMore: true, accountSeq: 9, removalHorizon: 5)
        try home.replica.receive(.page(first), to: request)
        request = try home.next()
        #expect(request.request == .pull(after: account.cursor(3)))
        #expect(request.pullNote.completeSeq == 9)
        // Nothing is sent meanwhile, as the cursor does not say what the device has missed.
        try home.save("wifi", "one")
        try home.replica.receive(.failed, to: request)
        home.clock.advance(seconds: 60)
        request = try home.next()
        #expect(request.request == .pull(after: account.cursor(3)))
        try home.replica.receive(.page(page(account, to: 9, removalHorizon: 5)), to: request)
        #expect(try home.replica.state().completeSeq == nil)
        _ = try home.pushTaken(from: 10)

        // Damage: its mirrors are as old as its cursor was.
        try home.database.write { try SyncStateTable.askForAll(in: $0) }
        request = try home.next()
        #expect(request.request == .pull(after: nil))
        #expect(request.pullNote.completeSeq == 10)
        try home.replica.receive(.refused(.resyncRequired), to: request)
        #expect(try home.replica.reconciliation()?.reason == .resyncRequired)
    }

    // MARK: The return of a dormant device

    /// Answers the requests of a comparison with a server that has only `bank`.
    private func compare(_ home: ReplicaHome, _ bank: Envelope) throws {
        try home.answerCircle()
        try home.pull(
            page(home.account, [.of([bank], seq: 7)], to: 20, accountSeq: 20, removalHorizon: 15)
        )
        home.clock.advance(seconds: 10)
    }

    @Test
    func `what the server has removed goes, and can be put back`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "one")
        try home.save("bank", "two")
        let sent = try home.pushTaken(from: 6).envelopes
        let bank = try #require(sent.first { $0.recordID == home.recordID("bank") })
        try home.replica.notice(seq: 20, circleVersion: 1)
        try home.replica.receive(.refused(.resyncRequired), to: home.next())
        try compare(home, bank)
        #expect(try home.secret("wifi") == nil)
        #expect(try home.secret("bank") == "two")
        #expect(try home.replica.counts().unsent == 0)
        #expect(try count(home, "deleted_item") == 1)
        try home.hear(page(home, to: 21, removalHorizon: 15))
        #expect(try count(home, "mirror") == 1)
    }

    /// A device that comes back to a server which has removed thirty of its items; one is left.
    private func emptied() throws -> (home: ReplicaHome, names: [String]) {
        let home = try ReplicaHome.caughtUp()
        let names = (0..<30).map { "site-\($0)" }
        for name in names + ["bank"] { try home.save(name, "one") }
        let sent = try home.pushTaken(from: 6).envelopes
        let bank = try #require(sent.first { $0.recordID == home.recordID("bank") })
        try home.replica.notice(seq: 40, circleVersion: 1)
        try home.replica.receive(.refused(.resyncRequired), to: home.next())
        try home.answerCircle()
        let last = page(
            home.account,
            [.of([bank], seq: 36)],
            to: 40,
            accountSeq: 40,
            removalHorizon: 38
        )
        try home.pull(last)
        return (home, names)
    }

    @Test
    func `of many items that the server has removed the user is asked`() throws {
        let (home, names) = try emptied()
        for name in names { #expect(try home.secret(name) == "one") }
        #expect(try home.replica.counts().deletions == 30)
        let held = try home.replica.heldDeletions()
        #expect(held.count == 30 && held.allSatisfy { $0.state.isAlive && $0.note == nil })
        // What is edited meanwhile stays.
        try home.save("site-3", "two")
        #expect(try home.replica.answerDeletions(.accept) == 30)
        for name in names where name != "site-3" { #expect(try home.secret(name) == nil) }
        #expect(try home.secret("site-3") == "two" && home.secret("bank") == "one")
        #expect(try count(home, "deleted_item") == 29)
        #expect(try home.replica.counts().deletions == 0)
        let pushed = try pushedStates(home)
        #expect(Set(pushed.keys) == [home.recordID("site-3")])
    }

    @Test
    func `what the server has removed is kept if the user says so`() throws {
        let (home, names) = try emptied()
        #expect(try home.replica.answerDeletions(.keep) == 30)
        for name in names + ["bank"] { #expect(try home.secret(name) == "one") }
        let pushed = try pushedStates(home)
        #expect(Set(pushed.keys) == Set(names.map(home.recordID)))
        #expect(pushed.values.allSatisfy { $0.shownSecret == Array("one".utf8) })
    }

    @Test
    func `what the user has deleted too is not kept`() throws {
        let (home, names) = try emptied()
        try home.delete("site-3")
        _ = try home.replica.answerDeletions(.keep)
        #expect(try home.secret("site-3") == nil)
        for name in names where name != "site-3" { #expect(try home.secret(name) == "one") }
    }

    @Test
    func `what is kept keeps its past, beside an unsent edit too`() throws {
        let (home, _) = try emptied()
        try home.save("site-3", "two")
        _ = try home.replica.answerDeletions(.keep)
        let site = try #require(try pushedStates(home)[home.recordID("site-3")])
        #expect(site.shownSecret == Array("two".utf8))
        #expect(site.shownHistory.map(\.value) == [Array("one".utf8)])
    }

    @Test
    func `an item that went up again before the answer stays`() throws {
        let (home, names) = try emptied()
        try home.save("site-3", "two")
        let pushed = try pushedStates(home)
        #expect(Set(pushed.keys) == [home.recordID("site-3")])
        // Somebody had deleted the earlier secret.
        #expect(pushed.values.allSatisfy { $0.isAlive && $0.shownHistory.isEmpty })
        #expect(try home.replica.answerDeletions(.accept) == 29)
        #expect(try home.secret("site-3") == "two")
        for name in names where name != "site-3" { #expect(try home.secret(name) == nil) }
    }

    @Test
    func `an unsent edit of a removed record is pushed, without what was deleted`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "zero")
        try home.save("bank", "two")
        let sent = try home.pushTaken(from: 6).envelopes
        let bank = try #require(sent.first { $0.recordID == home.recordID("bank") })
        try home.save("wifi", "one")
        home.clock.advance(seconds: 10)
        try home.replica.notice(seq: 20, circleVersion: 1)
        try home.replica.receive(.refused(.resyncRequired), to: home.next())
        try compare(home, bank)
        #expect(try home.secret("wifi") == "one")
        let pushed = try pushedStates(home)
        let wifi = try #require(pushed[home.recordID("wifi")])
        #expect(wifi.isAlive && wifi.shownSecret == Array("one".utf8))
        // Somebody had deleted the earlier secret.
        #expect(wifi.shownHistory.isEmpty)
    }

    /// The states in the next batch.
    private func pushedStates(_ home: ReplicaHome) throws -> [RecordID: RecordState] {
        var (_, batch) = try nextPush(home)
        if batch.envelopes.isEmpty { (_, batch) = try home.push() }
        let shelf = RecordShelf(rows: home.device.keys.rows)
        return try home.database.read { database in
            let states = try batch.envelopes.compactMap { envelope in
                try shelf.load(envelope.recordID, from: database).onItsWay.map {
                    (envelope.recordID, $0.state)
                }
            }
            return Dictionary(uniqueKeysWithValues: states)
        }
    }

    /// The next push, after the pull before it.
    private func nextPush(_ home: ReplicaHome) throws -> (NumberedRequest, Batch) {
        while true {
            let request = try home.next()
            switch request.request {
            case .push(let batch, _): return (request, batch)
            case .pull:
                let last = page(home.account, to: 20, accountSeq: 20, removalHorizon: 15)
                try home.replica.receive(.page(last), to: request)
            default: Issue.record("\(request)")
            }
        }
    }

    @Test
    func `an outdated batch is taken apart into unsent edits, and compared`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "zero")
        try home.save("bank", "two")
        let sent = try home.pushTaken(from: 6).envelopes
        let bank = try #require(sent.first { $0.recordID == home.recordID("bank") })
        try home.save("wifi", "one")
        let before = try home.replica.state().actor
        let (request, batch) = try home.push()
        #expect(request.request == .push(batch, applied: home.account.cursor(7)))
        try home.replica.receive(.refused(.resyncRequired), to: request)
        #expect(try home.replica.state().actor != before)
        #expect(try home.replica.reconciliation()?.reason == .resyncRequired)
        try compare(home, bank)
        #expect(try home.secret("wifi") == "one")
        let wifi = try #require(try pushedStates(home)[home.recordID("wifi")])
        #expect(wifi.shownHistory.isEmpty)
    }

    @Test
    func `a batch that a dormant device had sent is asked for with the old cursor`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "one")
        let (push, batch) = try home.push()
        try home.replica.receive(.failed, to: push)
        try home.replica.notice(seq: 20, circleVersion: 1)
        home.clock.advance(seconds: 60)
        try home.replica.receive(.refused(.resyncRequired), to: home.next())
        try home.answerCircle()
        let (again, same) = try home.push()
        #expect(again.request == .push(batch, applied: home.account.cursor(5)))
        // The server had accepted it: its answer tells, and nothing is made twice.
        try home.replica.receive(.pushed(home.account.taken(same, from: 6)), to: again)
        #expect(try home.replica.counts().unsent == 0)
    }

    // MARK: Size

    @Test
    func `a device that added and deleted many items is as small as one that never did`() throws {
        func size(deleting: Int) throws -> Int {
            let home = try ReplicaHome.caughtUp()
            var seq: UInt64 = 6
            func pushAll() throws {
                while try home.replica.counts().unsent > 0 {
                    seq += UInt64(try home.pushTaken(from: seq).envelopes.count)
                }
            }
            for number in 0..<300 { try home.save("kept \(number)", "secret") }
            try pushAll()
            for number in 0..<deleting { try home.save("gone \(number)", "secret") }
            try pushAll()
            for number in 0..<deleting { try home.delete("gone \(number)") }
            try pushAll()
            // 30 days later the server removes them; then they are no longer "recently deleted".
            try home.hear(page(home, to: seq, removalHorizon: seq))
            try home.execute("UPDATE deleted_item SET keptSeconds = keptSeconds - 31 * 86400")
            try home.keychain.forgetOldDeleted()
            try OldDeletions.forget(of: home.stores, atMilliseconds: 1 << 62, in: home.database)
            return try home.database.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        }
        let count = isThorough ? 100_000 : 600
        let (without, with) = (try size(deleting: 0), try size(deleting: count))
        #expect(without > 50)
        #expect(Double(with) < 1.1 * Double(without), "\(with) and \(without) pages")
    }
}
