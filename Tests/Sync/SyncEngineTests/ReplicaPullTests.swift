import KSDeviceKeys
import KSCausality
import GRDB
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSSealing
import Testing
import KSWire

import KSSyncEngine

/// A device applies the server's pages, also those of a dishonest server.
struct ReplicaPullTests {
    private let account: ReplicaAccount
    private let reader: ReplicaHome
    private let writer: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        (reader, writer) = try account.readerAndWriter()
    }

    /// The writer's next write of an item.
    private func envelope(_ service: String, _ secret: String, seq: UInt64) throws -> Envelope {
        try writer.save(service, secret)
        return try #require(try writer.pushTaken(from: seq).envelopes.first)
    }

    @Test
    func `a page is applied, and the cursor moves with it`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        try reader.pull(account.page([.of([first], seq: 1)], to: 1))
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.replica.state().cursor == account.cursor(1))
    }

    @Test
    func `the cursor stays where it was when a page cannot be applied`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        let page = account.page([.of([first], seq: 1)], to: 1)
        try reader.database.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON mirror
                    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
                    """
            )
        }
        #expect(throws: DatabaseError.self) { try reader.pull(page) }
        #expect(try reader.replica.state().cursor == nil)
        #expect(try reader.replica.state().lastSuccessMilliseconds == nil)
        try reader.database.write { try $0.execute(sql: "DROP TRIGGER full") }
        reader.replica.giveUpRequest()
        try reader.pull(page)
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.replica.state().cursor == account.cursor(1))
    }

    @Test
    func `a server that went back or has a new epoch is compared with, from the start`() throws {
        let actor = ActorID(rawValue: 5)
        let known = account.page(to: 5, vector: [(actor: actor, counter: 3)])
        let epoch = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        let pages: [(PageAnswer, Reconciliation.Reason)] = [
            (account.page(to: 6, vector: [(actor: actor, counter: 2)]), .serverWentBack),
            (account.page(to: 6), .serverWentBack),
            (account.page(to: 4, vector: [(actor: actor, counter: 3)]), .serverWentBack),
            (
                account.page(to: 6, epoch: epoch, vector: [(actor: actor, counter: 3)]),
                .serverRestored
            ),
        ]
        for (page, reason) in pages {
            let home = try ReplicaHome(account)
            try home.pull(known)
            try home.hear(page)
            #expect(try home.replica.reconciliation()?.reason == reason)
            #expect(try home.replica.state().cursor == account.cursor(5))
            // Nothing is sent or applied before everything was compared, also after a restart.
            try home.save("wifi", "one")
            for _ in 0..<2 {
                #expect(try home.next().request == .circle(after: 0))
                try home.restart()
            }
            try home.answerCircle()
            for _ in 0..<2 {
                #expect(try home.next().request == .pull(after: nil))
                try home.restart()
            }
        }
    }

    @Test
    func `a server that went back between two pages is compared with`() throws {
        let actor = ActorID(rawValue: 5)
        try reader.pull(account.page(to: 1, hasMore: true, vector: [(actor: actor, counter: 3)]))
        try reader.hear(account.page(to: 2, vector: [(actor: actor, counter: 2)]))
        #expect(try reader.replica.reconciliation()?.reason == .serverWentBack)
    }

    @Test
    func `only the last page raises the vector`() throws {
        let vector: [(actor: ActorID, counter: UInt64)] = [(ActorID(rawValue: 5), 3)]
        try reader.pull(account.page(to: 1, hasMore: true, vector: vector))
        #expect(try reader.database.read(SyncStateTable.vector) == VersionVector())
        #expect(try reader.replica.state().lastSuccessMilliseconds == nil)
        try reader.pull(account.page(to: 2, vector: vector))
        #expect(try reader.database.read(SyncStateTable.vector).covers(VersionVector(vector)))
        #expect(try reader.replica.state().lastSuccessMilliseconds == reader.clock.milliseconds)
    }

    @Test
    func `a page with nothing new writes nothing, and still counts as a success`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        // Also beside 1,000 actors that write no more.
        let dots = [first.dot, Dot(actor: ReplicaAccount.otherActor, counter: 1)]
        let retired: [(actor: ActorID, counter: UInt64)] =
            dots.map { ($0.actor, $0.counter) }
            + (1...1000).map { (ActorID(rawValue: 1000 + $0), 3) }
        try reader.pull(account.page([.of([first], seq: 1)], to: 1, vector: retired))
        func changes() throws -> Int { try reader.database.read { $0.totalChangesCount } }
        let before = try changes()
        for _ in 0..<5 {
            reader.clock.advance(seconds: 60)
            try reader.hear(account.page(to: 1, vector: retired))
            #expect(try reader.replica.state().lastSuccessMilliseconds == reader.clock.milliseconds)
        }
        #expect(try changes() == before)
        // A restart forgets at most an hour of it.
        reader.clock.advance(seconds: 3600)
        try reader.hear(account.page(to: 1, vector: retired))
        #expect(try changes() > before)
        try reader.restart()
        #expect(try reader.replica.state().lastSuccessMilliseconds == reader.clock.milliseconds)
    }

    @Test
    func `an accepted batch is a success too, after a page that had nothing new`() throws {
        try reader.pull(account.page(to: 5))
        try reader.hear(account.page(to: 5))
        reader.clock.advance(seconds: 60)
        try reader.save("wifi", "one")
        _ = try reader.pushTaken(from: 6)
        #expect(try reader.replica.state().lastSuccessMilliseconds == reader.clock.milliseconds)
    }

    @Test
    func `a failed sync does not change the time of the last success`() throws {
        try reader.pull(account.page(to: 0))
        let success = try reader.replica.state().lastSuccessMilliseconds
        #expect(success == reader.clock.milliseconds)
        reader.clock.advance(seconds: 100)
        for answer in [SyncAnswer.failed, .refused(.unavailable), .circle([])] {
            reader.replica.wake()
            try reader.replica.receive(answer, to: reader.next())
            #expect(try reader.replica.state().lastSuccessMilliseconds == success)
        }
    }

    @Test
    func `a page with a record without siblings is refused`() throws {
        let empty = PageAnswer.Record(id: reader.recordID("wifi"), seq: 1, siblings: [])
        try reader.pull(account.page([empty], to: 1))
        #expect(try reader.replica.state().cursor == nil)
        guard case .waitUntil = try reader.replica.nextRequest() else {
            Issue.record("it does not wait")
            return
        }
    }

    @Test
    func `an older state of a record changes nothing`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        let second = try envelope("wifi", "two", seq: 2)
        try reader.pull(account.page([.of([second], seq: 2)], to: 2))
        try reader.execute("UPDATE sync_state SET cursor_seq = NULL, cursor_tag = NULL")
        try reader.hear(account.page([.of([first], seq: 1)], to: 3))
        #expect(try reader.secret("wifi") == "two")
        #expect(try reader.mirror("wifi")?.siblings.map(\.dot) == [second.dot])
    }

    @Test
    func `a replaced sibling is dropped, even if the server still shows it`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        let second = try envelope("wifi", "two", seq: 2)
        #expect(second.replaced == [first.dot])
        try reader.pull(account.page([.of([first, second], seq: 2)], to: 2))
        #expect(try reader.mirror("wifi")?.siblings.map(\.dot) == [second.dot])
        #expect(try reader.secret("wifi") == "two")
    }

    @Test
    func `two concurrent writes are a conflict, with both in the history`() throws {
        let other = try ReplicaHome(account)
        try other.pull(account.page(to: 0))
        let first = try envelope("wifi", "one", seq: 1)
        try other.save("wifi", "two")
        let second = try #require(try other.push().batch.envelopes.first)
        let siblings = [first, second].sorted { $0.dot < $1.dot }
        try reader.pull(account.page([.of(siblings, seq: 2)], to: 2))
        #expect(try reader.replica.counts().conflicts == 1)
        let history = try #require(
            try reader.replica.history(of: ReplicaHome.item("wifi").key)
        )
        #expect(Set(history.versions.map { String(decoding: $0.secret, as: UTF8.self) }).count == 2)
        #expect(history.versions.map(\.standing) == [.current, .conflict])
    }

    @Test
    func `two concurrent notes are a conflict until the note is set again`() throws {
        let other = try ReplicaHome(account)
        try other.pull(account.page(to: 0))
        var siblings: [Envelope] = []
        for (device, note) in [(writer, "earlier note"), (other, "later note")] {
            try device.save("wifi", "the same")
            try device.set([.comment: .string(note)], of: "wifi")
            device.clock.advance(seconds: note == "earlier note" ? 0 : 10)
            siblings.append(try #require(try device.push().batch.envelopes.first))
        }
        siblings.sort { $0.dot < $1.dot }
        try reader.pull(account.page([.of(siblings, seq: 2)], to: 2))

        #expect(try reader.replica.counts().conflicts == 1)
        let history = try #require(try reader.replica.conflicts().first)
        #expect(history.versions.map(\.standing) == [.current])
        let shown = try #require(history.item.attributes[.comment])
        let conflict = try #require(history.attributeConflicts.first)
        #expect(history.attributeConflicts.count == 1)
        #expect(conflict.name == .comment)
        #expect(
            Set([shown, conflict.value].map { "\($0)" })
                == Set(["earlier note", "later note"].map { "\(AttributeValue.string($0))" })
        )
        #expect(conflict.milliseconds != nil)

        // A conflict that was seen is not reported again, even when it is pulled again.
        try reader.replica.markLookedAt([history.id])
        try reader.hear(account.page([.of(siblings, seq: 3)], to: 3))
        #expect(try reader.replica.counts().conflicts == 0)
        #expect(
            try reader.replica.history(of: ReplicaHome.item("wifi").key)?.attributeConflicts.count
                == 1
        )
        // A new value in conflict is reported.
        let third = try ReplicaHome(account)
        try third.pull(account.page(to: 0))
        third.clock.advance(seconds: 15)
        try third.save("wifi", "another")
        siblings.append(try #require(try third.push().batch.envelopes.first))
        siblings.sort { $0.dot < $1.dot }
        try reader.hear(account.page([.of(siblings, seq: 4)], to: 4))
        #expect(try reader.replica.counts().conflicts == 1)

        reader.clock.advance(seconds: 20)
        try reader.set([.comment: .string("both notes")], of: "wifi")
        try reader.save("wifi", "the one chosen")
        _ = try reader.pushTaken(from: 5)
        #expect(try reader.replica.counts().conflicts == 0)
        #expect(try reader.replica.conflicts().isEmpty)
    }

    @Test
    func `an edit older than a pulled write goes to the history once it is sent`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        try reader.pull(account.page([.of([first], seq: 1)], to: 1))
        try reader.save("wifi", "earlier")
        writer.clock.advance(seconds: 10)
        let later = try envelope("wifi", "later", seq: 2)
        try reader.hear(account.page([.of([later], seq: 2)], to: 2))
        reader.clock.advance(seconds: 10)
        let sent = try reader.pushTaken(from: 3)
        #expect(sent.envelopes.map(\.replaced) == [[later.dot]])
        #expect(try reader.secret("wifi") == "later")
        let history = try #require(
            try reader.replica.history(of: ReplicaHome.item("wifi").key)
        )
        #expect(
            history.versions.map { String(decoding: $0.secret, as: UTF8.self) }
                == ["later", "earlier", "one"]
        )
    }

    @Test
    func `no value of a deleted item stays`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        try reader.pull(account.page([.of([first], seq: 1)], to: 1))
        try writer.delete("wifi")
        let tombstone = try #require(try writer.pushTaken(from: 2).envelopes.first)
        #expect(tombstone.isTombstone)
        for home in [reader, writer] {
            if home === reader { try home.hear(account.page([.of([tombstone], seq: 2)], to: 2)) }
            #expect(try home.secret("wifi") == nil)
            let mirror = try #require(try home.mirror("wifi"))
            #expect(mirror.stub != nil && mirror.state == nil)
            #expect(mirror.stub?.encoded.contains(subsequence: Array("one".utf8)) == false)
        }
    }

    @Test
    func `a sibling of another record or with a wrong flag is quarantined`() throws {
        let good = try envelope("wifi", "one", seq: 1)
        let cipher = writer.device.keys.cipher
        let text = try cipher.open(good)
        let other = reader.recordID("bank")
        func sealed(_ text: [UInt8], _ id: RecordID, isTombstone: Bool = false) throws -> Envelope {
            try cipher.seal(
                text: text,
                recordID: id,
                dot: good.dot,
                replaced: [],
                isTombstone: isTombstone,
                kind: .keychain
            )
        }
        let cases: [(PageAnswer.Record, QuarantineReason)] = [
            // The server shows it under another record, or a member sealed it there.
            (PageAnswer.Record(id: other, seq: 1, siblings: [good]), .wrongRecord),
            (.of([try sealed(text, other)], seq: 1), .wrongRecord),
            (.of([try sealed(text, good.recordID, isTombstone: true)], seq: 1), .wrongFlag),
            (.of([try sealed([1, 2, 3], good.recordID)], seq: 1), .malformed),
        ]
        for (record, reason) in cases {
            let home = try ReplicaHome(account)
            try home.pull(account.page([record], to: 1))
            #expect(try home.replica.counts().quarantined.map(\.reason) == [reason])
            #expect(try home.secret("wifi") == nil && home.secret("bank") == nil)
            // Other records still sync, and the quarantine is cleared once the record is sound.
            #expect(try home.replica.state().cursor == account.cursor(1))
            let well = PageAnswer.Record(
                id: record.id,
                seq: 2,
                siblings: [record.id == other ? try sealed(text, other) : good]
            )
            guard record.id != other else { continue }
            try home.hear(account.page([well], to: 2))
            #expect(try home.replica.counts().quarantined.isEmpty)
            #expect(try home.secret("wifi") == "one")
        }
    }

    @Test
    func `a sibling that does not open is not replaced and replaces nothing`() throws {
        let first = try envelope("wifi", "one", seq: 1)
        let strange = try writer.device.keys.cipher.seal(
            text: [1, 2, 3],
            recordID: first.recordID,
            dot: Dot(actor: ActorID(rawValue: .max), counter: 1),
            replaced: [first.dot],
            isTombstone: false,
            kind: .keychain
        )
        try reader.pull(account.page([.of([first], seq: 1)], to: 1))
        try reader.hear(account.page([.of([strange], seq: 2)], to: 2))
        #expect(try reader.secret("wifi") == "one")
        #expect(try reader.mirror("wifi")?.state?.shownSecret == Array("one".utf8))
        try reader.save("wifi", "two")
        let batch = try reader.push().batch
        #expect(batch.envelopes.map(\.replaced) == [[]])

        // What it claims to replace is not believed either.
        let home = try ReplicaHome(account)
        try home.pull(account.page([.of([first, strange], seq: 2)], to: 2))
        #expect(try home.mirror("wifi")?.siblings.count == 2)
        #expect(try home.secret("wifi") == "one")
    }

    @Test
    func `a device notices a clone by its own entry in the vector`() throws {
        let actor = try reader.replica.state().actor
        try reader.pull(account.page(to: 1, vector: [(actor: actor, counter: 1)]))
        let state = try reader.replica.state()
        #expect(state.actor != actor && state.counter == 0)
        #expect(try reader.keys.pins()?.actor == state.actor)
    }
}

extension [UInt8] {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: subsequence) }
    }
}
