import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// An account's contents, modelled as plainly as possible.
private struct Model {
    var seq: UInt64 = 0
    var accepted: [ActorID: UInt64] = [:]
    var records: [RecordID: (seq: UInt64, siblings: [Dot: Envelope])] = [:]

    mutating func take(_ batch: Batch) -> [PushAnswer.Accepted] {
        batch.envelopes.map { envelope in
            seq += 1
            accepted[envelope.dot.actor] = envelope.dot.counter
            var siblings = records[envelope.recordID]?.siblings ?? [:]
            for dot in envelope.replaced { siblings[dot] = nil }
            siblings[envelope.dot] = envelope
            records[envelope.recordID] = (seq, siblings)
            return PushAnswer.Accepted(seq: seq, dots: siblings.keys.sorted())
        }
    }

    var everything: [PageAnswer.Record] {
        records.map { id, record in
            PageAnswer.Record(
                id: id,
                seq: record.seq,
                siblings: record.siblings.sorted { $0.key < $1.key }.map(\.value)
            )
        }.sorted { $0.seq < $1.seq }
    }

    var vector: VersionVector {
        VersionVector(accepted.map { (actor: $0.key, counter: $0.value) })
    }
}

/// A device that only reads, from its cursor on.
private struct Reader {
    var cursor: Cursor?
    var records: [RecordID: PageAnswer.Record] = [:]

    /// Pulls one page.
    ///
    /// - Returns: whether there is more.
    mutating func pull(_ world: StoreUnderTest, _ account: FakeAccount, max: Int) throws -> Bool {
        let page = try world.store.changes(
            ChangesRequest(
                account: account.id,
                member: account.devices[1],
                after: cursor,
                recordsMax: max
            )
        )
        let start = cursor?.seq ?? 0
        #expect(page.records.map(\.seq) == page.records.map(\.seq).sorted())
        #expect(page.records.allSatisfy { $0.seq > start })
        for record in page.records { records[record.id] = record }
        cursor = page.cursor
        return page.hasMore
    }
}

/// A few writers on two accounts, by seed.
private struct RandomWorld {
    var random: SeededGenerator
    let boxFill: UInt8
    let world: StoreUnderTest
    let accounts: [FakeAccount]
    var models = [Model(), Model()]
    var readers = [Reader(), Reader()]
    /// By account; some are copies of a device that have diverged.
    var actors: [[FakeActor]]
    var sent: [(account: Int, request: PushRequest, answer: PushAnswer)] = []
    var log: [Result<PushAnswer, StoreError>] = []

    init(seed: UInt64, kind: StoreKind, boxFill: UInt8 = 0) throws {
        random = SeededGenerator(seed: seed)
        self.boxFill = boxFill
        let world = try kind.make(seed: seed)
        let signedUp = try ([1, 2] as [UInt8]).map { try world.signUp($0) }
        self.world = world
        accounts = signedUp.map { $0.0 }
        actors = signedUp.map { account, epoch in
            (0..<3).map { FakeActor(UInt64(7 + $0), of: account, device: $0 % 2, epoch: epoch) }
        }
    }

