import KSCausality
import KSMerging
import KSRecords
import KSTestSupport
import Testing
import KSWire

/// The simplest store: it loads a decision's input, and saves its result.
private struct PlainStore {
    private(set) var standing = AccountStanding.with()
    private var actors: [ActorID: PushSnapshot.Actor] = [:]
    private var batches: [Dot: (chain: Hash, answer: PushAnswer)] = [:]
    private var tags: [UInt64: CommitTag] = [:]
    private(set) var records: [RecordID: HeldRecord] = [:]
    private(set) var recordCount = 0
    /// How often records were loaded.
    private(set) var loadCount = 0
    var bytesMax: UInt64?

    @discardableResult
    mutating func push(_ batch: IncomingBatch) throws -> PushDecision {
        let snapshot = PushSnapshot(
            account: standing,
            isMember: batch.request.member == Writer.device,
            actor: actors[batch.header.actor],
            accepted: batches[Self.name(of: batch.header)],
            appliedTag: batch.request.applied.flatMap { tags[$0.seq] },
            vector: VersionVector(
                batch.seenActors.map { (actor: $0, counter: actors[$0]?.accepted ?? 0) }
            )
        )
        let decision = try PushDecision.decide(
            batch,
            on: snapshot,
            bytesMax: bytesMax,
            tag: { [seq = standing.seq] in
                CommitTag(validated: [UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: 8))
            },
            records: { ids in
                loadCount += 1
                #expect(Set(ids).count == ids.count)
                return ids.compactMap { records[$0] }
            }
        )
        if case .accepted(let change) = decision { save(change) }
        return decision
    }

    private static func name(of header: BatchHeader) -> Dot {
        Dot(actor: header.actor, counter: header.firstCounter)
    }

    private mutating func save(_ change: PushChange) {
        for record in change.records {
            #expect(record.storedSeq == records[record.id]?.storedSeq)
            records[record.id] = HeldRecord(
                id: record.id,
                storedSeq: record.seq,
                siblings: record.siblings
            )
        }
        recordCount += change.newRecordCount
        let cursor = change.answer.cursor
        tags[cursor.seq] = cursor.tag
        actors[change.header.actor] = PushSnapshot.Actor(
            member: change.member,
            accepted: change.header.lastCounter,
            chain: change.header.chain,
            isClosed: false
        )
        batches[Self.name(of: change.header)] = (
            chain: change.header.chain,
            answer: change.answer
        )
        standing = .with(
            seq: cursor.seq,
            recordBytes: standing.recordBytes + change.growthBytes
        )
    }
}

/// A few writers of one account, by seed: new batches, retries, copies of a device.
private struct RandomAccount {
    var random: SeededGenerator
    var store = PlainStore()
    var writers = (1...3).map { Writer(UInt64($0)) }
    var sent: [(batch: IncomingBatch, answer: PushAnswer)] = []
    /// The expected records, written as plainly as possible.
    var siblings: [RecordID: [Dot: Envelope]] = [:]
    var seqs: [RecordID: UInt64] = [:]
    var seq: UInt64 = 0

    mutating func writes() -> [PlainWrite] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let record = RecordID.number(UInt8.random(in: 1...4, using: &random))
            var replaced = (siblings[record] ?? [:]).keys.sorted().filter { _ in
                Int.random(in: 0..<4, using: &random) > 0
            }
            // A dot of any record: replacing a missing sibling changes nothing.
            if let old = sent.randomElement(using: &random) {
                replaced.append(old.batch.envelopes[0].dot)
            }
            return PlainWrite(
                record: record,
                replaced: replaced,
                isTombstone: Bool.random(using: &random),
                box: [UInt8](repeating: 1, count: Int.random(in: 0..<40, using: &random))
            )
        }
    }

    /// The model's answer to an accepted batch.
    mutating func take(_ batch: IncomingBatch) -> [PushAnswer.Accepted] {
        batch.envelopes.map { envelope in
            seq += 1
            for dot in envelope.replaced { siblings[envelope.recordID]?[dot] = nil }
            siblings[envelope.recordID, default: [:]][envelope.dot] = envelope
            seqs[envelope.recordID] = seq
            let dots = siblings[envelope.recordID]?.keys.sorted() ?? []
            return PushAnswer.Accepted(seq: seq, dots: dots)
        }
    }

    mutating func step() throws {
        let index = Int.random(in: 0..<3, using: &random)
        let loadCount = store.loadCount
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            guard let old = sent.randomElement(using: &random) else { return }
            guard case .answered(let answer) = try store.push(old.batch) else {
                Issue.record("a retry was not answered")
                return
            }
            // Only how full the account is may have changed.
            let isSame = answer.records == old.answer.records && answer.cursor == old.answer.cursor
            #expect(isSame && store.loadCount == loadCount)
        case 1 where writers[index].counter > 0:
            // A copy of the device from before its last write.
            var twin = writers[index]
            twin.counter -= 1
            expectRefusal(.refused(.actorForked), of: try twin.seal(writes()))
        case 2:
            var skipping = writers[index]
            skipping.counter += 1
            expectRefusal(.refused(.actorForked), of: try skipping.seal(writes()))
        case 3:
            let lost = Dot(actor: ActorID(rawValue: 9), counter: 1)
            var reader = writers[index]
            expectRefusal(.historyWentBack, of: try reader.seal([PlainWrite(replaced: [lost])]))
        case 4:
            var late = writers[index]
            late.epoch = .number(9)
            expectRefusal(.refused(.storeRestored), of: try late.seal(writes()))
        case 5:
            var stranger = writers[index]
            stranger.member = MemberID(validated: [UInt8](repeating: 3, count: 16))
            expectRefusal(.notMember, of: try stranger.seal(writes()))
        default:
            let applied = sent.randomElement(using: &random)?.answer.cursor
            let batch = try writers[index].seal(writes(), applied: applied)
            let expected = take(batch)
            guard case .accepted(let change) = try store.push(batch) else {
                Issue.record("a good batch was not accepted")
                return
            }
            #expect(change.answer.records == expected && change.answer.cursor.seq == seq)
            #expect(store.loadCount == loadCount + 1)
            sent.append((batch, change.answer))
        }
    }

    /// A batch that is refused before any of its records is checked.
    private mutating func expectRefusal(_ refusal: StoreError, of batch: IncomingBatch) {
        let loadCount = store.loadCount
        #expect(throws: refusal) { try store.push(batch) }
        #expect(store.loadCount == loadCount)
    }
}

