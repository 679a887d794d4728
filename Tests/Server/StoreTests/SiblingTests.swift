import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// Concurrent writes of one record.
struct SiblingTests {
    @Test(arguments: StoreKind.allCases)
    func `writes that have not seen each other are siblings`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var left = FakeActor(7, of: account, epoch: epoch)
        var right = FakeActor(8, of: account, device: 1, epoch: epoch)
        try left.push(.number(1), box: [1], to: world.store)
        let second = try right.push(.number(1), box: [2], to: world.store)
        #expect(second.records[0].dots == [left.dot(1), right.dot(1)])
        let third = try left.push(.number(1), replacing: [left.dot(1)], box: [3], to: world.store)
        #expect(third.records[0].dots == [left.dot(2), right.dot(1)])
        let all = [left.dot(2), right.dot(1)]
        let fourth = try right.push(.number(1), replacing: all, box: [4], to: world.store)
        #expect(fourth.records[0].dots == [right.dot(2)])
        let record = try #require(try world.everything(of: account).first)
        #expect(record.seq == 4 && record.siblings.map(\.box) == [[4]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a tombstone is a sibling like any other`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var left = FakeActor(7, of: account, epoch: epoch)
        var right = FakeActor(8, of: account, device: 1, epoch: epoch)
        try left.push(.number(1), box: [1], to: world.store)
        try right.push(.number(1), replacing: [left.dot(1)], box: [2], to: world.store)
        let tombstone = FakeWrite(
            record: .number(1),
            replaced: [left.dot(1)],
            isTombstone: true,
            box: [3, 3]
        )
        try left.push([tombstone], to: world.store)
        let record = try #require(try world.everything(of: account).first)
        #expect(record.siblings.map(\.isTombstone) == [true, false])
        #expect(record.siblings.map(\.box) == [[3, 3], [2]])
        #expect(record.siblings.map(\.replaced) == [[left.dot(1)], [left.dot(1)]])
    }

    @Test(arguments: StoreKind.allCases)
    func `replacing a missing sibling changes nothing else`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var left = FakeActor(7, of: account, epoch: epoch)
        var right = FakeActor(8, of: account, device: 1, epoch: epoch)
        try left.push(.number(1), to: world.store)
        try left.push(.number(1), replacing: [left.dot(1)], to: world.store)
        try left.push(.number(2), to: world.store)
        // left.dot(1) is gone; left.dot(3) is another record's.
        let answer = try right.push(
            .number(1),
            replacing: [left.dot(1), left.dot(3)],
            to: world.store
        )
        #expect(answer.records[0].dots == [left.dot(2), right.dot(1)])
        #expect(try world.everything(of: account).count == 2)
        #expect(try world.store.account(account.id)?.epoch == epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `a full record is named in the refusal, and nothing is stored`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var dots: [Dot] = []
        for number in 0..<Limits.siblingsMax {
            var actor = FakeActor(UInt64(100 + number), of: account, epoch: epoch)
            dots = try actor.push(.number(1), to: world.store).records[0].dots
        }
        #expect(dots.count == Limits.siblingsMax)
        let before = try world.everything(of: account)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batch = actor.seal([FakeWrite(record: .number(2)), FakeWrite(record: .number(1))])
        let refused = [RefusedRecord(counter: 2, code: .siblingsFull)]
        #expect(world.store.push([actor.request(batch)]) == [.failure(.writes(refused))])
        #expect(try world.everything(of: account) == before)
        var joiner = FakeActor(8, of: account, epoch: epoch)
        let answer = try joiner.push(.number(1), replacing: dots, to: world.store)
        #expect(answer.records[0].dots == [joiner.dot(1)])
        _ = try world.store.push([actor.request(batch)])[0].get()
    }

    @Test(arguments: StoreKind.allCases)
    func `a full account accepts only writes that do not grow it`(kind: StoreKind) throws {
        // Two records of 800 bytes with their other columns, and the circle's first entry.
        let world = try kind.make(accountBytesMax: 3100)
        let (account, epoch) = try world.signUp(1)
        let (other, _) = try world.signUp(2)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let box = [UInt8](repeating: 1, count: 800)
        try actor.push(.number(1), box: box, to: world.store)
        try actor.push(.number(2), box: box, to: world.store)
        var refused = actor
        let batch = refused.seal([FakeWrite(record: .number(3), box: box)])
        #expect(world.store.push([refused.request(batch)]) == [.failure(.refused(.quotaExceeded))])
        try actor.push(.number(2), replacing: [actor.dot(2)], box: [1], to: world.store)
        try actor.push(.number(3), box: box, to: world.store)
        var neighbour = FakeActor(7, of: other, epoch: epoch)
        try neighbour.push(.number(1), box: box, to: world.store)
        #expect(try world.totals().records == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `two accounts never share data, whatever names they use`(kind: StoreKind) throws {
        let world = try kind.make()
        let (first, epoch) = try world.signUp(1)
        let (second, _) = try world.signUp(2)
        var actors = [first, second].map { FakeActor(7, of: $0, epoch: epoch) }
        for (index, account) in [first, second].enumerated() {
            let box = [UInt8(index)]
            let answer = try actors[index].push(.number(1), box: box, to: world.store)
            #expect(answer.records == [PushAnswer.Accepted(seq: 1, dots: [actors[index].dot(1)])])
            #expect(try world.everything(of: account).map { $0.siblings.map(\.box) } == [[box]])
        }
        try actors[0].push(.number(1), replacing: [actors[0].dot(1)], box: [9], to: world.store)
        #expect(try world.everything(of: second)[0].siblings.map(\.box) == [[1]])
        #expect(
            try world.vector(of: second)
                == VersionVector([(actors[1].id, 1)] as [(actor: ActorID, counter: UInt64)])
        )
        try world.store.deleteAccount(first.id)
        #expect(try world.store.account(first.id) == nil)
        #expect(try world.store.account(named: first.name) == nil)
        #expect(try world.everything(of: second)[0].siblings.map(\.box) == [[1]])
        try actors[1].push(.number(2), to: world.store)
        #expect(throws: StoreError.notFound) { try world.store.deleteAccount(first.id) }
        // The name and the id are free again, and nothing of the old account is left.
        _ = try world.store.createAccount(first.signUp)
        #expect(try world.everything(of: first).isEmpty)
        #expect(try world.vector(of: first).isEmpty)
    }
}
