internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution

// Step 9: pages of changes from the cursor on.

extension Replica {
    /// Without keys the page's records wait for the unlock.
    func receivePage(
        _ page: PageAnswer,
        after cursor: KSRecords.Cursor?,
        hasKeys: Bool
    ) throws {
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
        guard page.cursor.epoch == known.state.epoch else {
            return try hold(.serverRestored, hasKeys: hasKeys)
        }
        // The whole vector is compared, not only this device's own entry: a reader, too, must
        // notice.
        guard page.vector.covers(known.vector), page.cursor.seq >= known.state.cursor?.seq ?? 0
        else { return try hold(.serverWentBack, hasKeys: hasKeys) }
        let before = report
        do {
            try database.write {
                try self.take(page, after: cursor, known.vector, hasKeys: hasKeys, in: $0)
            }
        } catch is RecordWentBack {
            report = before
            return try hold(.serverWentBack, hasKeys: hasKeys)
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
        hasKeys: Bool,
        in database: Database
    ) throws {
        for record in page.records {
            let rows = try shelf.rows(of: record.id, in: database)
            if let waitingSeq = rows.waitingSeq {
                if record.seq < waitingSeq { continue }
                try WaitingTable.delete(record.id, in: database)
            }
            let gone = try writesBackAgain(record, vector, rows)
            if hasKeys {
                try takeIfNew(record, rows, gone: gone, in: database)
            } else {
                guard gone.isEmpty else { throw RecordWentBack() }
                try WaitingTable.save(record, in: database)
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
        _ rows: RecordRows
    ) throws -> Set<Dot> {
        let old = record.siblings.map(\.dot).filter(vector.contains)
        guard !old.isEmpty else { return [] }
        let known: Kept<[Dot]> =
            switch try rows.waiting() {
            case .kept(let waiting): .kept(waiting.siblings.map(\.dot))
            case .damaged: .damaged
            case .none: try rows.sight().map { $0.siblings.map(\.dot) }
            }
        switch known {
        case .kept(let dots): return Set(old).subtracting(dots)
        case .none: return Set(old)
        // Nobody knows any more.
        case .damaged: return []
        }
    }

    /// Steps 10 to 12 of one record: its siblings take the place of what the mirror held.
    ///
    /// An older sight of it than what is known, as after an own push, is passed over. `gone`: those
    /// of its writes that had been replaced before.
    func takeIfNew(
        _ received: PageAnswer.Record,
        _ rows: RecordRows,
        gone: Set<Dot> = [],
        in database: Database
    ) throws {
        if let seq = try rows.sight().value?.seq, received.seq < seq { return }
        let siblings = try openSiblings(of: received, gone: gone)
        try keepUnopened(siblings, rows, in: database)
        let found = try FoundRecord(rows)
        let states = siblings.compactMap(\.opened.state)
        let joined = join(states, of: siblings.count, over: found.mirror.value)
        try noteSiblings(
            of: received,
            states,
            joined: joined,
            isNoted: rows.isToBeRewritten,
            in: database
        )
        var (record, isWhole) = try mended(found, received.kind, over: joined, in: database)
        (record.mirror, record.stub) = (joined, nil)
        record.completeDeletion(of: joined, isAll: isWhole)
        let mirror = MirrorRow(
            record: received.id,
            kind: received.kind,
            seq: received.seq,
            siblings: siblings.map(\.row).sorted { $0.dot < $1.dot },
            content: .state(joined)
        )
        try settle(record, mirror, hadEdit: rows.hasEdit, in: database)
    }

    /// A sibling that counts, and what it turned out to be.
    private struct Sibling {
        let envelope: Envelope
        let opened: Opened

        var row: MirrorRow.Sibling {
            .init(
                dot: envelope.dot,
                boxHash: envelope.boxHash,
                isOpened: opened.state != nil
            )
        }
    }

    /// Opens the siblings, and drops those that others replace.
    ///
    /// Which write replaces which is bound into the boxes; the server may not have followed it. Of
    /// a box that does not open nothing is believed.
    private func openSiblings(
        of received: PageAnswer.Record,
        gone: Set<Dot>
    ) throws -> [Sibling] {
        let all = try received.siblings.map {
            Sibling(envelope: $0, opened: try open($0, of: received.id))
        }
        let replaced = Set(all.filter { $0.opened.state != nil }.flatMap(\.envelope.replaced))
        guard gone.isSubset(of: replaced) else { throw RecordWentBack() }
        return all.filter { !replaced.contains($0.envelope.dot) }
    }

    /// Keeps the siblings that did not open in place of those that did not open before.
    private func keepUnopened(
        _ siblings: [Sibling],
        _ rows: RecordRows,
        in database: Database
    ) throws {
        var givenUp: Set<Dot> = []
        if rows.hasQuarantined {
            givenUp = try Quarantine.givenUp(of: rows.id, in: database)
            try Quarantine.clear(rows.id, in: database)
        }
        for sibling in siblings {
            guard case .quarantined(let reason) = sibling.opened else { continue }
            try Quarantine.save(
                sibling.envelope,
                reason: reason,
                isGivenUp: givenUp.contains(sibling.envelope.dot),
                in: database
            )
            report.quarantined += 1
        }
    }

    /// What the record is now, by the states of those of its siblings that opened.
    ///
    /// Where one did not, nothing that was known before goes because of it.
    private func join(_ states: [ItemState], of count: Int, over old: MirrorRow?) -> ItemState {
        guard states.count < count else {
            return states.count == 1 ? states[0] : ItemState.join(states)
        }
        return ItemState.join(states + [old?.state, old?.stub].compactMap { $0 })
    }
}

/// A record shows a write again that was replaced.
private struct RecordWentBack: Error {}

extension Replica.Opened {
    fileprivate var state: ItemState? {
        if case .state(let state) = self { state } else { nil }
    }
}
