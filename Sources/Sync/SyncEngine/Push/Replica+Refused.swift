internal import GRDB
internal import KSCausality
internal import KSDigests
package import KSRecords
internal import KSResolution
internal import KSWire

// Handles requests that the server refused. A batch is taken apart into unsent edits, which are
// sealed again under a new actor. Records that the server named are blocked.

extension Replica {
    /// Handles a refusal; takes the batch apart if a retry would be refused too.
    func receiveRefusal(
        _ code: ErrorCode,
        naming records: [RefusedRecord],
        of request: SyncRequest
    ) throws {
        if try isPutUp(request, refusedBy: code) { return try putUpBatch() }
        if code == .resyncRequired, case .push = request { return try takeOutdatedBatchApart() }
        let makesRoom =
            try code == .quotaExceeded && hasEditsThatGoFirst(insteadOf: request)
        guard makesRoom || request.takesApart(code, records) else {
            return try receiveRefusal(code, of: request, hasKeys: true)
        }
        let named = request.envelopes(named: records)
        // Nobody else has written as this actor, so the stamps stay its own: the server may have
        // accepted the batch, and gone back unnoticed.
        try takeNewActor(
            leavingOut: named,
            keepsStamps: code == .generationClosed && !isCopy
        )
        refusedWrite = named.isEmpty ? code : nil
        if !named.isEmpty { report.lastRefusal = code }
        tell(.takenApart(request.step, makesRoom: makesRoom, jitter: random.integer()))
    }

    /// Handles a refusal that leaves the batch as it is.
    func receiveRefusal(_ code: ErrorCode, of request: SyncRequest, hasKeys: Bool) throws {
        switch code {
        case .storeRestored: try beginReconciliation(.serverRestored)
        case .resyncRequired: try beginReconciliation(.resyncRequired)
        default:
            if request.step == .returnCircle {
                if !code.isWorthRetrying { noteReturnAnswer() }
                if try reconciliation()?.step == .batch { circleTrouble = .olderShown }
            }
            if case .raise = request, !code.isWorthRetrying {
                // Nothing is lost by it: the records are right.
                tell(.done(.raise, hasMore: false))
                return try endReconciliation()
            }
            report.lastRefusal = code
            if code == .refused, request.step != .returnCircle, noteUnknownMember() { return }
            if code == .quotaExceeded, case .push = request { refusedWrite = code }
            fail(request.step)
        }
    }

    /// Asks for a new actor once the batch on its way has been answered.
    ///
    /// The server may have accepted that batch already, and answers a retry the same way. If it
    /// were taken apart first, its edits would be made a second time: values that others deleted or
    /// overwrote since would come back.
    func wantNewActor() throws {
        isCopy = true
        machine.require(.takeNewActor)
        // Saved so that the next start asks for a new actor too.
        try savePins()
    }

    /// Takes the batch on its way apart and continues under a new actor.
    ///
    /// Only for a batch that was refused or cannot be sent: see ``wantNewActor()``. The server may
    /// still accept a late copy of the batch, so its dots are never used again. The database gets
    /// the new actor before the pins do; a crash in between costs only one more actor.
    ///
    /// `refused`: the records of the batch to block, each with the reason.
    package func takeNewActor(
        leavingOut refused: [(envelope: Envelope, reason: BlockedReason)] = [],
        keepsStamps: Bool = false
    ) throws {
        try changeState { state, database in
            try self.takeNewActor(&state, keepsStamps: keepsStamps, in: database)
            for (envelope, reason) in refused {
                let record = envelope.recordID
                // If it still has to be written back, a later page notes it again.
                try RewriteTable.delete(record, in: database)
                let mirror = try self.shelf.mirror(of: record, in: database)
                if reason == .siblingsFull, let mirror,
                    !Set(mirror.replaceableDots).isSubset(of: envelope.replaced)
                {
                    // More siblings were joined since the batch was sealed: the next batch replaces
                    // them too.
                    continue
                }
                try self.shelf.outbox.blockGroup(of: record, because: reason, in: database)
            }
        }
        machine.finish(.takeNewActor)
        isCopy = false
        try savePins()
        report.forks += 1
    }

    /// Whether the server went back and does not have this batch, which was sent once more.
    private func isPutUp(_ request: SyncRequest, refusedBy code: ErrorCode) throws -> Bool {
        guard case .push = request, let begun = try reconciliation(), begun.step == .batch else {
            return false
        }
        switch code {
        case .storeRestored: return true
        // A store that was put back twice may be in the batch's epoch again. Another device has
        // put the circle back since, or has raised the vector, which closed the batch's actor.
        case .generationClosed, .actorForked: return begun.reason != .resyncRequired
        default: return false
        }
    }

