package import KSCausality
package import KSRecords

/// A batch whose form is right and which is within bounds, and who brings it.
package struct IncomingBatch: Sendable {
    package let header: BatchHeader
    package let envelopes: [Envelope]
    /// Who the session is of, and whose signature the batch bears.
    package let member: MemberID
    /// Up to where the member has durably applied; nil before its first pull.
    package let applied: Cursor?

    /// Checks all that needs nothing of the account; hashing the boxes takes the longest.
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

    /// The other actors whose writes it replaces.
    package var seenActors: Set<ActorID> {
        var actors = Set(envelopes.lazy.flatMap(\.replaced).map(\.actor))
        actors.remove(header.actor)
        return actors
    }

    /// The records that it writes, each once, in the order of their first write.
    package var recordIDs: [RecordID] {
        var seen: Set<RecordID> = []
        return envelopes.map(\.recordID).filter { seen.insert($0).inserted }
    }
}