/// The whole decision about a batch, without a database.
struct DecisionTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `decisions agree with a simple model`(seed: UInt64) throws {
        var account = RandomAccount(random: SeededGenerator(seed: seed))
        for _ in 0..<50 { try account.step() }
        let records = account.store.records
        #expect(account.store.standing.seq == account.seq)
        #expect(records.mapValues(\.seq) == account.seqs.mapValues(Optional.some))
        #expect(account.store.recordCount == records.count)
        for (id, record) in records {
            #expect(record.siblings.dots == account.siblings[id]?.keys.sorted())
            for entry in record.siblings.entries {
                let envelope = try #require(account.siblings[id]?[entry.dot])
                #expect(entry.value.envelope == envelope)
            }
        }
        // The growths add up to the stored size.
        let charged = records.values.reduce(0) { $0 + $1.siblings.chargedBytes }
        #expect(account.store.standing.recordBytes == charged)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `a refused batch changes nothing, and is accepted once its reason is gone`(
        seed: UInt64
    ) throws {
        var account = RandomAccount(random: SeededGenerator(seed: seed))
        for _ in 0..<10 { try account.step() }
        let before = account.store
        let batch = try account.writers[0].seal([PlainWrite(box: [UInt8](repeating: 1, count: 99))])
        account.store.bytesMax = 1
        #expect(throws: StoreError.refused(.quotaExceeded)) { try account.store.push(batch) }
        #expect(account.store.standing == before.standing)
        #expect(account.store.records.mapValues(\.seq) == before.records.mapValues(\.seq))
        account.store.bytesMax = nil
        let expected = account.take(batch)
        guard case .accepted(let change) = try account.store.push(batch) else {
            Issue.record("the batch was not taken")
            return
        }
        #expect(change.answer.records == expected)
    }

    @Test
    func `bytes that are not a batch are malformed, and a batch over a limit is too large`() {
        var writer = Writer(1)
        let batch = writer.batch([PlainWrite(), PlainWrite()])
        func refusal(_ batch: Batch, of account: AccountID = Writer.account) -> StoreError? {
            do throws(StoreError) {
                _ = try IncomingBatch(Writer.request(batch, of: account))
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(batch) == nil)
        let stranger = AccountID(validated: [UInt8](repeating: 9, count: 16))
        #expect(refusal(batch, of: stranger) == .refused(.malformed))
        let cut = Batch(
            signedHeader: batch.signedHeader,
            signature: [],
            envelopes: [batch.envelopes[0]]
        )
        #expect(refusal(cut) == .refused(.malformed))
        let many = writer.batch((0...Limits.batchRecordsMax).map { _ in PlainWrite() })
        #expect(refusal(many) == .refused(.tooLarge))
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        let large = writer.batch((0..<5).map { _ in PlainWrite(box: megabyte) })
        #expect(refusal(large) == .refused(.tooLarge))
        // The refusal names the write that is too large by itself.
        let first = writer.counter + 1
        let limit = RecordKind.keychain.boxBytesMax
        let one = writer.batch([PlainWrite(box: [UInt8](repeating: 1, count: limit + 1))])
        #expect(refusal(one) == .writes([RefusedRecord(counter: first, code: .tooLarge)]))
    }

    /// A value of 1 MiB and concurrent ones beside it: larger than a batch of several records.
    @Test(arguments: [-1, 0, 1])
    func `one record fills a batch up to the limit of its kind`(excess: Int) {
        var writer = Writer(1)
        func isTaken(_ writes: [PlainWrite]) -> Bool {
            let batch = writer.batch(writes)
            // Another test checks the reason.
            return (try? IncomingBatch(Writer.request(batch))) != nil
        }
        let limit = RecordKind.keyValue.boxBytesMax
        let box = [UInt8](repeating: 1, count: limit + excess)
        #expect(limit > Limits.batchBytesMax)
        #expect(isTaken([PlainWrite(box: box, kind: .keyValue)]) == (excess <= 0))
        #expect(!isTaken([PlainWrite(box: box, kind: .keyValue), PlainWrite()]))
        #expect(isTaken([PlainWrite(box: box)]) == (excess <= 0))
    }
}
