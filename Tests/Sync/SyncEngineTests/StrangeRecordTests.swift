import GRDB
import KSCausality
import KSDeviceKeys
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSSealing
import Testing

import KSSyncEngine

/// Records that no honest server or member would have made.
struct StrangeRecordTests {
    private let account: ReplicaAccount
    private let reader: ReplicaHome
    private let writer: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        (reader, writer) = try account.readerAndWriter()
    }

    // MARK: Stamps

    @Test
    func `an item with the highest stamp can be edited, and read by others`() throws {
        let last = HybridTime.rawValueLimit - 1
        let envelope = try reader.forged("wifi", Array("one".utf8), time: last, actor: 9)
        try reader.pull(account.page([.of([envelope], seq: 1)], to: 1))
        #expect(try reader.secret("wifi") == "one")
        let other = try ReplicaHome(account)
        for (number, secret) in ["two", "three", "four"].enumerated() {
            try reader.save("wifi", secret)
            let seq = UInt64(number) + 2
            let edited = try #require(try reader.pushTaken(from: seq).envelopes.first)
            try other.hear(account.page([.of([edited], seq: seq)], to: seq))
            #expect(try other.secret("wifi") == secret)
        }
        #expect(try other.replica.counts().quarantined.isEmpty)
        #expect(try other.replica.counts().conflicts == 0)
    }

    @Test
    func `a stamp beyond the highest is quarantined`() throws {
        for time in [HybridTime.rawValueLimit, (1 << 63) - 1] as [UInt64] {
            let home = try ReplicaHome(account)
            let envelope = try home.forged("wifi", [1], time: time, actor: 9)
            try home.pull(account.page([.of([envelope], seq: 1)], to: 1))
            #expect(try home.replica.counts().quarantined.map(\.reason) == [.malformed])
        }
    }

    // MARK: Size

    /// Eight concurrent writes, of which the shown one is small.
    private func crowded(_ home: ReplicaHome, byteCount: Int) throws {
        var siblings = try (1...7 as ClosedRange<UInt64>).map { number in
            let count = number == 1 ? byteCount : 590_000
            let secret = [UInt8](repeating: UInt8(number), count: count)
            return try home.forged("wifi", secret, time: number << 20, actor: number)
        }
        siblings.append(try home.forged("wifi", [8], time: 8 << 20, actor: 8))
        try home.pull(account.page([.of(siblings, seq: 1)], to: 1))
        try home.set([.comment: .string("seen")], of: "wifi")
    }

    @Test
    func `an edit is sent up to the largest size of a record`() throws {
        let first = try ReplicaHome(account)
        try crowded(first, byteCount: 590_000)
        _ = try first.push()
        let sent = try first.replica.localRecord(of: ReplicaHome.item("wifi").key).onItsWay
        let room = RecordKind.keychain.textBytesMax - (try #require(sent).state.encoded.count)
        try #require(room > 0)
        for (more, isSent) in [(room, true), (room + 1, false), (room + 8, false)] {
            let home = try ReplicaHome(account)
            try crowded(home, byteCount: 590_000 + more)
            try home.save("bank", "two")
            let batch = try home.push().batch
            #expect(batch.envelopes.map(\.recordID).contains(home.recordID("wifi")) == isSent)
            #expect(try home.replica.counts().blocked == (isSent ? 0 : 1))
            // Its mirror can still be read, however large it is.
            #expect(try home.mirror("wifi") != nil)
        }
    }

    /// A write of an item whose author claims to have seen many others.
    private func crowd(
        _ service: String,
        _ secret: String,
        writers count: Int,
        from first: UInt64 = 1000
    ) throws -> Envelope {
        let sealed = try reader.forged(service, Array(secret.utf8), time: first << 20, actor: first)
        var seen = StampContext()
        for number in first..<first + UInt64(count) {
            let stamp = Stamp(time: HybridTime(rawValue: 1), actor: ActorID(rawValue: number))
            seen.raise(to: stamp)
        }
        let state = try RecordState(decoding: reader.device.keys.cipher.open(sealed))
            .joined(with: seenState(seen))
        return try reader.device.keys.cipher.seal(
            text: state.encoded,
            recordID: reader.recordID(service),
            dot: Dot(actor: ActorID(rawValue: first), counter: 1),
            replaced: [],
            isTombstone: false,
            kind: .keychain
        )
    }

    /// A state without values whose author has seen these stamps.
    private func seenState(_ seen: StampContext) throws -> RecordState {
        var encoder = CanonicalEncoder()
        let actors = seen.highestStamps.map(\.actor)
        encoder.compactInteger(RecordState.firstFormat)
        encoder.compactList(actors) { $0.integer($1.rawValue) }
        for _ in 0..<3 { encoder.compactInteger(0) }
        encoder.compactList(Array(seen.highestStamps.enumerated())) { encoder, element in
            encoder.compactInteger(UInt64(element.offset))
            encoder.integer(element.element.time.rawValue)
        }
        for _ in 0..<3 { encoder.compactInteger(0) }
        return try RecordState(decoding: encoder.encoded, within: .none)
    }

    @Test
    func `a record with more stamps than devices make is quarantined, and others are read`() throws
    {
        let max = StateBounds.living.stampsMax
        let records: [PageAnswer.Record] = [
            .of([try crowd("most", "one", writers: max)], seq: 1),
            .of([try crowd("more", "two", writers: max + 1)], seq: 2),
            .of([try reader.forged("wifi", Array("three".utf8), time: 1 << 20, actor: 7)], seq: 3),
        ]
        try reader.pull(account.page(records, to: 3))
        #expect(try reader.secret("most") == "one")
        #expect(try reader.secret("more") == nil)
        #expect(try reader.secret("wifi") == "three")
        let open = try #require(try reader.replica.openRecords())
        #expect(open.quarantined == [.init(record: reader.recordID("more"), reason: .tooLarge)])
        // It can be deleted; an edit, after which it might not, is refused.
        #expect(throws: ItemStoreError.dataTooLarge) { try reader.save("most", "two") }
        try reader.delete("most")
        let batch = try reader.push().batch
        #expect(batch.envelopes.map(\.recordID) == [reader.recordID("most")])
        #expect(batch.envelopes.map(\.isTombstone) == [true])
    }

    @Test
    func `siblings that are too large together are quarantined, but for the small ones`() throws {
        let half = StateBounds.living.stampsMax / 2
        let siblings = [
            try crowd("wifi", "one", writers: half + 1, from: 10_000),
            try crowd("wifi", "two", writers: 10, from: 1000),
            try crowd("wifi", "three", writers: half, from: 20_000),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let home = try ReplicaHome(account)
            try home.pull(account.page([.of(order.map { siblings[$0] }, seq: 1)], to: 1))
            #expect(try home.secret("wifi") == "three")
            let open = try #require(try home.replica.openRecords())
            #expect(open.quarantined.map(\.reason) == [.tooLarge])
            #expect(try home.mirror("wifi")?.siblings.count == 3)
            #expect(try home.mirror("wifi")?.replaceableDots.count == 2)
        }
    }

    // MARK: Writes that come back

    /// A reader that has pulled these writes one after the other, and whose vector covers them.
    private func reader(that saw: [Envelope]) throws -> ReplicaHome {
        let home = try ReplicaHome(account)
        for (number, envelope) in saw.enumerated() {
            let seq = UInt64(number) + 1
            try home.hear(page(envelope, seq: seq, vector: vector(envelope.dot.counter)))
        }
        return home
    }

    private func page(
        _ envelope: Envelope,
        seq: UInt64,
        vector: [(actor: ActorID, counter: UInt64)]
    ) -> PageAnswer {
        account.page([.of([envelope], seq: seq)], to: seq, vector: vector)
    }

    private func vector(_ counter: UInt64) throws -> [(actor: ActorID, counter: UInt64)] {
        [(actor: try writer.replica.state().actor, counter: counter)]
    }

    private func written() throws -> Envelope {
        let seq = try writer.replica.state().counter + 1
        return try #require(try writer.pushTaken(from: seq).envelopes.first)
    }

    @Test
    func `a record that goes back is not applied, and all records are compared`() throws {
        try writer.save("wifi", "one")
        let first = try written()
        try writer.save("wifi", "two")
        let second = try written()
        try writer.delete("wifi")
        let tombstone = try written()
        try writer.save("wifi", "three")
        let third = try written()
        let stories: [(saw: [Envelope], comes: Envelope, secret: String?)] = [
            ([first, second], first, "two"),
            ([second], first, "two"),
            ([first, tombstone], first, nil),
            ([tombstone], second, nil),
            ([first, tombstone, third], tombstone, "three"),
            // This device has never seen it, although it was accepted long ago.
            ([], first, nil),
        ]
        for story in stories {
            for isLocked in [false, true] {
                let home = try reader(that: story.saw)
                let seq = UInt64(story.saw.count)
                try home.hear(account.page(to: seq, vector: vector(4)))
                if isLocked {
                    home.keys.lock()
                    home.device.keys.lock()
                }
                let before = try home.replica.state().cursor
                try home.hear(page(story.comes, seq: seq + 1, vector: vector(4)))
                #expect(try home.replica.reconciliation()?.reason == .serverWentBack)
                #expect(try home.replica.state().cursor == before)
                if isLocked {
                    try home.keys.unlock(passcode: nil)
                    try home.device.keys.unlock(from: home.database)
                }
                #expect(try home.secret("wifi") == story.secret)
                #expect(try home.replica.counts().waiting == 0)
            }
        }
    }

    @Test
    func `a download of all records notices a server that went back and has grown since`() throws {
        try writer.save("wifi", "one")
        let first = try written()
        try writer.save("wifi", "two")
        let second = try written()
        let home = try ReplicaHome(account)
        try home.hear(page(first, seq: 5, vector: vector(1)))
        try home.database.write { try SyncStateTable.askForAll(in: $0) }
        // Nothing but the record's place tells.
        try home.hear(page(second, seq: 4, vector: vector(2)))
        #expect(try home.replica.reconciliation()?.reason == .serverWentBack)
        #expect(try home.secret("wifi") == "one")
    }

    @Test
    func `a waiting record counts as seen`() throws {
        try writer.save("wifi", "one")
        let first = try written()
        try writer.save("wifi", "two")
        let second = try written()
        func lockedHome() throws -> ReplicaHome {
            let home = try reader(that: [first])
            home.keys.lock()
            home.device.keys.lock()
            try home.hear(page(second, seq: 2, vector: vector(2)))
            #expect(try home.replica.counts().waiting == 1)
            return home
        }
        // The same write again, and the unlock, are no news.
        let home = try lockedHome()
        try home.hear(page(second, seq: 3, vector: vector(2)))
        #expect(try home.replica.reconciliation() == nil)
        try home.keys.unlock(passcode: nil)
        try home.device.keys.unlock(from: home.database)
        home.replica.noticeUnlock()
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.reconciliation() == nil)
        #expect(try home.secret("wifi") == "two")

        let other = try lockedHome()
        try other.hear(page(first, seq: 3, vector: vector(2)))
        #expect(try other.replica.reconciliation()?.reason == .serverWentBack)
    }

    // MARK: Items of this device alone

    @Test
    func `a deleted item of this device alone does not block the account's item`() throws {
        try reader.pull(account.page(to: 0))
        try reader.save("wifi", "mine")
        try reader.set([.accessible: .string("aku")], of: "wifi")
        try reader.delete("wifi")
        let envelope = try reader.forged("wifi", Array("theirs".utf8), time: 1 << 40, actor: 9)
        try reader.hear(account.page([.of([envelope], seq: 1)], to: 1))
        #expect(try reader.secret("wifi") == "theirs")
    }

    @Test
    func `the account's item shows when the local item that hid it is deleted`() throws {
        try reader.pull(account.page(to: 0))
        try reader.save("wifi", "mine")
        try reader.set([.accessible: .string("aku")], of: "wifi")
        let envelope = try reader.forged("wifi", Array("theirs".utf8), time: 1 << 40, actor: 9)
        try reader.hear(account.page([.of([envelope], seq: 1)], to: 1))
        #expect(try reader.secret("wifi") == "mine")
        try reader.delete("wifi")
        #expect(try reader.secret("wifi") == "theirs")
        // The account's item was not deleted.
        #expect(try reader.replica.counts().unsent == 0)
    }

    @Test
    func `an item keeps its values beside those of one that its user could not see`() throws {
        try reader.pull(account.page(to: 0))
        try reader.save("wifi", "mine")
        try reader.set([.accessible: .string("aku")], of: "wifi")
        try writer.save("wifi", "theirs")
        try writer.set([.comment: .string("their note")], of: "wifi")
        let theirs = try written()
        try reader.hear(page(theirs, seq: 1, vector: vector(1)))
        reader.clock.advance(seconds: 10)
        try reader.set([.accessible: .string("ak")], of: "wifi")
        let batch = try reader.pushTaken(from: 2)
        let mine = try #require(batch.envelopes.first)
        let other = try ReplicaHome(account)
        try other.pull(account.page([.of([mine], seq: 2)], to: 2))
        #expect(try other.secret("wifi") == "mine")
        let history = try #require(try other.replica.history(of: ReplicaHome.item("wifi").key))
        let secrets = history.versions.map { String(decoding: $0.secret, as: UTF8.self) }
        #expect(secrets == ["mine", "theirs"])
        #expect(history.versions.map(\.standing) == [.current, .conflict])
        #expect(history.item.attributes[.comment] == .string("their note"))
    }
}
