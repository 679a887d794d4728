import KSCausality
import KSMerging
import KSRecords
import Testing

/// Which batches follow what the account holds; whatever does not fit is refused.
struct AdmissionTests {
    private let account = AccountID(validated: [UInt8](repeating: 1, count: 16))
    private let member = MemberID(validated: [UInt8](repeating: 2, count: 16))
    private let stranger = MemberID(validated: [UInt8](repeating: 3, count: 16))
    private let epoch = StoreEpoch(validated: [UInt8](repeating: 4, count: 16))
    private let chain = Hash(validated: [UInt8](repeating: 5, count: 32))
    private let writer = ActorID(rawValue: 6)
    private let other = ActorID(rawValue: 7)

    private func vector(_ entries: [(actor: ActorID, counter: UInt64)]) -> VersionVector {
        VersionVector(entries)
    }

    /// What the account holds: five writes of the writer, three of somebody else.
    private func admission(isClosed: Bool = false) -> Admission {
        Admission(
            epoch: epoch,
            generation: 2,
            vector: vector([(actor: writer, counter: 5), (actor: other, counter: 3)]),
            actor: Admission.Actor(member: member, chain: chain, isClosed: isClosed)
        )
    }

    /// The batch that follows, but for what is said otherwise.
    private func refusal(
        _ admission: Admission,
        epoch: StoreEpoch? = nil,
        generation: UInt64 = 2,
        actor: ActorID? = nil,
        firstCounter: UInt64 = 6,
        previousChain: Hash? = nil,
        replaced: [[Dot]] = [[]],
        from sender: MemberID? = nil
    ) -> Refusal? {
        let envelopes = replaced.enumerated().map { offset, replaced in
            Envelope(
                recordID: RecordID(validated: [UInt8](repeating: 8, count: 32)),
                dot: Dot(actor: actor ?? writer, counter: firstCounter + UInt64(offset)),
                replaced: replaced,
                generation: generation,
                isTombstone: false,
                kind: .keychain,
                box: [1]
            )
        }
        let header = BatchHeader(
            account: account,
            epoch: epoch ?? self.epoch,
            circleVersion: 1,
            generation: generation,
            actor: actor ?? writer,
            firstCounter: firstCounter,
            count: UInt64(envelopes.count),
            previousChain: previousChain ?? chain,
            chain: BatchChain.extend(previousChain ?? chain, with: envelopes)
        )
        let batch = Batch(signedHeader: header.encoded, signature: [], envelopes: envelopes)
        do throws(Refusal) {
            try admission.check(header, of: batch, from: sender ?? member)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `the next batch of an actor is taken, and the first of a new one`() {
        #expect(refusal(admission()) == nil)
        let first = Admission(
            epoch: epoch,
            generation: 2,
            vector: vector([(actor: other, counter: 3)]),
            actor: nil
        )
        #expect(refusal(first, firstCounter: 1, previousChain: .zero) == nil)
        #expect(refusal(first, firstCounter: 1) == .actorForked)
        #expect(refusal(first, firstCounter: 2, previousChain: .zero) == .actorForked)
    }

    @Test
    func `another life of the store and another generation are named`() {
        let past = StoreEpoch(validated: [UInt8](repeating: 9, count: 16))
        #expect(refusal(admission(), epoch: past) == .storeRestored)
        #expect(refusal(admission(), generation: 1) == .generationClosed)
        #expect(refusal(admission(), generation: 3) == .generationClosed)
        // The epoch comes first: a client that takes its batch apart for the lesser reason would
        // push again where it must compare.
        #expect(refusal(admission(), epoch: past, generation: 1) == .storeRestored)
    }

    @Test
    func `a gap, an overlap, another chain or another member is a fork`() {
        #expect(refusal(admission(), firstCounter: 7) == .actorForked)
        #expect(refusal(admission(), firstCounter: 5) == .actorForked)
        #expect(refusal(admission(), previousChain: .zero) == .actorForked)
        #expect(refusal(admission(), from: stranger) == .actorForked)
    }

    @Test
    func `a closed actor never writes again`() {
        #expect(refusal(admission(isClosed: true)) == .actorForked)
    }

    @Test
    func `a write replaces what its author can have seen, and not itself or a later one`() {
        let seen = [Dot(actor: writer, counter: 5), Dot(actor: other, counter: 3)]
        #expect(refusal(admission(), replaced: [seen]) == nil)
        let ofThisBatch = [Dot(actor: writer, counter: 6)]
        #expect(refusal(admission(), replaced: [[], ofThisBatch]) == nil)
        let write = envelope(replacing: [])
        #expect(write.refusal == nil)
        for counter in [6, 7] as [UInt64] {
            let refused = envelope(replacing: [Dot(actor: writer, counter: counter)]).refusal
            #expect(refused == RefusedWrite(counter: 6, reason: .malformed))
        }
        // What is refused for itself is no evidence of a store that went back.
        let lost = [Dot(actor: other, counter: 4), Dot(actor: writer, counter: 7)]
        #expect(refusal(admission(), replaced: [lost]) == nil)
    }

    @Test
    func `a write over a limit is refused for itself`() {
        let limit = [UInt8](repeating: 1, count: Limits.boxBytesMax)
        #expect(envelope(replacing: [], box: limit).refusal == nil)
        let dots = (1...UInt64(Limits.replacedMax + 1)).map { Dot(actor: other, counter: $0) }
        #expect(envelope(replacing: Array(dots.dropLast())).refusal == nil)
        let tooLarge = RefusedWrite(counter: 6, reason: .tooLarge)
        #expect(envelope(replacing: [], box: limit + [1]).refusal == tooLarge)
        #expect(envelope(replacing: dots).refusal == tooLarge)
    }

    private func envelope(replacing replaced: [Dot], box: [UInt8] = [1]) -> Envelope {
        Envelope(
            recordID: RecordID(validated: [UInt8](repeating: 8, count: 32)),
            dot: Dot(actor: writer, counter: 6),
            replaced: replaced,
            generation: 2,
            isTombstone: false,
            kind: .keychain,
            box: box
        )
    }

    @Test
    func `a replaced write that the store never had says that the store went back`() {
        let lost = [Dot(actor: other, counter: 4)]
        #expect(refusal(admission(), replaced: [lost]) == .historyWentBack)
        #expect(refusal(admission(), replaced: [[], lost]) == .historyWentBack)
        let unknown = [Dot(actor: ActorID(rawValue: 10), counter: 1)]
        #expect(refusal(admission(), replaced: [unknown]) == .historyWentBack)
    }
}
