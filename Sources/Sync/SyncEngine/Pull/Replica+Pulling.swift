internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSWire

// Step 9: applies pages of changes after the cursor.

extension Replica {
    /// Applies a page; without keys, its records wait for the unlock.
    func receivePage(_ page: PageAnswer, after cursor: KSRecords.Cursor?, hasKeys: Bool) throws {
        do throws(PageFault) {
            try page.check(after: cursor)
        } catch {
            pageFault = error
            return fail(.pull)
        }
        let known = try database.unsafeRead { database in
            Known(
                state: try self.state(in: database),
                savedSuccess: try SyncStateTable.load(from: database)?.lastSuccessMilliseconds,
                vector: try SyncStateTable.vector(from: database),
                shown: try SyncStateTable.shownVector(from: database),
                isComparing: try ReconciliationTable.load(from: database)?.step == .download,
                isReturning: try Return.isUnderWay(in: database),
                hasUndecided: try WaitingTable.hasUndecidedDeletions(in: database)
            )
        }
        if hasKeys, try asksForCircleFirst(page) { return }
        guard
            page.cursor.epoch == known.state.epoch
                || (known.isComparing && known.state.epoch == .unknown)
        else { return try beginReconciliation(.serverRestored) }
        // Compares the whole vector, not only this device's entry: a device that writes nothing
        // must notice too.
        guard page.vector.covers(known.shown), page.cursor.seq >= known.state.cursor?.seq ?? 0,
            page.vector.covers(pulledVector)
        else { return try beginReconciliation(.serverWentBack) }
        if hasKeys, refusedWrite == .generationClosed, !known.isComparing,
            page.circleVersion < circle.newest.version
        {
            // It lost an entry of the circle, and nothing else that this device knows.
            return try beginReconciliation(.serverWentBack)
        }
        let before = report
        do {
            if known.isAll(in: page, atMilliseconds: clock()) {
                unsavedSuccess = clock()
            } else {
                try database.write {
                    try self.take(page, after: cursor, known, hasKeys: hasKeys, in: $0)
                }
            }
        } catch is RecordWentBack {
            report = before
            return try beginReconciliation(.serverWentBack)
        }
        // Only the last page raises the account vector.
        pulledVector = page.hasMore ? page.vector : VersionVector()
        noteRoom(page.usage)
        if known.isComparing, !page.hasMore {
            try compareRest(accepted: page.vector)
            try database.write { try self.decideDeletions(in: $0) }
        } else if !page.hasMore {
            try forgetRemoved(upTo: page.removalHorizon)
        }
        tell(.done(.pull, hasMore: page.hasMore))
        if page.vector[known.state.actor] > known.state.counter {
            // Another copy of this device writes as the same actor: a clone, or a newer database.
            try wantNewActor()
        }
        if hasKeys, !page.hasMore { try settleSoughtBatch() }
        try notice(seq: 0, circleVersion: page.circleVersion)
    }

    /// Drops a page whose records may need the keys of a newer circle, and asks for that first.
    ///
    /// A circle that was refused, or that the server does not show, stops no records. A question
    /// that got no answer says nothing about that: a device that was locked meanwhile asks again.
    private func asksForCircleFirst(_ page: PageAnswer) throws -> Bool {
        guard circleTrouble == nil, !machine.isCircleWithheld,
            page.circleVersion > circle.newest.version
        else { return false }
        tell(.circleFirst(version: page.circleVersion))
        return true
    }

    /// What this device knew before a page.
    private struct Known {
        let state: SyncState
        /// When the last pull succeeded that was saved, milliseconds since 1970.
        let savedSuccess: UInt64?
        /// The account vector.
        let vector: VersionVector
        /// The part of it that the server has shown in this epoch.
        let shown: VersionVector
        /// Whether the records are compared with those of a server that went back.
        let isComparing: Bool
        /// Whether this is the first download after a return to the account.
        let isReturning: Bool
        /// Whether deletions wait for the end of a pull.
        let hasUndecided: Bool

        /// How long the time of the last success may be known in memory alone.
        private static let unsavedMillisecondsMax: UInt64 = 3_600_000

        /// Whether a page brings nothing that has to be saved.
        func isAll(in page: PageAnswer, atMilliseconds now: UInt64) -> Bool {
            guard page.records.isEmpty, !page.hasMore, page.cursor == state.cursor,
                page.cursor.epoch == state.epoch, page.vector == shown,
                !isComparing, !isReturning, !hasUndecided,
                let saved = savedSuccess
            else { return false }
            return now >= saved && now - saved < Self.unsavedMillisecondsMax
        }
    }

