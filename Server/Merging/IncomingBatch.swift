package import KSCausality
package import KSRecords

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
        guard envelopes.count <= Limits.batchRecordsMax,
            envelopes.reduce(0, { $0 + $1.box.count }) <= Limits.batchBytesMax
        else {
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
