import KSCausality
import KSMerging
import KSRecords
import Testing
import KSWire

/// The steps of the decision about a batch, one at a time; inconsistent input is refused.
struct StepTests {
    private let stranger = MemberID(validated: [UInt8](repeating: 3, count: 16))
    private let other = ActorID(rawValue: 7)
    /// It has written five times.
    private let writer: Writer

    init() throws {
        var writer = Writer(6)
        writer.generation = 2
        _ = try writer.seal((0..<5).map { _ in PlainWrite() })
        self.writer = writer
    }

    /// The account's vector: five writes of the writer, three of another actor.
    private func snapshot(
        standing: AccountStanding = .with(seq: 8, generation: 2),
        isMember: Bool = true,
        isNew: Bool = false,
        isClosed: Bool = false,
        accepted: (chain: Hash, answer: PushAnswer)? = nil,
        appliedTag: CommitTag? = nil
    ) -> PushSnapshot {
        let actor = PushSnapshot.Actor(
            member: writer.member,
            accepted: 5,
            chain: writer.chain,
            isClosed: isClosed
        )
        return PushSnapshot(
            account: standing,
            isMember: isMember,
            actor: isNew ? nil : actor,
            accepted: accepted,
            appliedTag: appliedTag,
            vector: VersionVector([(actor: other, counter: UInt64(3))])
        )
    }

    private func refusal(_ step: () throws(StoreError) -> Void) -> StoreError? {
        do throws(StoreError) {
            try step()
            return nil
        } catch {
            return error
        }
    }

    private func batch(
        _ writes: [PlainWrite] = [PlainWrite()],
        _ change: (inout Writer) -> Void = { _ in }
    ) throws -> IncomingBatch {
        var writer = writer
        change(&writer)
        return try writer.seal(writes)
    }

    // MARK: History

