internal import KSCausality
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSStore

/// What decides about batches of one account, read in one round trip under the account's lock.
///
/// A batch that follows another one of the same actor, or meets records that another one has
/// written, is read again: what was read for it is no longer true.
struct LoadedAccount {
    private var batches: [LoadedBatch]
    /// The account after the batches that were accepted so far.
    private var standing: AccountStanding
    private var writtenActors: Set<ActorID> = []
    private var writtenRecords: Set<RecordID> = []
    private var hasNewEpoch = false

    /// - Parameters:
    ///   - batches: of one account, at least one.
    ///   - transaction: which locks the account with this call.
    /// - Throws: ``StoreError/notFound`` if there is no account.
    init(_ batches: [IncomingBatch], in transaction: Transaction) throws {
        let answers = try transaction.run(batches.flatMap(LoadedBatch.statements))
        let count = answers.count / batches.count
        self.batches = try batches.indices.reversed().map { index in
            try LoadedBatch(batches[index], Array(answers[index * count..<(index + 1) * count]))
        }
        standing = try AccountSnapshot(answers[0]).standing
    }

    /// The next batch, as the ones before it have left the account.
    mutating func next(
        _ batch: IncomingBatch,
        in transaction: Transaction
    ) throws -> LoadedBatch {
        guard var loaded = batches.popLast() else { throw StoreError.damaged }
        let actors = batch.seenActors.union([batch.header.actor])
        let isCurrent =
            !hasNewEpoch && writtenActors.isDisjoint(with: actors)
            && writtenRecords.isDisjoint(with: batch.recordIDs)
            && batch.request.applied?.seq ?? 0 <= loaded.account.standing.seq
        guard isCurrent else {
            return try LoadedBatch(batch, transaction.run(LoadedBatch.statements(batch)))
        }
        loaded.standing = standing
        return loaded
    }

    mutating func note(_ change: PushChange) {
        writtenActors.insert(change.header.actor)
        writtenRecords.formUnion(change.records.map(\.id))
        standing = standing.advanced(by: change)
    }

    /// The account has got a new epoch.
    mutating func noteEpoch() {
        hasNewEpoch = true
    }
}

/// What decides about one batch.
struct LoadedBatch {
    private let batch: IncomingBatch
    private let answers: [Rows]
    let account: AccountSnapshot
    /// The account's state when the batch is decided about.
    var standing: AccountStanding

    /// What ``init(_:_:)`` needs the answers to.
    static func statements(_ batch: IncomingBatch) -> [Statement] {
        let (header, request) = (batch.header, batch.request)
        return [
            .lockAccount(header.account),
            .member(request.member, of: header.account),
            .actors([header.actor] + batch.seenActors.sorted(), of: header.account),
            .acceptedBatch(header),
            .tag(of: request.applied?.seq ?? 0, in: header.account),
            .records(batch.recordIDs, of: header.account),
            .openActorCount(of: request.member, in: header.account),
        ]
    }

    init(_ batch: IncomingBatch, _ answers: [Rows]) throws {
        self.batch = batch
        self.answers = answers
        account = try AccountSnapshot(answers[0])
        standing = account.standing
    }

    private var snapshot: PushSnapshot {
        get throws {
            let (header, request) = (batch.header, batch.request)
            let actors = try answers[2].rows.map { row in
                (
                    id: try row.actor(0),
                    actor: PushSnapshot.Actor(
                        member: try row.fixed(1),
                        accepted: try row.integer(2),
                        chain: try row.fixed(3),
                        isClosed: try row.boolean(4)
                    )
                )
            }
            let seen = batch.seenActors
            return PushSnapshot(
                account: standing,
                isMember: answers[1].first != nil,
                actor: actors.first { $0.id == header.actor }?.actor,
                openActorCount: Int(clamping: try answers[6].first?.integer(0) as UInt64? ?? 0),
                accepted: try answers[3].first.map { try $0.acceptedBatch(header) },
                appliedTag: try request.applied.flatMap {
                    try account.tag(of: $0.seq, in: answers[4])
                },
                vector: VersionVector(
                    actors.filter { seen.contains($0.id) }
                        .map { (actor: $0.id, counter: $0.actor.accepted) }
                )
            )
        }
    }

    func decide(bytesMax: UInt64?, random: any RandomSource) throws -> PushDecision {
        try PushDecision.decide(
            batch,
            on: snapshot,
            bytesMax: bytesMax,
            tag: { CommitTag(validated: random.bytes(CommitTag.byteCount)) },
            records: records
        )
    }

    /// The records of these ids that exist.
    private func records(_ ids: [RecordID]) throws -> [HeldRecord] {
        let rows = Dictionary(
            try answers[5].rows.map { (try $0.fixed(0) as RecordID, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        return try ids.compactMap { id in
            try rows[id].map { row in
                HeldRecord(
                    id: id,
                    storedSeq: try row.integer(1),
                    // One that cannot be read is replaced by what a device writes.
                    siblings: (try? Siblings(column: row.data(2), of: id)) ?? Siblings([])
                )
            }
        }
    }
}

extension AccountStanding {
    /// The state after an accepted batch.
    fileprivate func advanced(by change: PushChange) -> AccountStanding {
        AccountStanding(
            epoch: epoch,
            seq: change.answer.cursor.seq,
            removalHorizon: removalHorizon,
            circleVersion: circleVersion,
            generation: generation,
            recordBytes: recordBytes + change.growthBytes,
            circleBytes: circleBytes
        )
    }
}

extension Row {
    /// An accepted batch, from the answer to ``Statement/acceptedBatch(_:)``.
    fileprivate func acceptedBatch(
        _ header: BatchHeader
    ) throws -> (chain: Hash, answer: PushAnswer) {
        let count = try integer(0)
        let firstSeq = try integer(3)
        return (
            chain: try fixed(1),
            answer: PushAnswer(
                records: try DotsColumn.decode(
                    data(6),
                    firstDot: header.firstDot,
                    firstSeq: firstSeq,
                    count: Int(count)
                ),
                cursor: Cursor(
                    epoch: try fixed(2),
                    seq: firstSeq + count - 1,
                    tag: try fixed(4)
                ),
                circleVersion: try integer(5)
            )
        )
    }
}
