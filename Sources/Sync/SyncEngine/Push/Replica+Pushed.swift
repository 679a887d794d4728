internal import KSDigests
internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSWire

// Applies the server's answer to a batch that it accepted.

extension Replica {
    /// Applies an accepted batch to the mirror.
    ///
    /// If no other write lies between, the cursor moves past the batch without a download.
    func receivePushed(_ answer: PushAnswer, of batch: Batch) throws {
        guard answer.records.count == batch.envelopes.count else { return fail(.push) }
        let leavesNoGap: Bool
        do {
            leavesNoGap = try changeState { try self.apply(answer, of: batch, &$0, in: $1) }
        } catch is StaleAnswer {
            // The server accepted it in an earlier life of its store, whose seqs say nothing now.
            if try reconciliation()?.step == .batch { return try putUpBatch() }
            // A pull shows whether the server went back.
            tell(.serverNotice())
            return fail(.push)
        }
        refusedWrite = nil
        // The row has a newer time than the page of which this is.
        unsavedSuccess = nil
        noteRoomTaken(by: batch)
        noteRoom(answer.usage)
        report.pushedRecords += answer.records.count
        tell(.done(.push, hasMore: try read { try $0.outbox.hasFew(in: $1) }))
        tell(leavesNoGap ? .pushed(upTo: answer.cursor.seq) : .serverNotice())
        try notice(seq: 0, circleVersion: answer.circleVersion)
        // Else it is about to compare all records.
        guard isCutOff(batch), try reconciliation()?.step != .batch else { return }
        try beginReconciliation(.serverWentBack, isServersWord: false)
    }

    /// Whether nobody may open an accepted batch any more: see ``isCutOff(at:)``.
    private func isCutOff(_ batch: Batch) -> Bool {
        batch.envelopes.contains { envelope in
            circle.closingVectors[envelope.generation].map { !$0.contains(envelope.dot) } ?? false
        }
    }

    /// Applies the answer, record by record.
    ///
    /// - Returns: whether the cursor moved past the batch.
    private func apply(
        _ answer: PushAnswer,
        of batch: Batch,
        _ state: inout SyncState,
        in database: Database
    ) throws -> Bool {
        let comesNext = answer.follows(state.cursor)
        var isAsExpected = true
        var isAllKept = true
        let isReturning = try Return.isUnderWay(in: database)
        for (envelope, accepted) in zip(batch.envelopes, answer.records) {
            let (isThisAsExpected, isKept) = try applyAccepted(
                envelope,
                accepted,
                // If the answer does not follow the cursor, a later page decides the record's seq.
                // With a seq above the server's, this device would ignore the record for ever.
                seq: comesNext ? accepted.seq : min(accepted.seq, state.cursor?.seq ?? 0),
                in: database
            )
            isAsExpected = isAsExpected && isThisAsExpected
            isAllKept = isAllKept && isKept
            if isReturning { try Return.confirm(envelope.recordID, in: database) }
        }
        try shelf.batches.delete(from: database)
        let last = batch.envelopes.last.map { [(actor: $0.dot.actor, counter: $0.dot.counter)] }
        // The vector covers a write only once the mirror holds it; others come with the next page.
        if isAllKept { try SyncStateTable.raise(to: VersionVector(last ?? []), in: database) }
        let follows = isAsExpected && comesNext
        if follows { state.cursor = answer.cursor }
        state.lastSuccessMilliseconds = clock()
        if let date = serverDate.heardMilliseconds { state.serverDateMilliseconds = date }
        return follows
    }

