internal import KSDigests
internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

// Step 4: outbox rows become one batch, which is written down before it is sent.

extension Replica {
    /// The batch on its way, or a new one of what waits in the outbox.
    ///
    /// A new one is in the database, synced to disk, when this returns: a dot that was ever sent is
    /// never given to another write.
    /// - Returns: nil when nothing is left to send, or nothing may be sealed while locked.
    func batchToSend() throws -> Batch? {
        let batch = try batchOnItsWay()
        return try batch ?? ifUnlocked { try sealedBatch() } ?? nil
    }

    /// The batch that was sealed and is not answered yet.
    ///
    /// One that is damaged is taken apart: sent with a change it would be refused for ever.
    func batchOnItsWay() throws -> Batch? {
        switch try database.unsafeRead({
            try self.shelf.batches.load(signedBy: self.keys.signer, from: $0)
        }) {
        case .none: return nil
        case .kept(let batch): return batch
        case .damaged:
            if try ifUnlocked({ try takeNewActor() }) == nil { pushWaitsForUnlock = true }
            return nil
        }
    }

    private func sealedBatch() throws -> Batch? {
        try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            // A page of edits may all turn out to be nothing: items that never left the device.
            while case let waiting = try self.shelf.outbox.oldest(
                Limits.batchRecordsMax,
                in: database
            ), !waiting.isEmpty {
                if let batch = try self.sealBatch(of: waiting, &state, in: database) {
                    return batch
                }
            }
            return nil
        }
    }

    private func sealBatch(
        of groups: [[OutboxTable.Waiting]],
        _ state: inout SyncState,
        in database: Database
    ) throws -> Batch? {
        var entries: [BatchTable.Entry] = []
        var byteCount = 0
        for group in groups {
            // Half of the room is left for everything beside the boxes and for one more that is
            // large; what is over comes next time. The other half of a rename is let through.
            if byteCount > Limits.batchBytesMax / 2 { break }
            let sealed = try seal(group: group, &state, in: database)
            byteCount += sealed.reduce(0) { $0 + $1.envelope.box.count }
            entries += sealed
        }
        return try writeDown(entries, &state, in: database)
    }

    /// Seals a record together with all that renames tie it to.
    ///
    /// Where one of them cannot be sent now, none is: the tombstone of the old record without the
    /// new one would be a deletion. They wait until one of them is changed or pulled again.
    private func seal(
        group: [OutboxTable.Waiting],
        _ state: inout SyncState,
        in database: Database
    ) throws -> [BatchTable.Entry] {
        if group.count == 1 {
            return try seal(group[0], &state, in: database).map { [$0] } ?? []
        }
        let before = state
        var entries: [BatchTable.Entry] = []
        var isWhole = true
        try database.inSavepoint {
            for waiting in group {
                if let entry = try seal(waiting, &state, in: database) {
                    entries.append(entry)
                } else if case .kept = try shelf.outbox.find(waiting.record, from: database) {
                    // Of an edit that cannot be read there is nothing to wait for.
                    isWhole = false
                }
            }
            return isWhole ? .commit : .rollback
        }
        if isWhole { return entries }
        // That everything is to be asked for once more is so all the same.
        let cursor = state.cursor
        state = before
        state.cursor = cursor
        for waiting in group { try shelf.outbox.setAside(waiting.record, in: database) }
        return []
    }

    /// Makes the batch of what was sealed and puts it into the database, before anybody sends it.
    func writeDown(
        _ entries: [BatchTable.Entry],
        _ state: inout SyncState,
        in database: Database
    ) throws -> Batch? {
        guard !entries.isEmpty else {
            try SyncStateTable.save(state, in: database)
            return nil
        }
        let batch = keys.signer.batch(
            of: entries.map(\.envelope),
            epoch: state.epoch,
            circleVersion: state.circleVersion,
            generation: keys.keyRing.newestGeneration,
            previousChain: state.chain
        )
        state.chain = BatchChain.extend(state.chain, with: batch.envelopes)
        try shelf.batches.save(batch, entries: entries, in: database)
        try SyncStateTable.save(state, in: database)
        return batch
    }

    private func seal(
        _ waiting: OutboxTable.Waiting,
        _ state: inout SyncState,
        in database: Database
    ) throws -> BatchTable.Entry? {
        let found = try shelf.find(waiting.record, from: database)
        var record = found.record
        // Sealed over nothing, an edit of one value would be no item to anybody.
        guard !found.isMirrorDamaged else {
            state.cursor = nil
            try shelf.outbox.setAside(waiting.record, in: database)
            return nil
        }
        if found.isEditDamaged {
            record.edit = try editMadeAgain(of: waiting.record, over: record.mirror, in: database)
            if record.edit == nil, let mirror = found.mirror {
                // Nothing is known of it any more: the item is what the server has.
                try settle(&record, mirror, in: database)
                return nil
            }
        }
        let work = record.seal { seen, clock in
            self.makeStamp(above: seen, clockMilliseconds: clock, &state)
        }
        let entry = try work.map { try envelop($0, of: waiting, over: found.mirror, &state) }
        if case .some(nil) = entry {
            // One item that has grown too large must not keep all others from being sent.
            try shelf.outbox.setAside(waiting.record, in: database)
            return nil
        }
        try shelf.outbox.save(
            nil,
            of: waiting.record,
            protection: waiting.protection,
            in: database
        )
        return entry ?? nil
    }

    /// Seals what a record has become, under the actor's next dot.
    ///
    /// - Returns: nil when it is too large to be sent; no dot is used up then.
    func envelop(
        _ work: SealedEdit,
        of waiting: OutboxTable.Waiting,
        over mirror: MirrorRow?,
        _ state: inout SyncState
    ) throws -> BatchTable.Entry? {
        let text = work.state.encoded
        guard text.count <= ItemState.encodedBytesMax else { return nil }
        state.counter += 1
        let envelope = try keys.cipher.seal(
            text: text,
            recordID: waiting.record,
            dot: Dot(actor: state.actor, counter: state.counter),
            replaced: mirror?.replaceableDots ?? [],
            isTombstone: !work.state.isAlive,
            kind: .keychain
        )
        return BatchTable.Entry(envelope: envelope, work: work, waiting: waiting)
    }

    func makeStamp(
        above seen: HybridTime,
        clockMilliseconds: UInt64,
        _ state: inout SyncState
    ) -> Stamp {
        state.ownTime = HybridTime.next(
            clockMilliseconds: clockMilliseconds,
            serverMilliseconds: serverDate.milliseconds(atUptime: uptime())
                ?? state.serverDateMilliseconds,
            seen: seen,
            own: state.ownTime,
            random: UInt16(truncatingIfNeeded: random.integer())
        )
        return Stamp(time: state.ownTime, actor: state.actor)
    }
}
