import Causality
import Records
import Store
import Testing

/// What a batch must be to be taken, and what every retry of it gets.
struct PushTests {
    @Test(arguments: StoreKind.allCases)
    func `a pushed record comes back as it was sent`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batch = actor.seal([
            FakeWrite(record: .number(1), box: [1, 1]),
            FakeWrite(record: .number(2), isTombstone: true, box: [2]),
        ])
        let answer = try world.store.push([actor.request(batch)])[0].get()
        #expect(
            answer.records == [
                PushedRecord(seq: 1, dots: [actor.dot(1)]),
                PushedRecord(seq: 2, dots: [actor.dot(2)]),
            ]
        )
        #expect(answer.cursor.epoch == epoch && answer.cursor.seq == 2)
        let records = try world.everything(of: account)
        #expect(records.map(\.siblings) == batch.envelopes.map { [$0] })
        #expect(records.map(\.seq) == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `a retry gets the very same answer, also after later batches`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        var other = FakeActor(8, of: account, device: 1, epoch: epoch)
        try other.push(.number(1), to: world.store)
        let batch = actor.seal([
            FakeWrite(record: .number(1)), FakeWrite(record: .number(2)),
            FakeWrite(record: .number(1), replaced: [actor.dot(1)]),
        ])
        let answer = try world.store.push([actor.request(batch)])[0].get()
        #expect(answer.records.map { $0.dots.count } == [2, 1, 2])
        try other.push(.number(1), replacing: [actor.dot(3), other.dot(1)], to: world.store)
        try actor.push(.number(3), to: world.store)
        let before = try world.everything(of: account)
        #expect(try world.store.push([actor.request(batch)])[0].get() == answer)
        #expect(try world.everything(of: account) == before)
    }
}
