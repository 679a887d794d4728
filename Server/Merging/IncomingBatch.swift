package import KSCausality
package import KSRecords
package import KSWire

/// A well-formed batch within the limits, and its sender.
package struct IncomingBatch: Sendable {
    package let header: BatchHeader
    package let envelopes: [Envelope]
    /// The session's member, who signed the batch.
    package let member: MemberID
    /// Up to where the member has durably applied; nil before its first pull.
    package let applied: Cursor?

    /// Makes all checks that do not need the account; hashing the boxes takes the longest.
    package init(
        _ batch: Batch,
        of account: AccountID,
        by member: MemberID,
        applied: Cursor?
    ) throws(Refusal) {
        let envelopes = batch.envelopes
        // One record that is within its own limit may be larger than other batches.
        let isSmall =
            envelopes.reduce(0) { $0 + $1.box.count } <= Limits.batchBytesMax
            || (envelopes.count == 1 && envelopes[0].refusal == nil)
        guard envelopes.count <= Limits.batchRecordsMax, isSmall else {
            let refused = envelopes.compactMap(\.refusal)
            throw refused.isEmpty ? .tooLarge : .writes(refused)
        }
        do {
            header = try batch.checkedHeader()
        } catch {
            throw .malformed
        }
        guard header.account == account else { throw .malformed }
        self.envelopes = envelopes
        self.member = member
        self.applied = applied
    }

    /// The other actors whose writes the batch replaces.
    package var seenActors: Set<ActorID> {
        var actors = Set(envelopes.lazy.flatMap(\.replaced).map(\.actor))
        actors.remove(header.actor)
        return actors
    }

    /// The records that the batch writes, each once, in the order of their first write.
    package var recordIDs: [RecordID] {
        var seen: Set<RecordID> = []
        return envelopes.map(\.recordID).filter { seen.insert($0).inserted }
    }
}

extension Envelope {
    /// Why this write can never be accepted, whatever the account holds; nil if it can.
    package var refusal: RefusedRecord? {
        if box.count > kind.boxBytesMax || replaced.count > Limits.replacedMax {
            return RefusedRecord(counter: dot.counter, code: .tooLarge)
        }
        // It names itself, or a later write of its own actor, as replaced.
        let isMalformed = replaced.contains { $0.actor == dot.actor && $0.counter >= dot.counter }
        return isMalformed ? RefusedRecord(counter: dot.counter, code: .malformed) : nil
    }
}
