internal import GRDB
internal import KSRecords
internal import KSResolution

// A record of many siblings is written back: one of its readers uploads the joined state, which
// replaces the siblings. No user sees a change: stamps are independent of dots, so the same state
// under a new dot is neither an edit nor a conflict.

extension Replica {
    /// Decides whether a record that was just applied has to be written back.
    ///
    /// `siblings`: the states of those that opened; the others are never replaced. `joined`: their
    /// join. Runs in the transaction that saves the mirror, so that both agree.
    func noteSiblings(
        of record: PageAnswer.Record,
        _ rows: RecordRows,
        _ siblings: [RecordState],
        joined: RecordState,
        in database: Database
    ) throws {
        // The server removes deleted records by itself. If one sibling equals the join, a reader
        // wrote back before or an editor had seen all, and another write would add nothing.
        let isDue =
            siblings.count > writeBack.siblingsMax && joined.isAlive
            && !siblings.contains(joined)
        if isDue {
            try noteRewrite(of: record.id, record.kind, in: database)
        } else if rows.isToBeRewritten,
            try Quarantine.givenUp(of: record.id, in: database).isEmpty
        {
            try RewriteTable.delete(record.id, in: database)
        }
    }

    func noteRewrite(of record: RecordID, _ kind: RecordKind, in database: Database) throws {
        let due = writeBack.dueMilliseconds(now: clock(), random: random)
        try RewriteTable.add(record, kind: kind, dueMilliseconds: due, in: database)
    }

    /// When the next record is due, milliseconds since 1970; nil if none is.
    ///
    /// Missed times are replaced by new random ones.
    func rewriteDueMilliseconds() throws -> UInt64? {
        let now = clock()
        func areMissed(_ times: ClosedRange<UInt64>) -> Bool {
            [times.lowerBound, times.upperBound].contains {
                writeBack.isMissed(dueMilliseconds: $0, now: now)
            }
        }
        let times = try database.unsafeRead { try RewriteTable.times(in: $0) }
        guard let times, areMissed(times) else { return times?.lowerBound }
        return try database.write { database in
            for (record, due) in try RewriteTable.all(in: database)
            where self.writeBack.isMissed(dueMilliseconds: due, now: now) {
                let due = self.writeBack.dueMilliseconds(now: now, random: self.random)
                try RewriteTable.move(record, dueMilliseconds: due, in: database)
            }
            return try RewriteTable.times(in: database)?.lowerBound
        }
    }

    /// The batch on its way, or else a new one of the due records that still need it.
    ///
    /// - Returns: nil if nothing needs to be written back any more.
    func rewriteBatch() throws -> Batch? {
        if let batch = try batchOnItsWay(hasKeys: true) { return batch }
        let now = clock()
        return try changeState { state, database in
            var entries: [BatchTable.Entry] = []
            var byteCount = 0
            let due = try RewriteTable.due(byMilliseconds: now, in: database)
            for record in due where byteCount <= batchBytesMax / 2 {
                let before = state
                let entry = try self.rewrite(record, &state, in: database)
                let boxBytes = entry?.envelope.box.count ?? 0
                guard entries.isEmpty || byteCount + boxBytes <= batchBytesMax else {
                    // It goes into the next batch.
                    state = before
                    break
                }
                try RewriteTable.delete(record, in: database)
                guard let entry else { continue }
                byteCount += boxBytes
                entries.append(entry)
            }
            return try self.writeDown(entries, &state, in: database)
        }
    }

    private func rewrite(
        _ id: RecordID,
        _ state: inout SyncState,
        in database: Database
    ) throws -> BatchTable.Entry? {
        let found = try shelf.find(id, from: database)
        var record = found.record
        // An unsent edit uploads the joined state when it is sealed.
        guard let mirror = found.mirror.value, !found.rows.hasEdit else { return nil }
        let protection = protection(of: record, mirror.kind)
        let replaced = try replacedDots(of: id, mirror, in: database)
        let drops = replaced.count > mirror.replaceableDots.count
        if drops, !record.view.isAlive {
            let known = record.mirror ?? record.stub ?? RecordState()
            let stamp = makeStamp(above: known.latestTime, clockMilliseconds: clock(), &state)
            record.mirror = known.deletion(ofNothingBut: stamp)
        }
        let work = record.seal(isRewrite: true) { seen, clock in
            self.makeStamp(above: seen, clockMilliseconds: clock, &state)
        }
        guard let work, work.state.isAlive || drops,
            found.mirror.value.hasRoom(afterReplacing: replaced)
        else { return nil }
        return try envelop(
            work,
            of: .init(record: id, kind: mirror.kind, protection: protection),
            replacing: replaced,
            &state
        )
    }
}