    private func take(
        _ page: PageAnswer,
        after cursor: KSRecords.Cursor?,
        _ known: Known,
        hasKeys: Bool,
        in database: Database
    ) throws {
        var found = Reconciliation.Found()
        for record in page.records {
            let rows = try shelf.rows(of: record.id, in: database)
            if known.isComparing, try isToBeCompared(record.id, rows, in: database) {
                try WaitingTable.delete(record.id, in: database)
                let outcome = try compare(
                    record,
                    rows,
                    seen: known.vector,
                    accepted: page.vector,
                    in: database
                )
                found.count(outcome)
                continue
            }
            if known.isReturning { try Return.confirm(record.id, in: database) }
            if let waitingSeq = rows.waitingSeq {
                if record.seq < waitingSeq { continue }
                try WaitingTable.delete(record.id, in: database)
            }
            // Seqs only rise. A download of all records has no cursor by which a server that went
            // back, and has grown since, would notice it.
            if let seq = rows.clearMirror.value?.seq, record.seq < seq { throw RecordWentBack() }
            let reappeared = try reappearedWrites(record, known.vector, rows)
            if hasKeys {
                try applyIfNew(record, rows, reappeared: reappeared, in: database)
            } else {
                guard reappeared.isEmpty else { throw RecordWentBack() }
                try WaitingTable.save(record, in: database)
            }
        }
        var state = try state(in: database)
        state.epoch = page.cursor.epoch
        if known.isComparing { try ReconciliationTable.add(found, in: database) }
        // A cursor that was cleared meanwhile stays cleared: a whole download is needed.
        if state.cursor == cursor { state.advance(to: page, isFirst: cursor == nil) }
        if !page.hasMore {
            // Only with the last page: before that, the vector covers unseen records.
            if !known.isComparing {
                try SyncStateTable.raise(to: page.vector, above: known.shown, in: database)
            }
            if known.isReturning, hasKeys { try addUnconfirmed(in: database) }
            if !known.isComparing, hasKeys { try decideDeletions(in: database) }
            // On a locked device the records of the first download still wait to be opened.
            if hasKeys || state.lastSuccessMilliseconds != nil {
                state.lastSuccessMilliseconds = clock()
                unsavedSuccess = nil
            }
        }
        if let date = serverDate.heardMilliseconds { state.serverDateMilliseconds = date }
        try SyncStateTable.save(state, in: database)
        report.pulledRecords += page.records.count
    }

    /// Whether a page of a server that went back shows this record for the first time.
    private func isToBeCompared(
        _ record: RecordID,
        _ rows: RecordRows,
        in database: Database
    ) throws -> Bool {
        let wasMarked = try ReconciliationTable.takeMark(of: record, in: database)
        if case .none = rows.clearMirror { return true }
        return wasMarked
    }

    /// The siblings that had been replaced when this device last saw the record: its vector covers
    /// them, and the record did not show them.
    ///
    /// An honest server never shows such a write: the vector is raised with the last page only,
    /// when this device has seen every record.
    private func reappearedWrites(
        _ record: PageAnswer.Record,
        _ vector: VersionVector,
        _ rows: RecordRows
    ) throws -> Set<Dot> {
        let old = record.siblings.map(\.dot).filter(vector.contains)
        guard !old.isEmpty else { return [] }
        let known: Kept<[Dot]> =
            switch try rows.waiting() {
            case .kept(let waiting):
                // While a deletion waits, this device may have written to the record.
                .kept(
                    waiting.siblings.map(\.dot)
                        + (rows.isHeldDeletion ? rows.clearMirror.value?.siblings ?? [] : [])
                        .map(\.dot)
                )
            case .damaged: .damaged
            case .none: rows.clearMirror.map { $0.siblings.map(\.dot) }
            }
        switch known {
        case .kept(let dots): return Set(old).subtracting(dots)
        case .none: return Set(old)
        // Which siblings the record had is lost.
        case .damaged: return []
        }
    }

