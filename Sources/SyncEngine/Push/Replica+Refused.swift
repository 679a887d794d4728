internal import GRDB
internal import KSCausality
internal import KSDigests
internal import KSRecords
internal import KSResolution
internal import KSSealing
internal import KSWire

// What the server says of a request that it has refused. A batch is taken apart into unsent edits,
// which are sealed again under another actor; a record that the server names stays behind.

extension Replica {
    /// The server refused a request; a batch that it refused for good is taken apart.
    func receiveRefusal(
        _ code: ErrorCode,
        naming records: [RefusedRecord],
        of request: SyncRequest
    ) throws {
        guard request.takesApart(code, records) else {
            return try receiveRefusal(code, of: request, hasKeys: true)
        }
        let named = request.envelopes(named: records)
        if named.isEmpty {
            try takeNewActor()
            refusedWrite = code
        } else {
            try leaveOut(named)
            report.lastRefusal = code
            refusedWrite = nil
        }
        let jitter = random.integer()
        machine.handle(.dealtWith(request.step, jitter: jitter), nowMilliseconds: clock())
    }

    /// The server refused a request, and what was to be sent stays as it is.
    func receiveRefusal(_ code: ErrorCode, of request: SyncRequest, hasKeys: Bool) throws {
        switch code {
        case .storeRestored:
            try hold(.serverRestored, hasKeys: hasKeys)
        case .resyncRequired:
            try hold(.resyncRequired, hasKeys: hasKeys)
        default:
            report.lastRefusal = code
            fail(request.step)
        }
    }

    /// Takes the batch on its way apart, and leaves these of its records out from now on.
    ///
    /// A copy of the batch may still arrive, and be taken, once what the server refuses in it has
    /// gone. Its dots are therefore never used again, and all goes on as another actor.
    private func leaveOut(_ refused: [(envelope: Envelope, reason: SetAsideReason)]) throws {
        try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            try self.takeNewActor(&state, in: database)
            for (envelope, reason) in refused {
                let record = envelope.recordID
                // What was only to be written back is, when a page says that it still has to be.
                try RewriteTable.delete(record, in: database)
                let mirror = try self.shelf.mirror(of: record, in: database)
                if reason == .siblingsFull, let mirror,
                    !Set(mirror.replaceableDots).isSubset(of: envelope.replaced)
                {
                    // More was pulled and joined since it was sealed: it is sealed over that.
                    continue
                }
                try self.shelf.outbox.setAsideGroup(of: record, because: reason, in: database)
            }
        }
        wantsNewActor = false
        try savePins()
        report.forks += 1
    }

    /// Begins to write as another actor, once the batch on its way has been answered.
    ///
    /// The server may have taken that batch already, and gives the same answer again. Taken apart
    /// unasked, its edits would be made a second time: what others have deleted or overwritten
    /// since would be back.
    func wantNewActor() throws {
        wantsNewActor = true
        // So that it is noticed at the next start too.
        try savePins()
    }

    /// Takes the actor that is wanted, if nothing stands in the way.
    func takeWantedActor() throws {
        guard wantsNewActor,
            try !database.unsafeRead({ try self.shelf.batches.exists(in: $0) })
        else { return }
        try takeNewActor()
    }

    /// Takes the batch on its way apart and goes on as another actor.
    ///
    /// Only for a batch that was refused, or that cannot be sent: see ``wantNewActor()``.
    /// The new actor is in the database before it is beside the device secret: a crash in between
    /// only means one actor more.
    package func takeNewActor() throws {
        try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            try self.takeNewActor(&state, in: database)
        }
        wantsNewActor = false
        try savePins()
        report.forks += 1
    }

    private func takeNewActor(_ state: inout SyncState, in database: Database) throws {
        let records = try shelf.batches.records(in: database)
        // An item that went on to another record since takes along what is tied to it.
        var targets: [RecordID: RecordID] = [:]
        for waiting in records {
            targets[waiting.record] = try shelf.outbox.target(of: waiting.record, in: database)
        }
        for waiting in records {
            let found = try shelf.find(waiting.record, from: database)
            var record = try mended(found, waiting.kind, in: database).record
            if record.onItsWay?.isContentAlone ?? true {
                // Which edit it was is not known: what the user has stands for it.
                let edit = try editMadeAgain(
                    of: waiting.record,
                    waiting.kind,
                    over: record.mirror,
                    in: database
                )
                record.edit = edit ?? record.edit
            }
            if record.takeApart() {
                try noteRewrite(of: waiting.record, waiting.kind, in: database)
            }
            try shelf.outbox.save(
                record.edit,
                of: waiting.record,
                kind: waiting.kind,
                movedTo: waiting.movedTo.map { targets[$0] ?? $0 },
                protection: waiting.protection,
                in: database
            )
        }
        try shelf.batches.delete(from: database)
        state.take(ActorID(rawValue: random.integer()))
        try SyncStateTable.save(state, in: database)
    }

    /// Sends nothing more until the user has looked.
    ///
    /// Without keys a batch on its way cannot be taken apart, and stays as it is.
    func hold(_ reason: SyncState.Hold, hasKeys: Bool) throws {
        let takesNewActor = try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            let isTakenApart = try hasKeys && self.shelf.batches.exists(in: database)
            if isTakenApart { try self.takeNewActor(&state, in: database) }
            state.hold = reason
            try SyncStateTable.save(state, in: database)
            return isTakenApart
        }
        if takesNewActor { wantsNewActor = false }
        try savePins()
        machine.forgetRequest()
    }
}

extension SealedEdit {
    /// Whether it was made again of its envelope, which does not say what the edit was.
    fileprivate var isContentAlone: Bool { edit == nil && !isRewrite }
}

extension SyncRequest {
    /// Whether a refusal has the batch taken apart: it would be refused again as it is.
    func takesApart(_ code: ErrorCode, _ records: [RefusedRecord]) -> Bool {
        guard case .push = self else { return false }
        switch code {
        case .actorForked, .siblingsFull, .generationClosed: return true
        default: return !envelopes(named: records).isEmpty
        }
    }

    /// The writes of a batch that a refusal names, and why each has to stay behind.
    fileprivate func envelopes(
        named records: [RefusedRecord]
    ) -> [(envelope: Envelope, reason: SetAsideReason)] {
        guard case .push(let batch, _) = self else { return [] }
        return records.compactMap { record in
            guard let reason = SetAsideReason(record.code),
                let envelope = batch.envelopes.first(where: { $0.dot.counter == record.counter })
            else { return nil }
            return (envelope, reason)
        }
    }
}

extension SetAsideReason {
    /// Nil for a code that does not speak of single records.
    fileprivate init?(_ code: ErrorCode) {
        switch code {
        case .siblingsFull: self = .siblingsFull
        case .tooLarge: self = .tooLarge
        case .malformed: self = .malformed
        default: return nil
        }
    }
}