    /// Takes a batch apart that was sealed before this device missed the removal of deleted
    /// records, and compares all records.
    ///
    /// The server has not accepted it: the retry of a batch that it has accepted gets an answer,
    /// however old the cursor is. So nobody has seen its stamps, and its edits are unsent ones.
    private func takeOutdatedBatchApart() throws {
        let isUnderWay = try reconciliation()?.step == .batch
        try takeNewActor()
        guard !isUnderWay else { return tell(.madeSmaller(.push)) }
        try beginReconciliation(.resyncRequired)
    }

    /// Makes the batch on its way go up again after the comparison, with the stamps that it has:
    /// see ``LocalRecord/putUpBatch()``.
    func putUpBatch() throws {
        try changeState { state, database in
            try self.takeNewActor(&state, keepsStamps: !self.isCopy, in: database)
        }
        isCopy = false
        machine.finish(.takeNewActor)
        try savePins()
        tell(.madeSmaller(.push))
    }

    /// Turns a batch without an answer into unsent edits, before a backup; an answer that still
    /// arrives is ignored.
    package func takeBatchApart() throws {
        try takeNewActor()
        machine.forgetRequest()
    }

    /// Takes a new actor if a backup has stamps of the present one that it does not know: of a
    /// later state of this device, which was put back.
    ///
    /// Otherwise its next stamps in a record could be below those of the backup.
    package func takeNewActor(beforeRestoring records: [BackupRecord]) throws {
        let state = try state()
        guard
            records.contains(where: { record in
                state.ownTime < record.state.context.highestTime(of: state.actor)
            })
        else { return }
        try takeBatchApart()
    }

    /// `keepsStamps`: whether the edits go up as they were sealed.
    private func takeNewActor(
        _ state: inout SyncState,
        keepsStamps: Bool = false,
        in database: Database
    ) throws {
        let records = try shelf.batches.records(in: database)
        // If an entry was renamed again since, the deletions tied to it follow.
        var targets: [RecordID: RecordID] = [:]
        for waiting in records {
            targets[waiting.record] = try shelf.outbox.target(of: waiting.record, in: database)
        }
        for var waiting in records {
            let found = try shelf.find(waiting.record, from: database)
            var record = try repaired(found, waiting.kind, in: database).record
            if record.onItsWay?.isRebuilt ?? true {
                // The edit itself is lost: it is rebuilt from the user's entry.
                let edit = try rebuiltEdit(
                    of: waiting.record,
                    waiting.kind,
                    over: record.mirror,
                    in: database
                )
                record.edit = edit ?? record.edit
            }
            if keepsStamps {
                record.putUpBatch()
            } else if record.takeApart() {
                try noteRewrite(of: waiting.record, waiting.kind, in: database)
            }
            waiting.tiedTo = waiting.tiedTo.map { targets[$0] ?? $0 }
            try shelf.outbox.save(record.edit, of: waiting, in: database)
        }
        try shelf.batches.delete(from: database)
        state.take(ActorID(rawValue: random.integer()))
    }

    /// Pauses sync until the user acts.
    func hold(_ reason: SyncState.Hold) throws {
        let takesNewActor = try changeState { state, database in
            let isTakenApart = try self.shelf.batches.exists(in: database)
            if isTakenApart { try self.takeNewActor(&state, in: database) }
            state.hold = reason
            return isTakenApart
        }
        if takesNewActor { machine.finish(.takeNewActor) }
        try savePins()
        machine.forgetRequest()
    }
}

extension SealedEdit {
    /// Whether it was rebuilt from its envelope, which does not contain the edit.
    fileprivate var isRebuilt: Bool { edit == nil && !isRewrite }
}

extension SyncRequest {
    /// Whether the refused batch has to be taken apart, since a retry would be refused too.
    func takesApart(_ code: ErrorCode, _ records: [RefusedRecord]) -> Bool {
        guard case .push = self else { return false }
        switch code {
        case .actorForked, .siblingsFull, .generationClosed: return true
        // Without records it is the whole batch that is too large.
        case .tooLarge where records.isEmpty: return true
        default: return !envelopes(named: records).isEmpty
        }
    }

    /// The writes of a batch that a refusal names, each with the reason to block it.
    fileprivate func envelopes(
        named records: [RefusedRecord]
    ) -> [(envelope: Envelope, reason: BlockedReason)] {
        guard case .push(let batch, _) = self else { return [] }
        return records.compactMap { record in
            guard let reason = BlockedReason(record.code),
                let envelope = batch.envelopes.first(where: { $0.dot.counter == record.counter })
            else { return nil }
            return (envelope, reason)
        }
    }
}

extension BlockedReason {
    /// Nil for a code that is not about single records.
    fileprivate init?(_ code: ErrorCode) {
        switch code {
        case .siblingsFull: self = .siblingsFull
        case .tooLarge: self = .tooLarge
        case .malformed: self = .malformed
        default: return nil
        }
    }
}