    @Test
    func `another epoch and another generation have their own refusals`() throws {
        let past = StoreEpoch.number(9)
        func refusal(_ change: (inout Writer) -> Void) throws -> StoreError? {
            let batch = try batch([PlainWrite()], change)
            return self.refusal { () throws(StoreError) in try snapshot().checkHistory(of: batch) }
        }
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.epoch = past } == .refused(.storeRestored))
        #expect(try refusal { $0.generation = 1 } == .refused(.generationClosed))
        // The store has lost the entry that began it.
        #expect(try refusal { $0.generation = 3 } == .historyWentBack)
        // The epoch is checked first: a client that takes its batch apart for the lesser reason
        // would push again where it must compare.
        let both = try refusal { ($0.epoch, $0.generation) = (past, 1) }
        #expect(both == .refused(.storeRestored))
    }

    @Test
    func `a cursor is good when its epoch, seq and tag are the account's`() {
        let standing = AccountStanding.with(seq: 8, removalHorizon: 4)
        let tag = CommitTag(validated: [UInt8](repeating: 5, count: 8))
        func refusal(_ seq: UInt64, _ tag: CommitTag, epoch: StoreEpoch = .number(0)) -> ErrorCode?
        {
            let known = seq <= 8 ? CommitTag(validated: [UInt8](repeating: 5, count: 8)) : nil
            return standing.refusal(of: Cursor(epoch: epoch, seq: seq, tag: tag), tag: known)
        }
        #expect(refusal(8, tag) == nil && refusal(4, tag) == nil)
        #expect(refusal(3, tag) == .resyncRequired)
        #expect(refusal(9, tag) == .unknownCursor && refusal(.max, tag) == .unknownCursor)
        #expect(refusal(8, .start) == .unknownCursor)
        // Another epoch is refused first, whatever the cursor is.
        #expect(refusal(9, .start, epoch: .number(9)) == .storeRestored)
        // A store that has lost the tag of a seq accepts no tag for it.
        let cursor = Cursor(epoch: .number(0), seq: 8, tag: tag)
        #expect(standing.refusal(of: cursor, tag: nil) == .unknownCursor)
    }

    @Test
    func `a cursor of this epoch that the account does not have shows that the store went back`() {
        let standing = AccountStanding.with(seq: 8, removalHorizon: 4)
        let tag = CommitTag(validated: [UInt8](repeating: 5, count: 8))
        func hasLost(_ seq: UInt64, epoch: StoreEpoch = .number(0), tag held: CommitTag?) -> Bool {
            standing.hasLost(Cursor(epoch: epoch, seq: seq, tag: tag), tag: held)
        }
        #expect(hasLost(9, tag: nil) && hasLost(8, tag: .start))
        #expect(!hasLost(8, tag: tag))
        // Older than a removal, but of this history.
        #expect(!hasLost(3, tag: tag))
        #expect(!hasLost(9, epoch: .number(9), tag: nil))
        #expect(StoreError.historyWentBack.beginsEpoch)
        #expect(!StoreError.refused(.storeRestored).beginsEpoch)
    }

    @Test
    func `the sender's applied cursor is checked, if it has one`() throws {
        let tag = CommitTag(validated: [UInt8](repeating: 5, count: 8))
        var writer = writer
        let applied = Cursor(epoch: .number(0), seq: 8, tag: tag)
        let batch = try writer.seal([PlainWrite()], applied: applied)
        func refusal(_ snapshot: PushSnapshot) -> StoreError? {
            self.refusal { () throws(StoreError) in try snapshot.checkHistory(of: batch) }
        }
        #expect(refusal(snapshot(appliedTag: tag)) == nil)
        #expect(refusal(snapshot(appliedTag: .start)) == .refused(.unknownCursor))
        #expect(refusal(snapshot()) == .refused(.unknownCursor))
        let removed = AccountStanding.with(seq: 9, removalHorizon: 9, generation: 2)
        #expect(refusal(snapshot(standing: removed, appliedTag: tag)) == .refused(.resyncRequired))
    }

    // MARK: Chain

    private func chainRefusal(
        _ snapshot: PushSnapshot,
        _ change: (inout Writer) -> Void = { _ in }
    ) throws -> StoreError? {
        let batch = try batch([PlainWrite()], change)
        return refusal { () throws(StoreError) in try snapshot.checkChain(of: batch) }
    }

    @Test
    func `the next batch of an actor, and the first of a new one, are accepted`() throws {
        #expect(try chainRefusal(snapshot()) == nil)
        let new = snapshot(isNew: true)
        #expect(try chainRefusal(new) { ($0.counter, $0.chain) = (0, .zero) } == nil)
        #expect(try chainRefusal(new) { $0.counter = 0 } == .refused(.actorForked))
        #expect(
            try chainRefusal(new) { ($0.counter, $0.chain) = (1, .zero) } == .refused(.actorForked)
        )
    }

    @Test
    func `a gap, an overlap, another chain or another member is a fork`() throws {
        #expect(try chainRefusal(snapshot()) { $0.counter = 6 } == .refused(.actorForked))
        #expect(try chainRefusal(snapshot()) { $0.counter = 4 } == .refused(.actorForked))
        #expect(try chainRefusal(snapshot()) { $0.chain = .zero } == .refused(.actorForked))
        #expect(try chainRefusal(snapshot()) { $0.member = stranger } == .refused(.actorForked))
    }

    @Test
    func `a closed actor never writes again`() throws {
        #expect(try chainRefusal(snapshot(isClosed: true)) == .refused(.actorForked))
    }

    // MARK: What was seen

    private func seenRefusal(_ replaced: [[Dot]]) throws -> StoreError? {
        let batch = try batch(replaced.map { PlainWrite(replaced: $0) })
        return refusal { () throws(StoreError) in try snapshot().checkWhatWasSeen(by: batch) }
    }

    @Test
    func `a write may replace only writes that its author can have seen`() throws {
        let seen = [writer.dot(5), Dot(actor: other, counter: 3)]
        #expect(try seenRefusal([seen]) == nil)
        #expect(try seenRefusal([[], [writer.dot(6)]]) == nil)
        // A refused write alone is no evidence that the store went back.
        #expect(try seenRefusal([[Dot(actor: other, counter: 4), writer.dot(7)]]) == nil)
        #expect(try batch([PlainWrite(replaced: seen)]).seenActors == [other])
    }

    @Test
    func `a replaced write that the store never had shows that the store went back`() throws {
        let lost = [Dot(actor: other, counter: 4)]
        #expect(try seenRefusal([lost]) == .historyWentBack)
        #expect(try seenRefusal([[], lost]) == .historyWentBack)
        let unknown = [Dot(actor: ActorID(rawValue: 10), counter: 1)]
        #expect(try seenRefusal([unknown]) == .historyWentBack)
    }

    // MARK: Retries

    @Test
    func `only its own member gets an accepted batch's answer again`() throws {
        let batch = try batch()
        let cursor = Cursor(epoch: .number(9), seq: 6, tag: .start)
        let answer = PushAnswer(records: [], cursor: cursor, circleVersion: 1)
        let accepted = (chain: batch.header.chain, answer: answer)
        #expect(try snapshot(accepted: accepted).answer(to: batch) == answer)
        #expect(try snapshot().answer(to: batch) == nil)
        let another = (chain: Hash.zero, answer: answer)
        #expect(try snapshot(accepted: another).answer(to: batch) == nil)
        #expect(throws: StoreError.notMember) {
            try snapshot(isMember: false, accepted: accepted).answer(to: batch)
        }
        let stolen = try self.batch([PlainWrite()]) { $0.member = stranger }
        #expect(throws: StoreError.refused(.actorForked)) {
            try snapshot(accepted: accepted).answer(to: stolen)
        }
    }

    // MARK: Single writes

    private func envelope(
        replacing replaced: [Dot],
        kind: RecordKind = .keychain,
        box: [UInt8] = [1]
    ) -> Envelope {
        Envelope(
            recordID: .number(8),
            dot: writer.dot(6),
            replaced: replaced,
            generation: 2,
            isTombstone: false,
            kind: kind,
            box: box
        )
    }

    @Test
    func `a write that replaces itself or a later one of its actor is refused alone`() {
        #expect(envelope(replacing: []).refusal == nil)
        for counter in [6, 7] as [UInt64] {
            let refused = envelope(replacing: [writer.dot(counter)]).refusal
            #expect(refused == RefusedRecord(counter: 6, code: .malformed))
        }
    }

    @Test
    func `a write over a limit is refused alone`() {
        let limit = [UInt8](repeating: 1, count: RecordKind.keychain.boxBytesMax)
        #expect(envelope(replacing: [], box: limit).refusal == nil)
        let dots = (1...UInt64(Limits.replacedMax + 1)).map { Dot(actor: other, counter: $0) }
        #expect(envelope(replacing: Array(dots.dropLast())).refusal == nil)
        let tooLarge = RefusedRecord(counter: 6, code: .tooLarge)
        #expect(envelope(replacing: [], box: limit + [1]).refusal == tooLarge)
        #expect(envelope(replacing: dots).refusal == tooLarge)
    }

    @Test(arguments: [(-1, nil), (0, nil), (1, .tooLarge)] as [(Int, ErrorCode?)])
    func `a key-value record may be larger`(excess: Int, code: ErrorCode?) {
        let count = RecordKind.keyValue.boxBytesMax + excess
        let box = [UInt8](repeating: 1, count: count)
        let refusal = envelope(replacing: [], kind: .keyValue, box: box).refusal
        #expect(refusal == code.map { RefusedRecord(counter: 6, code: $0) })
    }
}