    /// Steps 10 to 12 for one record: its siblings are opened and joined, and replace the mirror.
    ///
    /// Ignores a record that is older than the mirror, as after a push of this device.
    /// `reappeared`: those of its siblings that had been replaced before. `handling`: of a
    /// record that deletes an entry which this device shows.
    func applyIfNew(
        _ received: PageAnswer.Record,
        _ rows: RecordRows,
        reappeared: Set<Dot> = [],
        handling: DeletionHandling = .hold,
        in database: Database
    ) throws {
        if let seq = rows.clearMirror.value?.seq, received.seq < seq { return }
        let opened = try openSiblings(of: received, reappeared: reappeared, in: database)
        let siblings = fitting(opened)
        try quarantineUnopened(siblings, rows, in: database)
        let found = try FoundRecord(rows)
        let states = siblings.compactMap(\.state)
        let joined = join(states, of: siblings.count, over: found.mirror.value)
        let kind = try received.kind
        var (record, isWhole) = try repaired(found, kind, over: joined, in: database)
        record.keepFields(beside: joined)
        let old = record.mirror
        (record.mirror, record.stub) = (joined, nil)
        record.unsee(old)
        record.completeDeletion(of: joined, isAll: isWhole)
        if handling == .keep, found.record.view.isAlive, !joined.isAlive {
            // An unsent edit alone would keep only what it writes.
            record.keep(found.record.view, atMilliseconds: clock())
        } else if deletes(record, kind, from: found) {
            switch handling {
            case .hold: return try hold(received, rows, in: database)
            case .apply: try noteRecent(found, in: database)
            case .accept, .keep: break
            }
        }
        try noteSiblings(of: received, rows, states, joined: joined, in: database)
        let mirror = MirrorRow(
            record: received.id,
            kind: kind,
            seq: received.seq,
            siblings: siblings.map(\.row).sorted { $0.dot < $1.dot },
            content: joined
        )
        try settle(record, mirror, from: found, in: database)
    }

    /// Opens a record's siblings, and drops those that others replace.
    ///
    /// Each box authenticates the dots that it replaces, which the server may have kept. A box that
    /// does not open replaces nothing.
    private func openSiblings(
        of received: PageAnswer.Record,
        reappeared: Set<Dot>,
        in database: Database
    ) throws -> [OpenedSibling] {
        let present = try openPresent(received, in: database)
        let dots = Set(present.map(\.envelope.dot))
        guard reappeared.isDisjoint(with: dots) else { throw RecordWentBack() }
        return present
    }

    /// Opens a record's siblings, without those that others replace.
    func openPresent(
        _ received: PageAnswer.Record,
        in database: Database
    ) throws -> [OpenedSibling] {
        let all = try received.siblings.map {
            OpenedSibling(envelope: $0, opened: try open($0, of: received.id, in: database))
        }
        let replaced = Set(all.filter { $0.state != nil }.flatMap(\.envelope.replaced))
        return all.filter { !replaced.contains($0.envelope.dot) }
    }

    /// Replaces the record's rows in quarantine with the siblings that did not open now.
    func quarantineUnopened(
        _ siblings: [OpenedSibling],
        _ rows: RecordRows,
        in database: Database
    ) throws {
        var givenUp: Set<Dot> = []
        if rows.hasQuarantined {
            givenUp = try Quarantine.givenUp(of: rows.id, in: database)
            try Quarantine.clear(rows.id, in: database)
        }
        for sibling in siblings {
            guard case .failure(let reason) = sibling.opened else { continue }
            try Quarantine.save(
                sibling.envelope,
                reason: reason,
                isGivenUp: givenUp.contains(sibling.envelope.dot),
                in: database
            )
            report.quarantined += 1
        }
    }

    /// Joins the states of those siblings that opened.
    ///
    /// If one did not open, the old mirror is joined too, so that nothing known is lost.
    private func join(_ states: [RecordState], of count: Int, over old: MirrorRow?) -> RecordState {
        guard states.count < count else {
            return states.count == 1 ? states[0] : RecordState.join(states)
        }
        return RecordState.join(states + [old?.knowledge].compactMap(\.self))
    }
}

extension SyncState {
    /// Moves the cursor past a page; `isFirst`: whether the page is the account's first.
    fileprivate mutating func advance(to page: PageAnswer, isFirst: Bool) {
        cursor = page.cursor
        if !page.hasMore {
            completeSeq = nil
        } else if isFirst, completeSeq == nil {
            // What is removed up to here was deleted already, so no page shows it as living.
            completeSeq = max(page.accountSeq, page.cursor.seq)
        }
    }
}

/// A record shows a write that had been replaced before, or what it had held before.
private struct RecordWentBack: Error {}
