import KSCausality
import KSRecords
import KSSealing
import KSWire
import Testing

import KSSyncEngine

/// A record that the server refuses is blocked; all others are sent.
struct RefusedRecordTests {
    private let home: ReplicaHome
    private let account: ReplicaAccount

    init() throws {
        home = try .caughtUp()
        account = home.account
    }

    /// Pushes all edits; the server refuses the batch because of these items.
    @discardableResult
    private func pushRefused(_ services: [String], _ code: ErrorCode) throws -> Batch {
        let (request, batch) = try home.push()
        let records = batch.envelopes.filter { services.map(home.recordID).contains($0.recordID) }
            .map { RefusedRecord(counter: $0.dot.counter, code: code) }
        try #require(!records.isEmpty)
        try home.replica.receive(.refused(code, records: records), to: request)
        return batch
    }

    @Test(arguments: [
        (ErrorCode.siblingsFull, BlockedReason.siblingsFull), (.tooLarge, .tooLarge),
        (.malformed, .malformed),
    ])
    func `a record that the server refuses is blocked until it is edited`(
        code: ErrorCode,
        reason: BlockedReason
    ) throws {
        for service in ["bank", "mail", "wifi"] { try home.save(service, "one") }
        let refused = try pushRefused(["mail"], code)
        #expect(try home.blocked() == [home.recordID("mail"): reason])
        try home.pull(account.page(to: 5))
        let batch = try home.pushTaken(from: 6)
        #expect(batch.envelopes.map(\.recordID) == ["bank", "wifi"].map(home.recordID))
        // The server may still accept a copy of the refused batch: none of its dots is used again.
        #expect(batch.envelopes[0].dot.actor != refused.envelopes[0].dot.actor)
        #expect(try home.replica.nextRequest() == .rest)
        let open = try #require(try home.replica.openRecords())
        #expect(open.blocked == [.init(record: home.recordID("mail"), reason: reason)])
        #expect(try home.secret("mail") == "one")
        // A restart changes nothing; an edit does.
        try home.restart()
        try home.pull(account.page(to: 7, vector: vector(batch)))
        #expect(try home.replica.nextRequest() == .rest)
        try home.save("mail", "two")
        #expect(try home.pushTaken(from: 8).envelopes.map(\.recordID) == [home.recordID("mail")])
        #expect(try home.replica.openRecords()?.isEmpty == true)
    }

    private func vector(_ batch: Batch) -> [(actor: ActorID, counter: UInt64)] {
        batch.envelopes.last.map { [(actor: $0.dot.actor, counter: $0.dot.counter)] } ?? []
    }

    @Test
    func `both halves of a rename are blocked`() throws {
        try home.save("wifi", "one")
        let first = try home.pushTaken(from: 6)
        try home.rename("wifi", to: "network")
        try home.save("bank", "one")
        try pushRefused(["network"], .tooLarge)
        #expect(
            try home.blocked()
                == [home.recordID("network"): .tooLarge, home.recordID("wifi"): .tied]
        )
        try home.pull(account.page(to: 6, vector: vector(first)))
        let batch = try home.pushTaken(from: 7)
        #expect(batch.envelopes.map(\.recordID) == [home.recordID("bank")])
        try home.save("network", "smaller")
        #expect(try home.push().batch.envelopes.count == 2)
    }

    @Test
    func `a refusal that names no record of the batch sets nothing aside`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        let strange = [
            RefusedRecord(counter: 99, code: .tooLarge),
            RefusedRecord(counter: batch.envelopes[0].dot.counter, code: .quotaExceeded),
        ]
        try home.replica.receive(.refused(.tooLarge, records: strange), to: request)
        #expect(try home.blocked().isEmpty)
        home.clock.advance(seconds: 10)
        #expect(try home.push().batch == batch)
    }

    /// As many siblings as the server keeps, each by its own actor; `opened` of them open.
    private func full(opened: Int) throws -> PageAnswer.Record {
        let siblings = try (1...Limits.siblingsMax).map { number in
            let good = try home.forged(
                "wifi",
                [UInt8(number)],
                time: UInt64(number) << 20,
                actor: UInt64(number)
            )
            guard number > opened else { return good }
            return try home.device.keys.cipher.seal(
                text: [1, 2, 3],
                recordID: good.recordID,
                dot: good.dot,
                replaced: [],
                isTombstone: false,
                kind: .keychain
            )
        }
        return .of(siblings, seq: 6)
    }

    @Test
    func `an edit of a full record is sent after a pull joined its siblings`() throws {
        try home.save("wifi", "one")
        try pushRefused(["wifi"], .siblingsFull)
        #expect(try home.blocked() == [home.recordID("wifi"): .siblingsFull])
        let record = try full(opened: Limits.siblingsMax)
        try home.pull(account.page([record], to: 6))
        #expect(try home.blocked().isEmpty)
        let batch = try home.push().batch
        #expect(Set(batch.envelopes[0].replaced) == Set(record.siblings.map(\.dot)))
    }

    @Test
    func `a record full of unreadable siblings is replaced only if the user says so`() throws {
        let record = try full(opened: 0)
        try home.hear(account.page([record], to: 6))
        try home.save("wifi", "one")
        try home.save("bank", "one")
        // The record is not sent: the server would refuse the whole batch.
        let first = try home.pushTaken(from: 7)
        #expect(first.envelopes.map(\.recordID) == [home.recordID("bank")])
        #expect(try home.blocked() == [home.recordID("wifi"): .siblingsUnreadable])
        #expect(try home.replica.nextRequest() == .rest)
        let prefix = Array(home.recordID("bank").bytes.prefix(5))
        #expect(try home.replica.giveUpUnreadable(beginning: prefix) == 0)
        #expect(try home.blocked().count == 1)
        let code = Array(home.recordID("wifi").bytes.prefix(5))
        #expect(try home.replica.giveUpUnreadable(beginning: code) == 1)
        try home.pull(account.page(to: 7, vector: vector(first) + vector(of: record)))
        let batch = try home.pushTaken(from: 8)
        #expect(Set(batch.envelopes[0].replaced) == Set(record.siblings.map(\.dot)))
        #expect(try home.replica.openRecords()?.isEmpty == true)
        #expect(try home.mirror("wifi")?.siblings.count == 1)
    }

    private func vector(
        of record: PageAnswer.Record
    ) -> [(actor: ActorID, counter: UInt64)] {
        record.siblings.map { (actor: $0.dot.actor, counter: $0.dot.counter) }
    }

    @Test
    func `permission to replace unreadable siblings does not cover later ones`() throws {
        let record = try full(opened: 0)
        try home.hear(account.page([record], to: 6))
        try home.save("wifi", "one")
        #expect(try home.replica.nextRequest() == .rest)
        let code = Array(home.recordID("wifi").bytes.prefix(5))
        #expect(try home.replica.giveUpUnreadable(beginning: code) == 1)
        let later = try home.device.keys.cipher.seal(
            text: [4, 5, 6],
            recordID: record.id,
            dot: Dot(actor: ActorID(rawValue: 99), counter: 1),
            replaced: [],
            isTombstone: false,
            kind: .keychain
        )
        let siblings = Array(record.siblings.dropFirst()) + [later]
        let all = vector(of: record) + [(actor: ActorID(rawValue: 99), counter: 1)]
        try home.pull(account.page([.of(siblings, seq: 7)], to: 7, vector: all))
        let batch = try home.push().batch
        #expect(
            Set(batch.envelopes[0].replaced) == Set(record.siblings.dropFirst().map(\.dot))
        )
    }
}
