internal import KSDigests
internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing
internal import KSWire

// What the server says of a batch that it has taken.

extension Replica {
    /// The batch is on the server: the mirror takes it in, and where nothing came between, the
    /// cursor steps over it without a download.
    func receivePushed(_ answer: PushAnswer, of batch: Batch) throws {
        guard answer.records.count == batch.envelopes.count else { return fail(.push) }
        let leavesNoGap: Bool
        do {
            leavesNoGap = try database.write { try self.accept(answer, of: batch, in: $0) }
        } catch is OlderThanWhatWasSeen {
            return fail(.push)
        }
        refusedWrite = nil
        report.pushedRecords += answer.records.count
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: clock())
        if !leavesNoGap { machine.handle(.serverNotice, nowMilliseconds: clock()) }
        try notice(seq: 0, circleVersion: answer.circleVersion)
    }

    private func accept(
        _ answer: PushAnswer,
        of batch: Batch,
        in database: Database
    ) throws -> Bool {
        var state = try SyncStateTable.load(from: database).orNoAccount()
        let comesNext = answer.follows(state.cursor)
        var isAsExpected = true
        var isAllKept = true
        for (envelope, accepted) in zip(batch.envelopes, answer.records) {
            let (isThisAsExpected, isKept) = try accept(
                envelope,
                accepted,
                // Else the record is on a page that is yet to come, and counts as that page says:
                // with a seq above the server's this device would pass over the record for ever.
                seq: comesNext ? accepted.seq : min(accepted.seq, state.cursor?.seq ?? 0),
                in: database
            )
            isAsExpected = isAsExpected && isThisAsExpected
            isAllKept = isAllKept && isKept
        }
        try shelf.batches.delete(from: database)
        let last = batch.envelopes.last.map { [(actor: $0.dot.actor, counter: $0.dot.counter)] }
        // What the mirror does not hold is not known yet: it comes with the next page.
        if isAllKept { try SyncStateTable.raise(to: VersionVector(last ?? []), in: database) }
        let follows = isAsExpected && comesNext
        if follows { state.cursor = answer.cursor }
        state.lastSuccessMilliseconds = clock()
        state.serverDateMilliseconds =
            serverDate.heardMilliseconds
            ?? state.serverDateMilliseconds
        try SyncStateTable.save(state, in: database)
        return follows
    }

    /// Takes one record of an accepted batch into the mirror, as of a seq.
    ///
    /// - Returns: whether the record is what it was expected to be, else it is to be pulled; and
    ///   whether the mirror holds the write now.
    private func accept(
        _ envelope: Envelope,
        _ accepted: PushAnswer.Accepted,
        seq: UInt64,
        in database: Database
    ) throws -> (isAsExpected: Bool, isKept: Bool) {
        let found = try shelf.find(envelope.recordID, from: database)
        var record = try mended(found, envelope.kind, sent: envelope, in: database).record
        let (mirror, work) = (found.mirror.value, record.onItsWay)
        record.acknowledge()
        if work?.isRewrite == true { report.rewrittenRecords += 1 }
        // Not taken when a page has shown this record as it was then, or later. Such a page told of
        // the write.
        let isNew = mirror.map { accepted.seq > $0.seq } ?? true
        if !isNew, try !isSeen(envelope.dot, in: mirror, database) { throw OlderThanWhatWasSeen() }
        guard let work, isNew, !found.mirror.isDamaged else {
            try keepEdit(of: record, envelope, in: database)
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
        try settle(record, taken, hadEdit: found.rows.hasEdit, in: database)
        // A record that a page has changed since the batch was sealed is pulled once more: its
        // mirror holds what the replaced siblings held, which the batch's author may have dropped
        // (it was sealed over a stub), and every device must hold the same.
        let before = mirror?.state ?? mirror?.stub ?? ItemState()
        return (taken.siblings.map(\.dot) == accepted.dots && work.before == before, true)
    }

    private func keepEdit(
        of record: LocalRecord,
        _ envelope: Envelope,
        in database: Database
    ) throws {
        try shelf.outbox.save(
            record.edit,
            of: envelope.recordID,
            kind: envelope.kind,
            protection: protection(of: record, envelope.kind),
            in: database
        )
    }

    /// Whether a page has told of a write: the record held it, or holds what replaced it.
    private func isSeen(_ dot: Dot, in mirror: MirrorRow?, _ database: Database) throws -> Bool {
        if mirror?.siblings.contains(where: { $0.dot == dot }) ?? true { return true }
        return try SyncStateTable.vector(from: database).contains(dot)
    }
}

/// A write is said to be older than a page that did not know it: taking the answer would lose it.
private struct OlderThanWhatWasSeen: Error {}

extension MirrorRow {
    /// The row after the server has taken a write, which replaces the siblings that it names.
    fileprivate init(_ old: MirrorRow?, taking write: Envelope, _ state: ItemState, seq: UInt64) {
        var siblings = (old?.siblings ?? []).filter { !write.replaced.contains($0.dot) }
        siblings.append(Sibling(dot: write.dot, boxHash: write.boxHash, isOpened: true))
        self.init(
            record: write.recordID,
            kind: write.kind,
            seq: seq,
            siblings: siblings.sorted { $0.dot < $1.dot },
            content: .state(old?.state?.joined(with: state) ?? state)
        )
    }
}

extension PushAnswer {
    /// Whether nothing of anybody else's lies between the cursor and the end of this push.
    fileprivate func follows(_ cursor: KSRecords.Cursor?) -> Bool {
        guard let cursor, cursor.epoch == self.cursor.epoch else { return false }
        let seqs = records.map(\.seq)
        return seqs.enumerated().allSatisfy { $1 == cursor.seq + UInt64($0) + 1 }
            && self.cursor.seq == seqs.last
    }
}
