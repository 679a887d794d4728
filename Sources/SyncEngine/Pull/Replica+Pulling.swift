internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution

// Step 9: pages of changes from the cursor on.

extension Replica {
    func receivePage(_ page: PageAnswer, after cursor: KSRecords.Cursor?) throws {
        do throws(PageFault) {
            try page.check(after: cursor)
        } catch {
            pageFault = error
            return fail(.pull)
        }
        let known = try database.unsafeRead { database in
            (
                state: try SyncStateTable.load(from: database).orNoAccount(),
                vector: try SyncStateTable.vector(from: database)
            )
        }
        guard page.cursor.epoch == known.state.epoch else { return try hold(.serverRestored) }
        // The whole vector is compared, not only this device's own entry: a reader, too, must
        // notice.
        guard page.vector.covers(known.vector), page.cursor.seq >= known.state.cursor?.seq ?? 0
        else { return try hold(.serverWentBack) }
        let before = report
        do {
            let isTaken: Void? = try ifUnlocked {
                try database.write {
                    try self.take(page, after: cursor, known.vector, isLocked: false, in: $0)
                }
            }
            if isTaken == nil {
                try database.write {
                    try self.take(page, after: cursor, known.vector, isLocked: true, in: $0)
                }
            }
        } catch is RecordWentBack {
            report = before
            return try hold(.serverWentBack)
        }
        machine.handle(.done(.pull, hasMore: page.hasMore), nowMilliseconds: clock())
        if page.vector[known.state.actor] > known.state.counter {
            // Somebody else writes as this device: a clone, or this is an older copy of it.
            try wantNewActor()
        }
        try notice(seq: 0, circleVersion: page.circleVersion)
    }

    /// The vector is the one known before the page.
    private func take(
        _ page: PageAnswer,
        after cursor: KSRecords.Cursor?,
        _ vector: VersionVector,
        isLocked: Bool,
        in database: Database
    ) throws {
        for record in page.records {
            let waitingSeq = try WaitingTable.seq(of: record.id, in: database)
            if let waitingSeq, record.seq < waitingSeq { continue }
            let gone = try writesBackAgain(record, vector, in: database)
            if waitingSeq != nil { try WaitingTable.delete(record.id, in: database) }
            if isLocked {
                guard gone.isEmpty else { throw RecordWentBack() }
                try WaitingTable.save(record, in: database)
            } else {
                try takeIfNew(record, gone: gone, in: database)
            }
        }
        var state = try SyncStateTable.load(from: database).orNoAccount()
        // Else all was asked for once more while the page was on its way.
        if state.cursor == cursor { state.cursor = page.cursor }
        if !page.hasMore {
            // Only with the last page: before, it covers what has not been seen yet.
            try SyncStateTable.raise(to: page.vector, in: database)
            state.lastSuccessMilliseconds = clock()
        }
        state.serverDateMilliseconds =
            serverDate.heardMilliseconds
            ?? state.serverDateMilliseconds
        try SyncStateTable.save(state, in: database)
        report.pulledRecords += page.records.count
    }

    /// The writes among a record's siblings that had been replaced when this device last heard of
    /// it: accepted by then, as the vector says, and not among what the server held.
    ///
    /// The vector is taken over with the last page only, when every record has been seen as it was
    /// then, so an honest server never shows such a write.
    private func writesBackAgain(
        _ record: PageAnswer.Record,
        _ vector: VersionVector,
        in database: Database
    ) throws -> Set<Dot> {
        let old = record.siblings.map(\.dot).filter(vector.contains)
        guard !old.isEmpty else { return [] }
        let known: Kept<[Dot]> =
            switch try WaitingTable.find(record.id, from: database) {
            case .kept(let waiting): .kept(waiting.siblings.map(\.dot))
            case .damaged: .damaged
            case .none: try shelf.mirrors.dots(of: record.id, in: database)
            }
        switch known {
        case .kept(let dots): return Set(old).subtracting(dots)
        case .none: return Set(old)
        // Nobody knows any more.
        case .damaged: return []
        }
    }

    /// `gone`: those of its writes that had been replaced before.
    func takeIfNew(
        _ record: PageAnswer.Record,
        gone: Set<Dot> = [],
        in database: Database
    ) throws {
        // An older sight of a record than what is known already, as after an own push.
        if let seq = try shelf.mirrors.seq(of: record.id, in: database), record.seq < seq { return }
        try take(record, gone: gone, in: database)
    }

    /// The record's siblings take the place of what the mirror held.
    private func take(
        _ received: PageAnswer.Record,
        gone: Set<Dot>,
        in database: Database
    ) throws {
        let kept = try shelf.mirrors.find(received.id, from: database)
        let old = kept.value
        var siblings: [MirrorRow.Sibling] = []
        var states: [ItemState] = []
        // Which write replaces which is bound into the boxes; the server may not have followed it.
        // Of a box that does not open nothing is believed.
        let all = try received.siblings.map { ($0, try open($0, of: received.id)) }
        let replaced = Set(all.filter(\.1.isState).flatMap(\.0.replaced))
        guard gone.isSubset(of: replaced) else { throw RecordWentBack() }
        let givenUp = try Quarantine.givenUp(of: received.id, in: database)
        try Quarantine.clear(received.id, in: database)
        for (envelope, opened) in all where !replaced.contains(envelope.dot) {
            switch opened {
            case .state(let state):
                states.append(state)
            case .quarantined(let reason):
                try Quarantine.save(
                    envelope,
                    reason: reason,
                    isGivenUp: givenUp.contains(envelope.dot),
                    in: database
                )
                report.quarantined += 1
            }
            siblings.append(
                .init(dot: envelope.dot, boxHash: envelope.boxHash, isOpened: opened.isState)
            )
        }
        let opened = states
        if states.count < siblings.count {
            // Something is there that cannot be read: nothing that was known before goes because of
            // it.
            states += [old?.state, old?.stub].compactMap { $0 }
        }
        siblings.sort { $0.dot < $1.dot }
        let joined = ItemState.join(states)
        let mirror = MirrorRow(
            record: received.id,
            kind: received.kind,
            seq: received.seq,
            siblings: siblings,
            content: .state(joined)
        )
        try noteSiblings(of: received, opened, joined: joined, in: database)
        var found = try shelf.find(received.id, mirror: .kept(mirror), from: database)
        if found.isEditDamaged {
            found.record.edit = try editMadeAgain(
                of: received.id,
                received.kind,
                over: kept.isDamaged ? joined : old?.state,
                in: database
            )
        }
        found.record.completeDeletion(of: joined, isAll: !found.isWorkDamaged)
        try settle(&found.record, mirror, in: database)
    }
}

/// A record shows a write again that was replaced.
private struct RecordWentBack: Error {}

extension Replica.Opened {
    fileprivate var isState: Bool {
        if case .state = self { true } else { false }
    }
}
