internal import GRDB
internal import KSRecords
internal import KSResolution

// A record of many siblings is written back: one of its readers uploads what all of them see, and
// the server keeps one sibling in place of many. Nothing changes for anybody: stamps are
// independent of dots, so the same state under a new dot is neither an edit nor a conflict.

extension Replica {
    /// Notes whether a record that was just taken in is to be written back.
    ///
    /// `siblings`: the states of those that could be opened; others are never replaced. `joined`:
    /// what the device makes of them. It is called in the transaction that keeps the mirror, so
    /// that both say the same.
    func noteSiblings(
        of record: PageAnswer.Record,
        _ siblings: [ItemState],
        joined: ItemState,
        isNoted: Bool,
        in database: Database
    ) throws {
        // A deleted record the server will remove by itself one day. Where one sibling says all, a
        // reader wrote back before, or an editor had seen all: writing once more would say nothing.
        let isDue =
            siblings.count > writeBack.siblingsMax && joined.isAlive
            && !siblings.contains(joined)
        guard isDue else {
            if isNoted { try RewriteTable.delete(record.id, in: database) }
            return
        }
        try noteRewrite(of: record.id, record.kind, in: database)
    }

    func noteRewrite(
        of record: RecordID,
        _ kind: RecordKind,
        in database: Database
    ) throws {
        let due = writeBack.dueMilliseconds(now: clock(), random: random)
        try RewriteTable.add(record, kind: kind, dueMilliseconds: due, in: database)
    }

    /// When the next record is due; nil when there is none.
    ///
    /// Times that were missed are drawn anew.
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

    /// The batch on its way, or a new one of the records that are due and still need it.
    ///
    /// - Returns: nil when by now there is nothing to write back.
    func rewriteBatch() throws -> Batch? {
        if let batch = try batchOnItsWay(hasKeys: true) { return batch }
        let now = clock()
        return try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            var entries: [BatchTable.Entry] = []
            var byteCount = 0
            let due = try RewriteTable.due(
                byMilliseconds: now,
                limit: Limits.batchRecordsMax,
                in: database
            )
            for record in due where byteCount <= Limits.batchBytesMax / 2 {
                try RewriteTable.delete(record, in: database)
                guard let entry = try self.rewrite(record, &state, in: database) else {
                    continue
                }
                byteCount += entry.envelope.box.count
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
        // An edit takes the joined state along when it is sealed.
        guard let mirror = found.mirror.value, record.edit == nil, !found.edit.isDamaged else {
            return nil
        }
        let protection = protection(of: record, mirror.kind)
        let work = record.seal(isRewrite: true) { seen, clock in
            self.makeStamp(above: seen, clockMilliseconds: clock, &state)
        }
        let replaced = mirror.replaceableDots
        guard let work, work.state.isAlive, found.mirror.value.hasRoom(afterReplacing: replaced)
        else {
            return nil
        }
        return try envelop(
            work,
            of: .init(record: id, kind: mirror.kind, movedTo: nil, protection: protection),
            replacing: replaced,
            &state
        )
    }
}
