import KSCausality
import KSRecords
import Testing

import KSSyncEngine

/// Both halves of a rename are sent in one batch, or neither is.
struct RenameBatchTests {
    private let home: ReplicaHome
    private let account: ReplicaAccount
    private static let large = String(repeating: "x", count: 60_000)

    init() throws {
        home = try .caughtUp()
        account = home.account
    }

    private var halves: Set<RecordID> { [home.recordID("wifi"), home.recordID("network")] }

    @Test
    func `a rename goes into the next batch if only one record fits`() throws {
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        let others = Limits.batchRecordsMax - 1
        for number in 1...others { try home.save("item \(number)", "x") }
        try home.rename("wifi", to: "network")
        let first = try home.pushTaken(from: 7)
        #expect(first.envelopes.count == others)
        #expect(halves.isDisjoint(with: first.envelopes.map(\.recordID)))
        let second = try home.pushTaken(from: 7 + UInt64(others))
        #expect(Set(second.envelopes.map(\.recordID)) == halves)
        #expect(try home.replica.counts().unsent == 0)
    }

    @Test
    func `a batch takes both halves of a rename even if the first one fills it`() throws {
        try home.save("wifi", Self.large)
        try home.save("network", "gone")
        _ = try home.pushTaken(from: 6)
        for number in 1...31 { try home.save("item \(number)", Self.large) }
        try home.delete("network")
        try home.rename("wifi", to: "network")
        try home.save("afterwards", "x")
        let batch = try home.pushTaken(from: 8)
        let ids = batch.envelopes.map(\.recordID)
        #expect(ids.count == 33)
        #expect(Set(ids.suffix(2)) == halves)
        let sizes = batch.envelopes.map(\.box.count)
        #expect(sizes.dropLast(2).reduce(0, +) <= Limits.batchBytesMax / 2)
        #expect(sizes.dropLast().reduce(0, +) > Limits.batchBytesMax / 2)
        let next = try home.push().batch
        #expect(next.envelopes.map(\.recordID) == [home.recordID("afterwards")])
    }

    @Test
    func `neither half of a rename is sent if the new record is too large`() throws {
        try home.save("wifi", Self.large)
        _ = try home.pushTaken(from: 6)
        let state = try home.replica.state()
        let before = state.counter
        try home.rename("wifi", to: "network")
        try home.save("bank", "one")
        // Other devices have added items of the new name meanwhile.
        let secret = [UInt8](repeating: 1, count: 600_000)
        let others = try (1...8 as ClosedRange<UInt64>).map { number in
            try home.forged("network", secret, time: number << 20, actor: number)
        }
        let vector = [(actor: state.actor, counter: before)]
        try home.hear(account.page([.of(others, seq: 7)], to: 7, vector: vector))
        let batch = try home.pushTaken(from: 8)
        #expect(batch.envelopes.map(\.recordID) == [home.recordID("bank")])
        #expect(batch.envelopes.map(\.dot.counter) == [before + 1])
        #expect(try home.replica.counts().unsent == 2)
        #expect(try home.replica.counts().blocked == 2)
        #expect(try home.ties(in: "outbox") == ["wifi": "network"].asRecords(of: home))
        #expect(
            try home.blocked()
                == [home.recordID("network"): .tooLarge, home.recordID("wifi"): .tied]
        )
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.secret("network") != nil)
    }
}
