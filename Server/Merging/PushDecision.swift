internal import KSCausality
package import KSRecords

/// The decision about a batch.
package enum PushDecision: Sendable {
    /// The batch was accepted before: it gets the same answer, and nothing changes.
    case answered(PushAnswer)
    /// Nothing of the batch is stored.
    case refused(Refusal)
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
    /// - Throws: the errors of `records`.
    /// - Returns: what the store has to do.
    package static func decide<Failure: Error>(
        _ batch: IncomingBatch,
        on snapshot: PushSnapshot,
        bytesMax: UInt64?,
        tag: () -> CommitTag,
        records: ([RecordID]) throws(Failure) -> [HeldRecord]
    ) throws(Failure) -> PushDecision {
        do throws(Refusal) {
            if let answer = try snapshot.answer(to: batch) { return .answered(answer) }
            try snapshot.checkHistory(of: batch)
            try snapshot.checkChain(of: batch)
            try snapshot.checkWhatWasSeen(by: batch)
        } catch {
            return .refused(error)
        }
        let held = try records(batch.recordIDs)
        do throws(Refusal) {
            var merge = RecordMerge(held, after: snapshot.account.seq)
            try merge.take(batch.envelopes)
            try snapshot.account.checkQuota(bytesMax, growth: merge.growthBytes)
            return .accepted(PushChange(merge, of: batch, on: snapshot.account, tag: tag()))
        } catch {
            return .refused(error)
        }
    }
}

// The steps, each of which can be called alone.

extension PushSnapshot {
    /// The answer to a retry, whatever has happened since; nil for a new batch.
    ///
    /// - Throws: ``Refusal/notMember``, or ``Refusal/actorForked`` if the accepted batch is another
    ///   member's.
    package func answer(to batch: IncomingBatch) throws(Refusal) -> PushAnswer? {
        guard isMember else { throw .notMember }
        guard let accepted, accepted.chain == batch.header.chain else { return nil }
        guard actor?.member == batch.member else { throw .actorForked }
        return accepted.answer
    }

    /// Checks the batch's epoch and generation, and its sender's cursor.
    ///
    /// Checks the epoch before the generation: a client whose generation has ended pushes again at
    /// once, and after a change of epoch it must compare with the server first.
    package func checkHistory(of batch: IncomingBatch) throws(Refusal) {
        guard batch.header.epoch == account.epoch else { throw .storeRestored }
        if let applied = batch.applied,
            let refusal = account.refusal(of: applied, tag: appliedTag)
        {
            throw refusal
        }
        guard batch.header.generation == account.generation else { throw .generationClosed }
    }

    /// Checks that the batch directly follows its actor's last one.
    ///
    /// So all its dots are new: no late copy of a batch can restore writes that were replaced
    /// since.
    package func checkChain(of batch: IncomingBatch) throws(Refusal) {
        let accepted = actor?.accepted ?? 0
        guard accepted < .max, batch.header.firstCounter == accepted + 1,
            batch.header.previousChain == actor?.chain ?? .zero,
            actor == nil || actor?.member == batch.member,
            actor?.isClosed != true
        else { throw .actorForked }
    }

    /// Checks that the store knows every write that the batch's author has seen.
    package func checkWhatWasSeen(by batch: IncomingBatch) throws(Refusal) {
        // A write that is refused anyway is no evidence.
        for envelope in batch.envelopes where envelope.refusal == nil {
            for dot in envelope.replaced where dot.actor != batch.header.actor {
                guard vector.contains(dot) else { throw .historyWentBack }
            }
        }
    }
}

extension AccountStanding {
    /// Checks the quota; a batch that shrinks the account always passes.
    package func checkQuota(_ bytesMax: UInt64?, growth: Int64) throws(Refusal) {
        guard growth > 0, let bytesMax else { return }
        guard UInt64(recordBytes + circleBytes + growth) <= bytesMax else { throw .quotaExceeded }
    }
}
