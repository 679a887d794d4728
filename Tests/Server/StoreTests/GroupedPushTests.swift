import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// Several batches with one disk sync: each succeeds or fails by itself.
struct GroupedPushTests {
    @Test(arguments: StoreKind.allCases)
    func `a failing batch does not affect the others`(kind: StoreKind) throws {
        let world = try kind.make()
        let (first, epoch) = try world.signUp(1)
        let (second, _) = try world.signUp(2)
        var left = FakeActor(7, of: first, epoch: epoch)
        var right = FakeActor(8, of: first, device: 1, epoch: epoch)
        var other = FakeActor(7, of: second, epoch: epoch)
        var forked = FakeActor(9, of: first, epoch: epoch)
        _ = forked.seal([FakeWrite(record: .number(9))])
        let requests = [
            left.request(left.seal([FakeWrite(record: .number(1))])),
            forked.request(forked.seal([FakeWrite(record: .number(1))])),
            other.request(other.seal([FakeWrite(record: .number(1))])),
            left.request(Batch(signedHeader: [1], signature: [], envelopes: [])),
            right.request(
                right.seal([FakeWrite(record: .number(1), replaced: [left.dot(1)])])
            ),
            left.request(left.seal([FakeWrite(record: .number(2))])),
        ]
        let results = world.store.push(requests)
        #expect(results[1] == .failure(.refused(.actorForked)))
        #expect(results[3] == .failure(.refused(.malformed)))
        #expect(try results[0].get().records == [PushAnswer.Accepted(seq: 1, dots: [left.dot(1)])])
        #expect(try results[2].get().records == [PushAnswer.Accepted(seq: 1, dots: [other.dot(1)])])
        #expect(try results[4].get().records == [PushAnswer.Accepted(seq: 2, dots: [right.dot(1)])])
        #expect(try results[5].get().records == [PushAnswer.Accepted(seq: 3, dots: [left.dot(2)])])
        #expect(try world.everything(of: first).map(\.seq) == [2, 3])
        // Together or one by one, a batch and its retry are one write.
        let again = world.store.push(requests + requests)
        #expect(again.map(\.lasting) == (results + results).map(\.lasting))
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing of a batch that fails late is stored`(kind: StoreKind) throws {
        let world = try kind.make(accountBytesMax: 3000)
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        let before = try world.everything(of: account)
        let totals = try world.totals()
        var tooMuch = actor
        let batch = tooMuch.seal(
            (1..<20).map { FakeWrite(record: .number($0), box: [UInt8](repeating: 1, count: 100)) }
        )
        #expect(world.store.push([tooMuch.request(batch)]) == [.failure(.refused(.quotaExceeded))])
        #expect(try world.everything(of: account) == before)
        #expect(try world.totals() == totals)
        let next = try actor.push(.number(2), to: world.store)
        #expect(next.records.map(\.seq) == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func `an empty list of batches is allowed`(kind: StoreKind) throws {
        let world = try kind.make()
        #expect(world.store.push([]).isEmpty)
    }
}
