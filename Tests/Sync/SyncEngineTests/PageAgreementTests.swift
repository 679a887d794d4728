import KSCausality
import KSRecords
import Testing

import KSSyncEngine

/// A page that contradicts itself is refused and pulled again.
struct PageAgreementTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome

    init() throws {
        account = try ReplicaAccount()
        home = try ReplicaHome(account)
    }

    private func record(
        _ service: String,
        seq: UInt64,
        actor: UInt64 = 7
    ) throws -> PageAnswer.Record {
        .of([try home.forged(service, [1], time: 1 << 20, actor: actor)], seq: seq)
    }

    private func page(
        _ records: [PageAnswer.Record],
        hasMore: Bool = false,
        vector: [(actor: ActorID, counter: UInt64)] = [(ActorID(rawValue: 7), 1)]
    ) -> PageAnswer {
        PageAnswer(
            records: records,
            cursor: account.cursor(3),
            hasMore: hasMore,
            vector: VersionVector(vector),
            circleVersion: 1
        )
    }

    @Test
    func `a new device applies nothing of a page that contradicts itself`() throws {
        let (bank, wifi) = (try record("bank", seq: 2), try record("wifi", seq: 1))
        let pages: [(PageAnswer, PageFault)] = [
            (page([wifi], vector: []), .vectorMissing),
            (page([], vector: []), .vectorMissing),
            (page([try record("wifi", seq: 1, actor: 8)]), .siblingAboveVector),
            (
                page([try record("wifi", seq: 1, actor: 8)], hasMore: true), .siblingAboveVector
            ),
            (
                page([.init(id: home.recordID("wifi"), seq: 1, siblings: [])]),
                .recordWithoutSiblings
            ),
            (page([bank, wifi]), .seqsDoNotRise),
            (page([wifi, try record("bank", seq: 1)]), .seqsDoNotRise),
            (page([try record("wifi", seq: 0)]), .seqsDoNotRise),
            (page([try record("wifi", seq: 4)]), .seqsDoNotRise),
            (page([wifi, try record("wifi", seq: 2)]), .recordTwice),
        ]
        for (page, fault) in pages {
            let home = try ReplicaHome(account)
            let request = try home.next()
            #expect(try !home.replica.receive(.page(page), to: request))
            #expect(home.replica.pageFault == fault)
            #expect(try home.replica.state().cursor == nil)
            #expect(try home.replica.state().hold == nil)
            #expect(try home.secret("wifi") == nil)
            // The page is pulled again, and an honest answer is applied.
            home.clock.advance(seconds: 10)
            try home.pull(self.page([wifi, bank]))
            #expect(home.replica.pageFault == nil)
            #expect(try home.secret("wifi") != nil && home.secret("bank") != nil)
        }
    }

    @Test
    func `the seqs of a page lie above the cursor of its request`() throws {
        try home.pull(page([try record("wifi", seq: 3)]))
        try home.replica.notice(seq: .max, circleVersion: 1)
        let request = try home.next()
        let again = page([try record("wifi", seq: 3)])
        #expect(try !home.replica.receive(.page(again), to: request))
        #expect(home.replica.pageFault == .seqsDoNotRise)
    }
}