    /// Applies one record of an accepted batch to the mirror, under the given seq.
    ///
    /// - Returns: whether the record is as expected, or else has to be pulled; and whether the
    ///   mirror holds the write now.
    private func applyAccepted(
        _ envelope: Envelope,
        _ accepted: PushAnswer.Accepted,
        seq: UInt64,
        in database: Database
    ) throws -> (isAsExpected: Bool, isKept: Bool) {
        let found = try shelf.find(envelope.recordID, from: database)
        var record = try repaired(found, envelope.kind, sent: envelope, in: database).record
        let (mirror, work) = (found.mirror.value, record.onItsWay)
        // A page may have shown the record at this seq or later, and with it the write.
        let isNew = mirror.map { accepted.seq > $0.seq } ?? true
        record.acknowledge(isOpened: mirror?.hides(envelope.dot, isShown: !isNew) != true)
        if work?.isRewrite == true { report.rewrittenRecords += 1 }
        if !isNew, try !isSeen(envelope.dot, in: mirror, database) { throw StaleAnswer() }
        guard let work, isNew, !found.mirror.isDamaged else {
            let waiting = OutboxTable.Waiting(
                record: envelope.recordID,
                kind: envelope.kind,
                protection: protection(of: record, envelope.kind)
            )
            try shelf.outbox.save(record.edit, of: waiting, in: database)
            let isKnown = work != nil && !found.mirror.isDamaged
            return (isKnown, isKnown)
        }
        let taken = MirrorRow(mirror, taking: envelope, work.state, seq: seq)
        record.mirror = taken.state
        if found.rows.isToBeRewritten {
            try RewriteTable.delete(envelope.recordID, in: database)
        }
        if found.rows.hasQuarantined {
            try Quarantine.delete(envelope.replaced, of: envelope.recordID, in: database)
        }
        try settle(record, taken, from: found, in: database)
        // All devices must hold the same, so a record that a page changed since the batch was
        // sealed is pulled again. Its mirror holds the values of the replaced siblings. The batch
        // may have dropped them, if it was sealed over a stub.
        let before = mirror?.content ?? RecordState()
        return (taken.siblings.map(\.dot) == accepted.dots && work.before == before, true)
    }

    /// Takes a batch over that the server has accepted, as pages show: its answer never came.
    func acknowledge(_ batch: Batch) throws {
        try database.write { database in
            let isReturning = try Return.isUnderWay(in: database)
            for envelope in batch.envelopes {
                let found = try self.shelf.find(envelope.recordID, from: database)
                let kind = envelope.kind
                var record = try self.repaired(found, kind, sent: envelope, in: database).record
                let isHidden = found.mirror.value?.hides(envelope.dot, isShown: true) ?? false
                record.acknowledge(isOpened: !isHidden)
                let protection = self.protection(of: record, kind)
                try self.shelf.outbox.save(
                    record.edit,
                    of: .init(record: envelope.recordID, kind: kind, protection: protection),
                    in: database
                )
                if isReturning { try Return.confirm(envelope.recordID, in: database) }
            }
            try self.shelf.batches.delete(from: database)
        }
        report.pushedRecords += batch.envelopes.count
    }

    /// Whether a page has shown a write, or a write that replaced it.
    private func isSeen(_ dot: Dot, in mirror: MirrorRow?, _ database: Database) throws -> Bool {
        if mirror?.siblings.contains(where: { $0.dot == dot }) ?? true { return true }
        return try SyncStateTable.shownVector(from: database).contains(dot)
    }
}

/// The answer puts a write before a page that did not show it; applying it would lose the write.
private struct StaleAnswer: Error {}

extension LocalRecord {
    /// Notes that the batch was accepted.
    ///
    /// `isOpened`: false if a page has shown its write, or one that replaced it, and it cannot be
    /// opened: the account had ended its keys before, on a server that went back. Then only the
    /// batch has what it wrote, and that goes up again.
    fileprivate mutating func acknowledge(isOpened: Bool) {
        if isOpened { acknowledge() } else { putUpBatch() }
    }
}

extension MirrorRow {
    /// Whether a write stands in a sibling that does not open, its own or, where pages have shown
    /// the write, one that has replaced it.
    fileprivate func hides(_ dot: Dot, isShown: Bool) -> Bool {
        if let own = siblings.first(where: { $0.dot == dot }) { return !own.isOpened }
        return isShown && siblings.contains { !$0.isOpened }
    }

    /// The row after the server accepted a write, which replaces the siblings that it names.
    fileprivate init(_ old: MirrorRow?, taking write: Envelope, _ state: RecordState, seq: UInt64) {
        var siblings = (old?.siblings ?? []).filter { !write.replaced.contains($0.dot) }
        siblings.append(Sibling(write, isOpened: true))
        self.init(
            record: write.recordID,
            kind: write.kind,
            seq: seq,
            siblings: siblings.sorted { $0.dot < $1.dot },
            content: old?.state?.joined(with: state) ?? state
        )
    }
}

extension PushAnswer {
    /// Whether no other device's write lies between the cursor and the end of this push.
    fileprivate func follows(_ cursor: KSRecords.Cursor?) -> Bool {
        guard let cursor, cursor.epoch == self.cursor.epoch else { return false }
        let seqs = records.map(\.seq)
        return seqs.enumerated().allSatisfy { $1 == cursor.seq + UInt64($0) + 1 }
            && self.cursor.seq == seqs.last
    }
}
