import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// Pulling: pages in seq order, each record once, nothing skipped.
struct ChangesTests {
    private func changes(
        _ world: StoreUnderTest,
        _ account: FakeAccount,
        after cursor: Cursor? = nil,
        recordsMax: Int = Limits.pageRecordsMax
    ) throws -> PageAnswer {
        try world.store.changes(
            ChangesRequest(
                account: account.id,
                member: account.device,
                after: cursor,
                recordsMax: recordsMax
            )
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `an empty account has a cursor that stays good`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        let page = try changes(world, account)
        #expect(page.records.isEmpty && !page.hasMore && page.vector.isEmpty)
        #expect(page.cursor == Cursor(epoch: epoch, seq: 0, tag: .start))
        #expect(try changes(world, account, after: page.cursor) == page)
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        #expect(try changes(world, account, after: page.cursor).records.map(\.seq) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `a page ends at 500 records`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        for start in [0, 500] {
            let writes = (start..<start + 500).map { FakeWrite(record: .number($0)) }
            try actor.push(writes, to: world.store)
        }
        try actor.push(.number(1000), to: world.store)
        let first = try changes(world, account)
        #expect(first.records.map(\.seq) == Array(1...500) && first.hasMore)
        let second = try changes(world, account, after: first.cursor)
        #expect(second.records.map(\.seq) == Array(501...1000) && second.hasMore)
        let third = try changes(world, account, after: second.cursor)
        #expect(third.records.map(\.seq) == [1001] && !third.hasMore)
        #expect(first.vector[actor.id] == 1001 && third.vector == first.vector)
        #expect(try changes(world, account, after: third.cursor).records.isEmpty)
        // Exactly full is not "more".
        let exact = try changes(world, account, after: first.cursor, recordsMax: 501)
        #expect(exact.records.count == 501 && !exact.hasMore)
    }

    @Test(arguments: StoreKind.allCases)
    func `a page ends at its bytes, but never before its first record`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        for number in 0..<6 { try actor.push(.number(number), box: megabyte, to: world.store) }
        let first = try changes(world, account)
        #expect(first.records.count == 3 && first.hasMore)
        let second = try changes(world, account, after: first.cursor)
        #expect(second.records.count == 3 && !second.hasMore)
        // A record larger than a page still comes, whole and alone.
        for number in 0..<6 {
            var other = FakeActor(UInt64(20 + number), of: account, epoch: epoch)
            try other.push(.number(5), box: megabyte, to: world.store)
        }
        let large = try changes(world, account, after: second.cursor)
        #expect(large.records.map(\.siblings.count) == [7] && !large.hasMore)
    }

    @Test(arguments: StoreKind.allCases)
    func `a record changed between two pages comes once, at its latest seq`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push((1...6).map { FakeWrite(record: .number($0)) }, to: world.store)
        let first = try changes(world, account, recordsMax: 3)
        #expect(first.records.map(\.id) == [.number(1), .number(2), .number(3)])
        // One record was on the first page, the other will be on the second.
        try actor.push(.number(2), replacing: [actor.dot(2)], box: [9], to: world.store)
        try actor.push(.number(5), replacing: [actor.dot(5)], box: [9], to: world.store)
        let second = try changes(world, account, after: first.cursor)
        #expect(second.records.map(\.seq) == [4, 6, 7, 8])
        #expect(
            second.records.map(\.id) == [.number(4), .number(6), .number(2), .number(5)]
        )
        #expect(second.vector[actor.id] == 8)
        #expect(try world.everything(of: account).map(\.seq) == [1, 3, 4, 6, 7, 8])
    }

    @Test(arguments: StoreKind.allCases)
    func `every cursor of an answer is valid, even in the middle of a batch`(kind: StoreKind) throws
    {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let answer = try actor.push((1...5).map { FakeWrite(record: .number($0)) }, to: world.store)
        var cursor: Cursor?
        for seq in 1...5 as ClosedRange<UInt64> {
            let page = try changes(world, account, after: cursor, recordsMax: 1)
            #expect(page.records.map(\.seq) == [seq] && page.hasMore == (seq < 5))
            cursor = page.cursor
        }
        #expect(cursor == answer.cursor)
        #expect(try world.store.account(account.id)?.epoch == epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `a push that has seen a write that the store lacks begins a new epoch`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let answer = try actor.push(.number(1), to: world.store)
        let before = try world.everything(of: account)
        let unknown = Dot(actor: ActorID(rawValue: 50), counter: 1)
        var reader = FakeActor(8, of: account, device: 1, epoch: epoch)
        let batch = reader.seal([FakeWrite(record: .number(1), replaced: [unknown])])
        let requests = [
            reader.request(batch), actor.request(actor.seal([FakeWrite(record: .number(2))])),
        ]
        // The second names the epoch that the first has ended.
        #expect(
            world.store.push(requests) == [
                .failure(.historyWentBack), .failure(.refused(.storeRestored)),
            ]
        )
        let second = try #require(try world.store.account(account.id)?.epoch)
        #expect(second != epoch)
        #expect(try world.everything(of: account) == before)

        // An applied cursor is not signed: one that was never given is refused alone.
        var other = FakeActor(9, of: account, epoch: second)
        let applied = Cursor(
            epoch: second,
            seq: 1,
            tag: CommitTag(validated: [UInt8](repeating: 7, count: 8))
        )
        let late = other.seal([FakeWrite(record: .number(3))])
        #expect(
            world.store.push([other.request(late, applied: applied)]) == [
                .failure(.refused(.unknownCursor))
            ]
        )
        #expect(try world.store.account(account.id)?.epoch == second)
        #expect(answer.cursor.epoch == epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `retries of batches from before a new epoch still get their answers`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batch = actor.seal([FakeWrite(record: .number(1))])
        let answer = try world.store.push([actor.request(batch)])[0].get()
        let ahead = Cursor(epoch: epoch, seq: 9, tag: .start)
        let comparison = try world.store.compareHistory(
            ahead,
            of: account.device,
            in: account.id
        )
        #expect(!comparison.isKnown)
        #expect(try world.store.push([actor.request(batch)])[0].get() == answer)
    }
}