    mutating func writes(in account: Int) -> [FakeWrite] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let record = RecordID.number(Int.random(in: 0..<4, using: &random))
            // Dots of any record, present or gone: replacing what is not there changes nothing.
            let known = models[account].accepted.sorted { $0.key < $1.key }.flatMap {
                actor,
                counter in
                (1...counter).map { Dot(actor: actor, counter: $0) }
            }
            let present = models[account].records[record]?.siblings.keys.sorted() ?? []
            var replaced = present.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            if let other = known.randomElement(using: &random) { replaced.append(other) }
            let count = Int.random(in: 0..<40, using: &random)
            return FakeWrite(
                record: record,
                replaced: replaced,
                isTombstone: Bool.random(using: &random),
                box: (0..<count).map { _ in
                    UInt8.random(in: .min ... .max, using: &random) ^ boxFill
                }
            )
        }
    }

    /// One call with one to three batches: new ones, retries and forks.
    mutating func push() {
        var requests: [PushRequest] = []
        var expected: [(account: Int, isNew: Bool)] = []
        var used: Set<Int> = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let account = Int.random(in: 0..<2, using: &random)
            let index = Int.random(in: 0..<3, using: &random)
            let choice = Int.random(in: 0..<10, using: &random)
            if choice == 0, let old = sent.randomElement(using: &random) {
                requests.append(old.request)
                expected.append((old.account, false))
            } else if choice == 1, actors[account][index].counter > 0 {
                var twin = actors[account][index]
                twin.counter -= 1
                requests.append(twin.request(twin.seal(writes(in: account))))
                expected.append((account, false))
            } else if used.insert(account * 3 + index).inserted {
                let new = writes(in: account)
                let batch = actors[account][index].seal(new)
                requests.append(actors[account][index].request(batch))
                expected.append((account, true))
            }
        }
        let results = world.store.push(requests)
        log += results
        for (index, result) in results.enumerated() {
            check(result, of: requests[index], expected[index].account, expected[index].isNew)
        }
    }

    private mutating func check(
        _ result: Result<PushAnswer, StoreError>,
        of request: PushRequest,
        _ account: Int,
        _ isNew: Bool
    ) {
        if isNew {
            let records = models[account].take(request.batch)
            guard case .success(let answer) = result, answer.records == records else {
                Issue.record("\(result) in place of \(records)")
                return
            }
            sent.append((account, request, answer))
        } else if let old = sent.first(where: { $0.request.batch == request.batch }) {
            let answer = result.lasting
            let first = old.answer.lasting
            #expect(answer == .success(first) || answer == .failure(.refused(.actorForked)))
        } else {
            #expect(result == .failure(.refused(.actorForked)))
        }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            push()
            let account = Int.random(in: 0..<2, using: &random)
            let max = Int.random(in: 1...3, using: &random)
            _ = try readers[account].pull(world, accounts[account], max: max)
        }
    }
}

struct ModelTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a store agrees with a simple model`(seed: UInt64) throws {
        let kind: StoreKind =
            switch seed % 10 {
            case 0: .file
            case 5: StoreKind.allCases.last ?? .memory
            default: .memory
            }
        var random = try RandomWorld(seed: seed, kind: kind)
        try random.run(steps: 40)
        for (index, account) in random.accounts.enumerated() {
            let model = random.models[index]
            let pageSize = Int(seed % 4) + 1
            #expect(
                try random.world.everything(of: account, recordsMax: pageSize) == model.everything
            )
            #expect(try random.world.vector(of: account) == model.vector)
            #expect(try random.world.store.account(account.id)?.seq == model.seq)
            // A reader from the start has missed nothing.
            while try random.readers[index].pull(random.world, account, max: 2) {}
            let read = random.readers[index].records.values.sorted { $0.seq < $1.seq }
            #expect(read == model.everything)
        }
        let charged = random.models.flatMap(\.everything).reduce(0) { sum, record in
            guard !record.siblings.allSatisfy(\.isTombstone) else { return sum + 100 }
            return record.siblings.reduce(sum) {
                $0 + $1.box.count + 128 + 16 * $1.replaced.count
            }
        }
        #expect(
            try random.world.totals()
                == StoreTotals(
                    accounts: 2,
                    records: UInt64(random.models.reduce(0) { $0 + $1.records.count }),
                    storedBytes: UInt64(charged)
                )
        )
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `the contents of boxes change no answer`(seed: UInt64) throws {
        var plain = try RandomWorld(seed: seed, kind: .memory)
        var other = try RandomWorld(seed: seed, kind: .memory, boxFill: 0xA5)
        try plain.run(steps: 30)
        try other.run(steps: 30)
        #expect(!plain.log.isEmpty && plain.log == other.log)
        for index in 0..<2 {
            let answers = [plain, other].map { world in
                world.readers[index].records.values.sorted { $0.seq < $1.seq }.map { record in
                    [record.id.bytes.description, "\(record.seq)"]
                        + record.siblings.map { "\($0.dot) \($0.replaced) \($0.isTombstone)" }
                }
            }
            #expect(answers[0] == answers[1])
        }
    }
}
