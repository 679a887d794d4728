import GRDB
import KSCausality
import KSKeychain
import KSDeviceKeys
import KSKeychainRecords
import KSRecords
import KSSealing
import KSResolution
import Testing

import KSSyncEngine

/// A sync that would delete most of what is here deletes nothing until the user has answered.
struct DeletionGuardTests {
    private let account: ReplicaAccount
    private let reader: ReplicaHome
    private let writer: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        (reader, writer) = try account.readerAndWriter()
    }

    /// The server's newest seq.
    private final class Seq {
        var value: UInt64 = 0
    }

    private let seq = Seq()

    private static func service(_ number: Int) -> String { "site-\(number)" }

    /// Sends what a device has to send.
    ///
    /// - Returns: the records on the server.
    private func send(_ home: ReplicaHome) throws -> [PageAnswer.Record] {
        let first = seq.value + 1
        let envelopes = try home.pushTaken(from: first).envelopes
        seq.value += UInt64(envelopes.count)
        return envelopes.enumerated().map { .of([$1], seq: first + UInt64($0)) }
    }

    private func hear(_ records: [PageAnswer.Record], on home: ReplicaHome) throws {
        try home.hear(account.page(records, to: seq.value))
    }

    /// Makes items that both devices have; each has an earlier secret.
    ///
    /// - Returns: their records on the server.
    @discardableResult
    private func share(_ count: Int) throws -> [PageAnswer.Record] {
        var made: [PageAnswer.Record] = []
        for secret in ["earlier", "secret"] {
            for number in 0..<count { try writer.save(Self.service(number), secret) }
            made = try send(writer)
            try hear(made, on: reader)
        }
        #expect(try shown(count) == count)
        return made
    }

    /// What the writer's deletions look like on the server.
    private func deletions(_ numbers: Range<Int>) throws -> [PageAnswer.Record] {
        for number in numbers { try writer.delete(Self.service(number)) }
        return try send(writer)
    }

    /// Shares 40 items, of which the reader hears that 30 are deleted.
    private func holdThirty() throws {
        try share(40)
        try hear(try deletions(0..<30), on: reader)
        #expect(try reader.replica.counts().deletions == 30)
    }

    /// How many of the first items the reader shows.
    private func shown(_ count: Int, on home: ReplicaHome? = nil) throws -> Int {
        try (0..<count).count { try (home ?? reader).secret(Self.service($0)) != nil }
    }

    @Test
    func `most of the items are deleted only after an answer, over all pages together`() throws {
        try share(40)
        let deleted = try deletions(0..<30)
        try reader.replica.notice(seq: .max, circleVersion: 1)
        for page in 0..<3 {
            let part = Array(deleted[(page * 10)..<(page * 10 + 10)])
            let end = part[9].seq
            try reader.pull(account.page(part, to: end, hasMore: page < 2))
            #expect(try shown(40) == 40)
            #expect(try reader.replica.counts().deletions == (page < 2 ? 0 : 30))
            // The program is killed.
            try reader.restart()
        }
        #expect(try reader.replica.state().cursor == account.cursor(seq.value))
        #expect(try reader.replica.heldDeletions().count == 30)
        let entry = try reader.replica.heldDeletions().first.map(\.state)
        #expect(entry?.shown(.secret) == Array("secret".utf8))
        #expect(try reader.replica.answerDeletions(.accept) == 30)
        #expect(try shown(40) == 10)
        #expect(try reader.replica.counts().deletions == 0)
        #expect(try reader.replica.answerDeletions(.accept) == 0)
        try reader.pull(account.page(to: seq.value))
        #expect(try reader.replica.isQuiet())
    }

    @Test(arguments: [(21, 20), (42, 21)])
    func `few deletions, or half of the items, go at once`(items: Int, deleted: Int) throws {
        try share(items)
        try hear(try deletions(0..<deleted), on: reader)
        #expect(try shown(items) == items - deleted)
        #expect(try reader.replica.counts().deletions == 0)
    }

    @Test
    func `what is kept comes back on the device that deleted it, with its history`() throws {
        try holdThirty()
        #expect(try reader.replica.answerDeletions(.keep) == 30)
        #expect(try shown(40) == 40)
        let kept = try send(reader)
        #expect(kept.count == 30)
        // It replaces the deletions.
        #expect(kept.allSatisfy { $0.siblings.allSatisfy { !$0.isTombstone } })
        #expect(kept.allSatisfy { $0.siblings.allSatisfy { $0.replaced.count == 1 } })
        try hear(kept, on: writer)
        #expect(try shown(40, on: writer) == 40)
        let shelf = RecordShelf(rows: writer.device.keys.rows)
        let record = try writer.database.read {
            try shelf.load(writer.recordID(Self.service(0)), from: $0)
        }
        let past = record.view.pastValues.filter { $0.name == .secret }.compactMap(\.value)
        #expect(past == [Array("earlier".utf8)])
        #expect(try reader.replica.counts().deletions == 0)
    }

    @Test
    func `what the user changes or deletes meanwhile needs no answer`() throws {
        try holdThirty()
        try reader.save(Self.service(0), "changed")
        try reader.delete(Self.service(1))
        let sent = try send(reader)
        // Both have deleted the other one, so there is nothing to send, and nothing to ask.
        #expect(sent.count == 1)
        #expect(try reader.replica.counts().deletions == 28)
        // The device pulls it again, since the server has the other device's deletion too.
        let again = sent.enumerated().map { offset, record in
            PageAnswer.Record.of(record.siblings, seq: seq.value + 1 + UInt64(offset))
        }
        seq.value += 1
        try hear(again, on: reader)
        // That is no sign of a server that went back.
        #expect(try reader.replica.reconciliation() == nil)
        #expect(try reader.replica.counts().deletions == 28)
        #expect(try reader.replica.answerDeletions(.accept) == 28)
        #expect(try reader.secret(Self.service(0)) == "changed")
        #expect(try shown(40) == 11)
    }

    /// The server may remove the deletion, since this device has it.
    @Test
    func `a change of an item in question brings nothing of its past back`() throws {
        try holdThirty()
        #expect(try past(of: Self.service(0)) == [Array("earlier".utf8)])
        try reader.save(Self.service(0), "changed")
        _ = try send(reader)
        #expect(try reader.secret(Self.service(0)) == "changed")
        #expect(try past(of: Self.service(0)).isEmpty)
        #expect(try reader.replica.counts().deletions == 29)
    }

    /// The earlier secrets that the reader shows.
    private func past(of service: String) throws -> [[UInt8]?] {
        let shelf = RecordShelf(rows: reader.device.keys.rows)
        return try reader.database.read { database in
            try shelf.load(reader.recordID(service), from: database).view.shownHistory
                .map(\.value)
        }
    }

    @Test
    func `an unsent change wins, and an unsent deletion is no question`() throws {
        try holdThirty()
        try reader.save(Self.service(0), "changed")
        try reader.delete(Self.service(1))
        #expect(try reader.replica.answerDeletions(.keep) == 30)
        #expect(try reader.secret(Self.service(0)) == "changed")
        #expect(try reader.secret(Self.service(1)) == nil)
        #expect(try shown(40) == 39)
    }

    /// As a script deletes, and a device that listens gets it.
    private func deleteOneByOne(_ numbers: Range<Int>, seconds: UInt64 = 1) throws {
        for number in numbers {
            try hear(try deletions(number..<(number + 1)), on: reader)
            reader.clock.advance(seconds: seconds)
        }
    }

    @Test
    func `deletions that come one by one count together, and all come back`() throws {
        try share(40)
        try deleteOneByOne(0..<20)
        #expect(try shown(40) == 20)
        #expect(try reader.replica.counts().deletions == 0)
        try deleteOneByOne(20..<30)
        // More than half of the forty.
        #expect(try reader.replica.counts().deletions == 30)
        #expect(try shown(40) == 20)
        #expect(Set(try reader.replica.heldDeletions().map(\.record)).count == 30)
        #expect(try reader.replica.answerDeletions(.keep) == 30)
        #expect(try shown(40) == 40)
        #expect(try reader.replica.counts().deletions == 0)
        let kept = try send(reader)
        #expect(kept.count == 30)
        try hear(kept, on: writer)
        #expect(try shown(40, on: writer) == 40)
        let shelf = RecordShelf(rows: writer.device.keys.rows)
        let record = try writer.database.read {
            try shelf.load(writer.recordID(Self.service(0)), from: $0)
        }
        let past = record.view.pastValues.filter { $0.name == .secret }.compactMap(\.value)
        #expect(past == [Array("earlier".utf8)])
    }

    @Test
    func `an answer after many days brings back what went before the question too`() throws {
        try share(40)
        try deleteOneByOne(0..<30)
        #expect(try shown(40) == 20)
        reader.clock.advance(seconds: 40 * 86_400)
        try hear(try deletions(30..<31), on: reader)
        try reader.replica.forgetRemoved(upTo: 1 << 40)
        #expect(try reader.replica.counts().deletions == 31)
        #expect(try reader.replica.answerDeletions(.keep) == 31)
        #expect(try shown(40) == 40)
    }

    @Test
    func `after a day the count begins again`() throws {
        try share(60)
        try deleteOneByOne(0..<29)
        #expect(try reader.replica.counts().deletions == 0)
        reader.clock.advance(seconds: 90_000)
        try deleteOneByOne(29..<50, seconds: 86_000)
        #expect(try reader.replica.counts().deletions == 0)
        #expect(try shown(60) == 10)
    }

    @Test
    func `what is made again meanwhile does not count`() throws {
        try share(40)
        try deleteOneByOne(0..<20)
        for number in 0..<10 { try reader.save(Self.service(number), "again") }
        try hear(try send(reader), on: writer)
        try hear(try deletions(20..<21), on: reader)
        #expect(try reader.replica.counts().deletions == 0)
        #expect(try shown(40) == 29)
    }

    @Test
    func `what is deleted later belongs to the same question`() throws {
        try holdThirty()
        try hear(try deletions(30..<31), on: reader)
        #expect(try reader.replica.counts().deletions == 31)
        #expect(try shown(40) == 40)
    }

    @Test
    func `items that moved to another key are not deleted`() throws {
        try share(30)
        let named = KeychainOutbox(
            keys: writer.device.keys,
            clock: { [clock = writer.clock] in clock.milliseconds },
            deviceName: "writer",
            whenCommitted: {}
        )
        writer.keychain.recorder = named
        for number in 0..<30 { try writer.rename(Self.service(number), to: "moved-\(number)") }
        try hear(try send(writer), on: reader)
        #expect(try reader.replica.counts().deletions == 0)
        #expect(try shown(30) == 0)
        #expect(try reader.secret("moved-7") == "secret")
    }

    @Test
    func `a locked device asks after the unlock`() throws {
        try share(40)
        reader.keys.lock()
        reader.device.keys.lock()
        try hear(try deletions(0..<30), on: reader)
        #expect(try reader.replica.counts().waiting == 30)
        #expect(try reader.replica.counts().deletions == 0)
        try reader.keys.unlock(passcode: nil)
        try reader.device.keys.unlock(from: reader.database)
        reader.replica.noticeUnlock()
        _ = try reader.replica.nextRequest()
        #expect(try reader.replica.counts().waiting == 0)
        #expect(try reader.replica.counts().deletions == 30)
        #expect(try shown(40) == 40)
    }

    @Test
    func `a comparison with a restored server asks too`() throws {
        let made = try share(40)
        let deleted = try deletions(0..<30)
        let epoch = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        try reader.hear(account.page(to: seq.value, epoch: epoch))
        #expect(try reader.replica.reconciliation()?.reason == .serverRestored)
        try reader.answerCircle()
        try reader.pull(account.page(made[30...] + deleted, to: seq.value, epoch: epoch))
        #expect(try shown(40) == 40)
        #expect(try reader.replica.counts().deletions == 30)
        #expect(try reader.replica.answerDeletions(.accept) == 30)
        #expect(try shown(40) == 10)
    }

    @Test
    func `a question outlives a server that lost everything`() throws {
        try holdThirty()
        let epoch = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        try reader.hear(account.page(to: seq.value, epoch: epoch))
        try reader.answerCircle()
        let nothing: [(actor: ActorID, counter: UInt64)] = [(ActorID(rawValue: 77), 1)]
        try reader.pull(account.page(to: 1, epoch: epoch, vector: nothing))
        #expect(try reader.replica.counts().deletions == 30)
        #expect(try shown(40) == 40)
        // Only what nobody has deleted goes up.
        #expect(try reader.replica.counts().unsent == 10)
        #expect(try reader.replica.answerDeletions(.accept) == 30)
        #expect(try shown(40) == 10)
        #expect(try reader.replica.counts().unsent == 10)
    }

    @Test(arguments: [DeletionAnswer.accept, .keep])
    func `an answer in the middle of a comparison counts`(answer: DeletionAnswer) throws {
        let made = try share(40)
        try hear(try deletions(0..<30), on: reader)
        let epoch = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        try reader.hear(account.page(to: seq.value, epoch: epoch))
        try reader.answerCircle()
        let request = try reader.next()
        #expect(request.request == .pull(after: nil))
        #expect(try reader.replica.answerDeletions(answer) == 30)
        // The backup is older than the deletions.
        let page = account.page(made, to: seq.value, epoch: epoch)
        try reader.replica.receive(.page(page), to: request)
        #expect(try reader.replica.counts().deletions == 0)
        #expect(try shown(40) == (answer == .keep ? 40 : 10))
        // As writes or deletions that the server does not have.
        #expect(try reader.replica.counts().unsent == 30)
    }

    @Test
    func `a damaged row is pulled again`() throws {
        try holdThirty()
        let oldest = "(SELECT min(id) FROM waiting)"
        try reader.execute("UPDATE waiting SET message = x'00' WHERE id = \(oldest)")
        #expect(try reader.replica.heldDeletions().count == 29)
        #expect(try reader.replica.answerDeletions(.accept) == 30)
        #expect(try shown(40) == 11)
        #expect(try reader.replica.state().cursor == nil)
    }
}
