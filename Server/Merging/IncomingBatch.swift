package import KSCausality
package import KSRecords
package import KSWire

/// A batch and its sender.
package struct PushRequest: Sendable {
    package let account: AccountID
    /// The session's member, who signed the batch.
    package let member: MemberID
    package let batch: Batch
    /// Up to where the member has durably applied; nil before its first pull.
    package let applied: Cursor?

    package init(account: AccountID, member: MemberID, batch: Batch, applied: Cursor?) {
        self.account = account
        self.member = member
        self.batch = batch
        self.applied = applied
    }
}

/// A well-formed batch within the limits.
package struct IncomingBatch: Sendable {
    package let header: BatchHeader
    package let request: PushRequest
    package var envelopes: [Envelope] { request.batch.envelopes }

    /// Makes all checks that do not need the account; hashing the boxes takes the longest.
    package init(_ request: PushRequest) throws(StoreError) {
        let envelopes = request.batch.envelopes
        // One record that is within its own limit may be larger than other batches.
        let isSmall =
            envelopes.reduce(0) { $0 + $1.box.count } <= Limits.batchBytesMax
            || (envelopes.count == 1 && envelopes[0].refusal == nil)
        guard envelopes.count <= Limits.batchRecordsMax, isSmall else {
            let refused = envelopes.compactMap(\.refusal)
            throw refused.isEmpty ? .refused(.tooLarge) : .writes(refused)
        }
        do {
            header = try request.batch.checkedHeader()
        } catch {
            throw .refused(.malformed)
        }
        guard header.account == request.account else { throw .refused(.malformed) }
        self.request = request
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
