import GRDB
import KSCausality
import KSRecords
import KSSealing
import Testing

import KSSyncEngine

/// The quarantine is counted, bounded and pulled again.
struct QuarantineTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        home = try ReplicaHome(account)
    }

    private func sealed(_ number: UInt64, text: [UInt8]) throws -> Envelope {
        try home.device.keys.cipher.seal(
            text: text,
            recordID: home.recordID("item \(number)"),
            dot: Dot(actor: ActorID(rawValue: 7), counter: number),
            replaced: [],
            isTombstone: false,
            kind: .keychain
        )
    }

    /// A good write, and a damaged one that a server may show in its place.
    private func story() throws -> (good: Envelope, lie: Envelope) {
        let good = try home.forged("wifi", Array("one".utf8), time: 1 << 20, actor: 7)
        var box = good.box
        box[box.count - 1] ^= 1
        let lie = Envelope(
            recordID: good.recordID,
            dot: good.dot,
            replaced: good.replaced,
            generation: good.generation,
            isTombstone: good.isTombstone,
            kind: good.kind,
            box: box
        )
        return (good, lie)
    }

    @Test
    func `a quarantined record is pulled again after a start`() throws {
        let (good, lie) = try story()
        try home.pull(account.page([.of([lie], seq: 1)], to: 1))
        let open = try #require(try home.replica.openRecords())
        #expect(open.quarantined == [.init(record: good.recordID, reason: .notAuthentic)])
        #expect(try home.replica.nextRequest() == .rest)
        try home.restart()
        try home.pull(account.page([.of([lie], seq: 1)], to: 1))
        // Only once after a start, although the server still shows the damaged write.
        try home.replica.notice(seq: .max, circleVersion: 1)
        guard case .pull(let cursor) = try home.next().request else {
            Issue.record("no pull")
            return
        }
        #expect(cursor == account.cursor(1))
        try home.restart()
        let request = try home.next()
        #expect(request.request == .pull(after: nil))
        try home.replica.receive(
            .page(account.page([.of([good], seq: 1)], to: 1)),
            to: request
        )
        #expect(try home.secret("wifi") == "one")
        #expect(try home.replica.openRecords()?.isEmpty == true)
    }

    @Test
    func `a quarantined record is pulled again when the user asks`() throws {
        let (good, lie) = try story()
        try home.pull(account.page([.of([lie], seq: 1)], to: 1))
        #expect(try home.replica.nextRequest() == .rest)
        try home.replica.askAgain()
        let request = try home.next()
        #expect(request.request == .pull(after: nil))
        try home.replica.receive(
            .page(account.page([.of([good], seq: 1)], to: 1)),
            to: request
        )
        #expect(try home.secret("wifi") == "one")
    }

    /// Pulls everything once more, as the doctor wants it, then gives the next batch.
    private func writeBack(_ page: PageAnswer) throws -> (NumberedRequest, Batch) {
        try home.replica.askAgain()
        try home.pull(page)
        let request = try home.next()
        guard case .push(let batch, _) = request.request else {
            throw ReplicaHome.NothingSent()
        }
        return (request, batch)
    }

    @Test
    func `a dropped record is deleted by a write that replaces what cannot be read`() throws {
        let (_, lie) = try story()
        let page = account.page([.of([lie], seq: 1)], to: 1)
        try home.pull(page)
        #expect(try home.replica.dropUnreadable(beginning: [0xFF, 0xFE]).count == 0)
        let code = Array(lie.recordID.bytes.prefix(5))
        #expect(try home.replica.dropUnreadable(beginning: code).count == 1)
        // It is pulled once more first, and stays dropped.
        let (request, batch) = try writeBack(page)
        let write = try #require(batch.envelopes.first)
        #expect(batch.envelopes.count == 1 && write.recordID == lie.recordID)
        #expect(write.isTombstone && write.replaced == [lie.dot])
        try home.replica.receive(.pushed(account.taken(batch, from: 2)), to: request)
        // The device may look once more at what the server has of the record.
        if try home.replica.openRecords() == nil {
            try home.pull(account.page([.of([write], seq: 2)], to: 2))
        }
        #expect(try home.replica.openRecords()?.isEmpty == true)
        // Every device accepts the write, without any entry.
        let other = try ReplicaHome(account)
        try other.pull(account.page([.of([write], seq: 2)], to: 2))
        #expect(try other.replica.openRecords()?.isEmpty == true)
        #expect(try other.secret("wifi") == nil)
        // The next item of that name lives.
        try other.save("wifi", "two")
        let edit = try #require(try other.push().batch.envelopes.first)
        #expect(edit.replaced == [write.dot] && !edit.isTombstone)
    }

    @Test
    func `what can be read of a dropped record stays`() throws {
        let (_, lie) = try story()
        let good = try home.forged("wifi", Array("two".utf8), time: 1 << 21, actor: 8)
        let page = account.page([.of([lie, good], seq: 2)], to: 2)
        try home.pull(page)
        #expect(try home.replica.dropUnreadable(beginning: nil).count == 1)
        let (request, batch) = try writeBack(page)
        let write = try #require(batch.envelopes.first)
        #expect(!write.isTombstone && Set(write.replaced) == [lie.dot, good.dot])
        try home.replica.receive(.pushed(account.taken(batch, from: 3)), to: request)
        #expect(try home.replica.openRecords()?.isEmpty == true)
        #expect(try home.secret("wifi") == "two")
    }

    @Test
    func `what a newer program wrote is not dropped`() throws {
        let newer = try home.forged("wifi", Array("two".utf8), time: 1 << 21, actor: 8)
        let unknown = Envelope(
            recordID: newer.recordID,
            dot: newer.dot,
            replaced: newer.replaced,
            generation: newer.generation,
            isTombstone: newer.isTombstone,
            kind: RecordKind(number: 200),
            box: newer.box
        )
        try home.pull(account.page([.of([unknown], seq: 1)], to: 1))
        let open = try #require(try home.replica.openRecords())
        #expect(open.quarantined.map(\.reason) == [.newerFormat])
        #expect(try home.replica.dropUnreadable(beginning: nil).count == 0)
        #expect(try home.replica.dropUnreadable(beginning: newer.recordID.bytes).count == 0)
    }

    @Test
    func `a start with an empty quarantine pulls nothing again`() throws {
        try home.pull(account.page(to: 1))
        try home.restart()
        #expect(try home.next().request == .pull(after: account.cursor(1)))
    }

    @Test
    func `the number of envelopes in quarantine is limited`() throws {
        let count = Quarantine.envelopesMax + 20
        var records: [PageAnswer.Record] = []
        for number in 1...UInt64(count) {
            records.append(.of([try sealed(number, text: [1, 2, 3])], seq: number))
        }
        try home.pull(account.page(records, to: UInt64(count)))
        #expect(try kept().count == Quarantine.envelopesMax)
        // All are counted, and every dot is in the mirror.
        #expect(try home.replica.openRecords()?.quarantined.count == count)
        #expect(try home.mirror("item \(count)")?.siblings.map(\.dot.counter) == [UInt64(count)])
        #expect(try home.mirror("item \(count)")?.replaceableDots == [])
    }

    @Test
    func `the bytes in quarantine are limited`() throws {
        let text = [UInt8](repeating: 0xFF, count: 400_000)
        var records: [PageAnswer.Record] = []
        for number in 1...40 as ClosedRange<UInt64> {
            records.append(.of([try sealed(number, text: text)], seq: number))
        }
        try home.pull(account.page(records, to: 40))
        let kept = try kept()
        #expect(kept.bytes <= Quarantine.bytesMax && kept.bytes > Quarantine.bytesMax / 2)
        #expect(try home.replica.openRecords()?.quarantined.count == 40)
    }

    private func kept() throws -> (count: Int, bytes: Int) {
        let row = try home.database.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT count(envelope), sum(length(envelope)) FROM sibling_quarantine"
            )
        }
        let found = try #require(row)
        return (found[0], found[1])
    }
}
