internal import KSCausality
package import KSRecords
internal import KSWire

/// What a store does with a batch that it does not refuse.
package enum PushDecision: Sendable {
    /// The batch was accepted before: it gets the same answer, and nothing changes.
    case answered(PushAnswer)
    /// All of the batch is stored.
    case accepted(PushChange)

    /// Decides in this order: is it a retry, does it follow the account's state, what does each
    /// write do to its record.
    ///
    /// - Parameters:
    ///   - batch: a well-formed batch.
    ///   - snapshot: loaded for this batch, in the transaction that saves the decision.
    ///   - bytesMax: the account's quota; nil for none.
    ///   - tag: makes the tag of the batch's seqs.
    ///   - records: loads those of these records that exist. It is called only after all other
    ///     checks.
    /// - Throws: ``StoreError`` if nothing of the batch may be stored, and the errors of `records`.
    /// - Returns: what the store has to do.
    package static func decide(
        _ batch: IncomingBatch,
        on snapshot: PushSnapshot,
        bytesMax: UInt64?,
        tag: () -> CommitTag,
        records: ([RecordID]) throws -> [HeldRecord]
    ) throws -> PushDecision {
        let account = snapshot.account
        if var answer = try snapshot.answer(to: batch) {
            answer.usage = account.usage(bytesMax: bytesMax)
            return .answered(answer)
        }
        try snapshot.checkHistory(of: batch)
        try snapshot.checkChain(of: batch)
        try snapshot.checkWhatWasSeen(by: batch)
        var merge = RecordMerge(try records(batch.recordIDs), after: account.seq)
        try merge.take(batch.envelopes)
        if merge.needsRoom {
            try account.checkQuota(bytesMax, growth: merge.growthBytes)
        }
        let usage = account.usage(bytesMax: bytesMax, growth: merge.growthBytes)
        return .accepted(PushChange(merge, of: batch, on: account, tag: tag(), usage: usage))
    }
}

// The steps, each of which can be called alone.

extension PushSnapshot {
    /// The answer to a retry, whatever has happened since; nil for a new batch.
    ///
    /// - Throws: ``StoreError/notMember``, or `actor_forked` if the accepted batch is another
    ///   member's.
    package func answer(to batch: IncomingBatch) throws(StoreError) -> PushAnswer? {
        guard isMember else { throw .notMember }
        guard let accepted, accepted.chain == batch.header.chain else { return nil }
        guard actor?.member == batch.request.member else { throw .refused(.actorForked) }
        return accepted.answer
    }

    /// Checks the batch's epoch and generation, and its sender's cursor.
    ///
    /// Checks the epoch before the generation: a client whose generation has ended pushes again at
    /// once, and after a change of epoch it must compare with the server first.
    package func checkHistory(of batch: IncomingBatch) throws(StoreError) {
        guard batch.header.epoch == account.epoch else { throw .refused(.storeRestored) }
        if let applied = batch.request.applied,
            let code = account.refusal(of: applied, tag: appliedTag)
        {
            throw .refused(code)
        }
        // The store has lost the entry of the circle that began the batch's generation. A refusal
        // would not last: once a device has put the entry back, a late copy of the batch would be
        // accepted after its edits were sealed again.
        guard batch.header.generation <= account.generation else { throw .historyWentBack }
        guard batch.header.generation == account.generation else {
            throw .refused(.generationClosed)
        }
    }

    /// Checks that the batch directly follows its actor's last one.
    ///
    /// So all its dots are new: no late copy of a batch can restore writes that were replaced
    /// since.
    package func checkChain(of batch: IncomingBatch) throws(StoreError) {
        let accepted = actor?.accepted ?? 0
        guard accepted < .max, batch.header.firstCounter == accepted + 1,
            batch.header.previousChain == actor?.chain ?? .zero,
            actor == nil || actor?.member == batch.request.member, actor?.isClosed != true
        else { throw .refused(.actorForked) }
        // A thief's device must not fill the vector of all others.
        guard actor != nil || openActorCount < Limits.openActorsPerMemberMax else {
            throw .refused(.tooManyRequests)
        }
    }

    /// Checks that the store knows every write that the batch's author has seen.
    package func checkWhatWasSeen(by batch: IncomingBatch) throws(StoreError) {
        // A write that is refused anyway is not evidence.
        for envelope in batch.envelopes where envelope.refusal == nil {
            for dot in envelope.replaced where dot.actor != batch.header.actor {
                guard vector.contains(dot) else { throw .historyWentBack }
            }
        }
    }
}

extension AccountStanding {
    /// How full the account is, with a batch by which it grows.
    package func usage(bytesMax: UInt64?, growth: Int64 = 0) -> AccountUsage {
        AccountUsage(bytes: UInt64(max(0, recordBytes + circleBytes + growth)), bytesMax: bytesMax)
    }

    /// Checks the quota; a batch that shrinks the account always passes.
    package func checkQuota(_ bytesMax: UInt64?, growth: Int64) throws(StoreError) {
        guard growth > 0, let bytesMax else { return }
        guard UInt64(recordBytes + circleBytes + growth) <= bytesMax else {
            throw .refused(.quotaExceeded)
        }
    }
}
