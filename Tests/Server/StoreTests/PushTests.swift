import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// The conditions for accepting a batch, and the answers to retries.
struct PushTests {
    @Test(arguments: StoreKind.allCases)
    func `a pulled record equals the pushed one`(kind: StoreKind) throws {
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
                PushAnswer.Accepted(seq: 1, dots: [actor.dot(1)]),
                PushAnswer.Accepted(seq: 2, dots: [actor.dot(2)]),
            ]
        )
        #expect(answer.cursor.epoch == epoch && answer.cursor.seq == 2)
        let records = try world.everything(of: account)
        #expect(records.map(\.siblings) == batch.envelopes.map { [$0] })
        #expect(records.map(\.seq) == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `a retry gets the same answer, even after later batches`(kind: StoreKind) throws {
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
        #expect(try world.store.push([actor.request(batch)])[0].get().lasting == answer.lasting)
        #expect(try world.everything(of: account) == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `an answer says how full the account is, and a retry's how full it is now`(
        kind: StoreKind
    ) throws {
        let world = try kind.make(accountBytesMax: 1 << 20)
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let all = ChangesRequest(account: account.id, member: account.device, after: nil)
        func usage() throws -> AccountUsage? {
            let page = try world.store.changes(all)
            return page.usage
        }
        let empty = try #require(try usage())
        let batch = actor.seal([FakeWrite(record: .number(1)), FakeWrite(record: .number(2))])
        let first = try world.store.push([actor.request(batch)])[0].get()
        #expect(try usage() == first.usage && first.usage?.bytesMax == 1 << 20)
        let held = try #require(first.usage).bytes
        #expect(held > empty.bytes)
        let second = try actor.push(.number(3), to: world.store)
        #expect(try usage() == second.usage)
        let retry = try world.store.push([actor.request(batch)])[0].get()
        #expect(try usage() == retry.usage && retry.usage != first.usage)
    }

    @Test(arguments: StoreKind.allCases)
    func `the last 64 batches of an actor can be retried, and no earlier ones`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batches = (0..<70).map { number in
            actor.seal([FakeWrite(record: .number(number % 5))])
        }
        let answers = try batches.map { try world.store.push([actor.request($0)])[0].get() }
        for number in 6..<70 {
            #expect(
                try world.store.push([actor.request(batches[number])])[0].get().lasting
                    == answers[number].lasting
            )
        }
        for number in 0..<6 {
            #expect(
                world.store.push([actor.request(batches[number])]) == [
                    .failure(.refused(.actorForked))
                ]
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the retries of one actor do not push out those of another`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var quiet = FakeActor(7, of: account, epoch: epoch)
        let batch = quiet.seal([FakeWrite(record: .number(1))])
        let answer = try world.store.push([quiet.request(batch)])[0].get()
        var busy = FakeActor(8, of: account, device: 1, epoch: epoch)
        for number in 0..<70 { try busy.push(.number(number), to: world.store) }
        #expect(try world.store.push([quiet.request(batch)])[0].get().lasting == answer.lasting)
    }

    @Test(arguments: StoreKind.allCases)
    func `a second writer with the same actor is detected`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        var clone = actor
        try actor.push(.number(2), box: [1], to: world.store)
        let before = try world.everything(of: account)

        let other = clone.seal([FakeWrite(record: .number(2), box: [2])])
        let longer = actor.request(clone.seal([FakeWrite(record: .number(3))]))
        #expect(world.store.push([clone.request(other)]) == [.failure(.refused(.actorForked))])
        // Now its counter is right, but its chain is wrong.
        #expect(world.store.push([longer]) == [.failure(.refused(.actorForked))])
        #expect(try world.everything(of: account) == before)
        try actor.push(.number(4), to: world.store)
    }

    @Test(arguments: StoreKind.allCases)
    func `a gap is refused, at the first batch too`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let first = actor.seal([FakeWrite(record: .number(1))])
        let second = actor.seal([FakeWrite(record: .number(2))])
        #expect(world.store.push([actor.request(second)]) == [.failure(.refused(.actorForked))])
        _ = try world.store.push([actor.request(first)])[0].get()
        _ = try world.store.push([actor.request(second)])[0].get()
        _ = actor.seal([FakeWrite(record: .number(3))])
        let fourth = actor.seal([FakeWrite(record: .number(4))])
        #expect(world.store.push([actor.request(fourth)]) == [.failure(.refused(.actorForked))])
    }

    @Test(arguments: StoreKind.allCases)
    func `an actor belongs to one member`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let accepted = actor.seal([FakeWrite(record: .number(1))])
        _ = try world.store.push([actor.request(accepted)])[0].get()
        let next = actor.seal([FakeWrite(record: .number(2))])
        for batch in [accepted, next] {
            let stolen = PushRequest(
                account: account.id,
                member: account.devices[1],
                batch: batch,
                applied: nil
            )
            #expect(world.store.push([stolen]) == [.failure(.refused(.actorForked))])
        }
        _ = try world.store.push([actor.request(next)])[0].get()
    }

    @Test(arguments: StoreKind.allCases)
    func `only members push and pull, and only their own account`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp(1)
        let (other, _) = try world.signUp(2)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batch = actor.seal([FakeWrite(record: .number(1))])
        func push(_ account: AccountID, _ member: MemberID) -> [Result<PushAnswer, StoreError>] {
            world.store.push([
                PushRequest(account: account, member: member, batch: batch, applied: nil)
            ])
        }
        #expect(push(account.id, other.device) == [.failure(.notMember)])
        #expect(push(other.id, other.device) == [.failure(.refused(.malformed))])
        let nobody = AccountID(validated: [UInt8](repeating: 9, count: 16))
        #expect(push(nobody, account.device) == [.failure(.refused(.malformed))])
        #expect(throws: StoreError.notMember) {
            try world.store.changes(
                ChangesRequest(account: account.id, member: other.device, after: nil)
            )
        }
        #expect(throws: StoreError.notFound) {
            try world.store.changes(
                ChangesRequest(account: nobody, member: account.device, after: nil)
            )
        }
    }

    /// Otherwise a late copy of it would be accepted once the entry is back.
    @Test(arguments: StoreKind.allCases)
    func `a batch of a generation that the store has lost begins a new epoch`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var writer = FakeActor(8, of: account, epoch: epoch)
        writer.generation = 2
        let batch = writer.seal([FakeWrite(record: .number(1))])
        #expect(world.store.push([writer.request(batch)]) == [.failure(.historyWentBack)])
        #expect(try world.store.account(account.id)?.epoch != epoch)
        var changed = account
        let change = changed.advance(
            operation: .revoke,
            raisingGenerationAt: try world.vector(of: account)
        )
        try world.store.appendEntry(change, to: account.id, ifVersion: 1)
        #expect(world.store.push([writer.request(batch)]) == [.failure(.refused(.storeRestored))])
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch of another epoch or generation is refused`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        actor.epoch = StoreEpoch(validated: [UInt8](repeating: 5, count: 16))
        let foreign = actor.seal([FakeWrite(record: .number(1))])
        #expect(world.store.push([actor.request(foreign)]) == [.failure(.refused(.storeRestored))])
        var earlier = FakeActor(8, of: account, epoch: epoch)
        earlier.generation = 0
        let old = earlier.seal([FakeWrite(record: .number(1))])
        #expect(world.store.push([earlier.request(old)]) == [.failure(.refused(.generationClosed))])
        // A retry comes before everything else: what was accepted stays accepted.
        var retried = FakeActor(9, of: account, epoch: epoch)
        let batch = retried.seal([FakeWrite(record: .number(1))])
        let answer = try world.store.push([retried.request(batch)])[0].get()
        var changed = account
        let vector = try world.vector(of: account)
        let change = changed.advance(operation: .revoke, raisingGenerationAt: vector)
        try world.store.appendEntry(change, to: account.id, ifVersion: 1)
        let again = try world.store.push([retried.request(batch)])[0].get()
        #expect(again.lasting == answer.lasting)
        let late = retried.seal([FakeWrite(record: .number(2))])
        #expect(
            world.store.push([retried.request(late)]) == [.failure(.refused(.generationClosed))]
        )
        var next = FakeActor(10, of: changed, epoch: epoch)
        try next.push(.number(2), to: world.store)
    }

    @Test(arguments: StoreKind.allCases)
    func `bytes that are not a batch are malformed, and store nothing`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batch = actor.seal([FakeWrite(record: .number(1)), FakeWrite(record: .number(2))])
        let changedBox = Envelope(
            recordID: .number(1),
            dot: actor.dot(1),
            replaced: [],
            generation: 1,
            isTombstone: false,
            kind: .keychain,
            box: [77]
        )
        let broken = [
            Batch(signedHeader: [], signature: [], envelopes: batch.envelopes),
            Batch(
                signedHeader: Array(batch.signedHeader.dropLast()),
                signature: [],
                envelopes: batch.envelopes
            ),
            Batch(
                signedHeader: batch.signedHeader,
                signature: [],
                envelopes: [batch.envelopes[0]]
            ),
            Batch(
                signedHeader: batch.signedHeader,
                signature: [],
                envelopes: [changedBox, batch.envelopes[1]]
            ),
            Batch(
                signedHeader: batch.signedHeader,
                signature: [],
                envelopes: batch.envelopes.reversed()
            ),
        ]
        for batch in broken {
            #expect(world.store.push([actor.request(batch)]) == [.failure(.refused(.malformed))])
        }
        #expect(try world.everything(of: account).isEmpty)
        // A write cannot have seen itself, nor later writes of its own actor.
        for counter in [3, 4] as [UInt64] {
            var actor = FakeActor(8, of: account, epoch: epoch)
            let batch = actor.seal([
                FakeWrite(record: .number(1)), FakeWrite(record: .number(1)),
                FakeWrite(record: .number(1), replaced: [actor.dot(counter)]),
                FakeWrite(record: .number(1)),
            ])
            let refused = [RefusedRecord(counter: 3, code: .malformed)]
            #expect(
                world.store.push([actor.request(batch)]) == [.failure(.writes(refused))]
            )
        }
        #expect(try world.store.account(account.id)?.epoch == epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch over a limit is refused whole`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        let largest = [UInt8](repeating: 1, count: RecordKind.keychain.boxBytesMax)
        let dots = (1...UInt64(Limits.replacedMax + 1)).map {
            Dot(actor: ActorID(rawValue: 1), counter: $0)
        }
        let itself = StoreError.writes([RefusedRecord(counter: 1, code: .tooLarge)])
        let tooLarge: [([FakeWrite], StoreError)] = [
            (
                (0...Limits.batchRecordsMax).map { FakeWrite(record: .number($0)) },
                .refused(.tooLarge)
            ),
            ([FakeWrite(record: .number(1), box: largest + [1])], itself),
            ((0..<5).map { FakeWrite(record: .number($0), box: megabyte) }, .refused(.tooLarge)),
            ([FakeWrite(record: .number(1), replaced: dots)], itself),
        ]
        for (writes, error) in tooLarge {
            var actor = FakeActor(7, of: account, epoch: epoch)
            #expect(world.store.push([actor.request(actor.seal(writes))]) == [.failure(error)])
        }
        #expect(try world.everything(of: account).isEmpty)
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(
            (0..<4).map { FakeWrite(record: .number($0), box: megabyte) },
            to: world.store
        )
        try actor.push((0..<500).map { FakeWrite(record: .number($0)) }, to: world.store)
    }
}
