internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSResolution

// Compares one record with what a server that went back has of it, in the transaction that moves
// the cursor.

extension Replica {
    /// Compares a record that a page has shown.
    ///
    /// - Parameters:
    ///   - received: the record.
    ///   - rows: what this device has of it.
    ///   - seen: the account vector that this device knew before the server went back.
    ///   - accepted: the page's vector.
    ///   - database: the transaction of the page.
    /// - Throws: ``SealingError/classLocked(_:)``, and what the database throws.
    /// - Returns: what was decided.
    func compare(
        _ received: PageAnswer.Record,
        _ rows: RecordRows,
        seen: VersionVector,
        accepted: VersionVector,
        in database: Database
    ) throws -> RecordDecision.Outcome {
        let siblings = fitting(try openPresent(received, in: database))
        try quarantineUnopened(siblings, rows, in: database)
        let found = try FoundRecord(rows)
        let comparison = RecordComparison(
            known: found.mirror.value?.known,
            shown: siblings.map(\.shown),
            // Nothing follows from what a damaged row lacks.
            seen: found.mirror.isDamaged ? VersionVector() : seen,
            accepted: accepted
        )
        var shown = comparison.shownState ?? RecordState()
        let kind = try received.kind
        var (record, isWhole) = try repaired(found, kind, over: shown, in: database)
        let decision = comparison.decision(for: record.edit)
        if decision.restored == nil, siblings.contains(where: { $0.state == nil }),
            let known = found.mirror.value?.knowledge
        {
            // As in every pull: what does not open must not make the device forget what it knows.
            shown = shown.joined(with: known)
        }
        record.reconcile(with: shown, by: decision)
        record.completeDeletion(of: shown, isAll: isWhole)
        if decision.restored == nil, let old = found.mirror.value,
            deletes(record, kind, from: found)
        {
            // The old mirror stays; its seq is of an earlier epoch.
            try shelf.mirrors.forgetSeq(of: old, in: database)
            try hold(received, rows, in: database)
            try forgetUnopened(decision, in: database)
            return decision.outcome
        }
        let states = siblings.compactMap(\.state)
        try noteSiblings(of: received, rows, states, joined: shown, in: database)
        let mirror = MirrorRow(
            record: received.id,
            kind: kind,
            seq: received.seq,
            siblings: siblings.map(\.row).sorted { $0.dot < $1.dot },
            content: shown
        )
        try settle(record, mirror, from: found, in: database)
        try forgetUnopened(decision, in: database)
        try replaceCutOff(siblings, known: found.mirror.value, seen, in: database)
        return decision.outcome
    }

    /// Lets the next write replace those siblings that were opened or replaced before, and that
    /// nobody may open any more: the entry of the circle that ended their keys was lost, and is
    /// back.
    private func replaceCutOff(
        _ siblings: [OpenedSibling],
        known: MirrorRow?,
        _ seen: VersionVector,
        in database: Database
    ) throws {
        let unopened = Set((known?.siblings ?? []).filter { !$0.isOpened }.map(\.dot))
        for sibling in siblings
        where sibling.state == nil && seen.contains(sibling.envelope.dot)
            && !unopened.contains(sibling.envelope.dot)
        {
            try Quarantine.giveUp(
                sibling.envelope.dot,
                of: sibling.envelope.recordID,
                in: database
            )
        }
    }

    /// Compares a record that the server does not have.
    ///
    /// `accepted`: the vector of the last page. `isRemovalProven`: whether a record that the server
    /// has accepted and lacks was deleted. `holds`: whether such an entry stays until it is known
    /// how many there are.
    func compareAbsent(
        _ id: RecordID,
        _ accepted: VersionVector,
        isRemovalProven: Bool = false,
        holds: Bool = false,
        in database: Database
    ) throws -> RecordDecision.Outcome {
        let found = try shelf.find(id, from: database)
        // A damaged row stays: the repair rebuilds what the entry shows.
        guard let mirror = found.mirror.value else { return .same }
        let comparison = RecordComparison(
            known: mirror.known,
            shown: [],
            seen: VersionVector(),
            accepted: accepted
        )
        var record = try repaired(found, mirror.kind, in: database).record
        let decision = comparison.decision(for: record.edit, isRemovalProven: isRemovalProven)
        let view = record.view
        record.reconcile(with: nil, by: decision)
        let protection = protection(of: record, mirror.kind)
        let waiting = OutboxTable.Waiting(record: id, kind: mirror.kind, protection: protection)
        let isHeld = holds && found.rows.isHeldDeletion
        let isQuestion = holds && view.isAlive && asksAboutDeletions(of: mirror.kind)
        switch decision.outcome {
        // The server has forgotten the deletion too; it goes on waiting.
        case _ where isHeld && decision.outcome != .removed: return .removed
        case .same, .missing:
            // The seq is of an earlier epoch, and a later page counts whatever its own is.
            try shelf.mirrors.forgetSeq(of: mirror, in: database)
            return decision.outcome
        case .removed where isHeld || isQuestion:
            if !isHeld { try WaitingTable.saveRemoved(id, mirror.kind, in: database) }
            try shelf.mirrors.forgetSeq(of: mirror, in: database)
            // What is left of a batch that goes up again says nothing new, and must not go up while
            // the deletion is a question.
            try shelf.outbox.save(record.edit, of: waiting, in: database)
            return decision.outcome
        case .removed:
            // The store keeps it among what was deleted lately.
            let shown = try stores[mirror.kind]?.hide(view, nil, in: database)
            if let shown { report.count(shown.change) }
        case .putUp where decision.isRemoved:
            // Without what was deleted.
            _ = try stores[mirror.kind]?.show(record.view, in: database)
        case .putUp, .deletedAgain, .taken: break
        }
        try shelf.mirrors.replaceLost(
            mirror,
            by: record.stub,
            protection: protection,
            in: database
        )
        try Quarantine.clear(id, in: database)
        try shelf.outbox.save(record.edit, of: waiting, in: database)
        try forgetUnopened(decision, in: database)
        return decision.outcome
    }

    /// Forgets the lost writes that were never opened here.
    ///
    /// Their authors send them again. Nobody may take them for replaced meanwhile, and neither may
    /// this device if the server has them back.
    private func forgetUnopened(_ decision: RecordDecision, in database: Database) throws {
        for dot in decision.heldBack { try SyncStateTable.forget(dot, in: database) }
    }
}

extension MirrorRow {
    fileprivate var known: RecordComparison.Known {
        .init(
            writes: siblings.map {
                .init(dot: $0.dot, boxHash: $0.boxHash, isOpened: $0.isOpened)
            },
            content: content,
            isStub: isStub
        )
    }
}

extension OpenedSibling {
    fileprivate var shown: RecordComparison.Shown {
        .init(dot: envelope.dot, boxHash: envelope.boxHash, state: state)
    }
}
