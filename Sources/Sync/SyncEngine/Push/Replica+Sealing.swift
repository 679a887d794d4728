internal import KSDigests
internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

// Step 4: outbox rows become one batch, which is on disk before it is sent.

extension Replica {
    /// The batch on its way, or else a new one from the outbox.
    ///
    /// A new batch is synced to disk when this returns: a dot that was ever sent must never name
    /// another write.
    /// - Returns: nil if there is nothing to send. Without keys nothing is sealed.
    func batchToSend(hasKeys: Bool) throws -> Batch? {
        if let batch = try batchOnItsWay(hasKeys: hasKeys) { return batch }
        return hasKeys ? try sealedBatch() : nil
    }

    /// The batch that is sealed and not answered yet.
    ///
    /// A damaged batch is taken apart or waits for the unlock; the server would always refuse it.
    func batchOnItsWay(hasKeys: Bool) throws -> Batch? {
        switch try database.unsafeRead({
            try self.shelf.batches.load(signedBy: self.keys.signer, from: $0)
        }) {
        case .none: return nil
        case .kept(let batch): return batch
        case .damaged:
            if hasKeys { try takeNewActor() } else { tell(.waitsForUnlock(.push)) }
            return nil
        }
    }

    private func sealedBatch() throws -> Batch? {
        try changeState { state, database in
            if self.machine.takeMakesRoom() {
                let first = try self.editsThatGoFirst(in: database)
                if let batch = try self.sealBatch(
                    of: Array(first.prefix(Limits.batchRecordsMax)),
                    &state,
                    in: database
                ) {
                    return batch
                }
            }
            // All edits read at once may need no sending, if their entries never left the device.
            while case let waiting = try self.shelf.outbox.oldest(in: database), !waiting.isEmpty {
                if let batch = try self.sealBatch(of: waiting, &state, in: database) {
                    return batch
                }
            }
            return nil
        }
    }

    func sealBatch(
        of candidates: [OutboxTable.Waiting],
        _ state: inout SyncState,
        in database: Database
    ) throws -> Batch? {
        var entries: [BatchTable.Entry] = []
        var byteCount = 0
        var taken: Set<RecordID> = []
        for candidate in candidates where !taken.contains(candidate.record) {
            // Boxes may fill half of a batch: the other half is for the data beside them, and for
            // one large last record, if it fits. Further edits go into the next batch.
            if byteCount > batchBytesMax / 2 { break }
            let end = try shelf.outbox.end(ofChainWith: candidate, in: database)
            let atLeast = try shelf.outbox.sources(of: end.record, in: database).count + 1
            guard entries.isEmpty || entries.count + atLeast <= Limits.batchRecordsMax else {
                break
            }
            let part = try sealChain(
                endingAt: end,
                after: entries,
                boxBytes: byteCount,
                &state,
                in: database
            )
            guard part.fits else { break }
            byteCount += part.entries.reduce(0) { $0 + $1.envelope.box.count }
            entries += part.entries
            taken.formUnion(part.records)
            // The rest of the chain begins with a record that this batch holds already.
            if part.isCut { break }
        }
        return try writeDown(entries, &state, in: database)
    }

    /// The part of a chain of ties that goes into one batch.
    private struct ChainPart {
        var entries: [BatchTable.Entry] = []
        /// The records that were visited, sealed or not.
        var records: Set<RecordID> = []
        /// Whether the chain goes on.
        var isCut = false
        /// False if nothing was sealed, because the batch has no room for it.
        var fits = true
    }

    /// Seals records that a rename or a transaction has tied, as far as the batch has room.
    ///
    /// `entries`: the records that the batch has already, and `boxBytes` the size of their boxes.
    ///
    /// The deletion of an old record goes in one batch with the new record of its entry. A chain
    /// that is too long is cut at a record that one entry left and another took. The deletion of
    /// the first is sealed now; the second next time, with the deletion of its old record.
    ///
    /// If one record cannot be sent now, none is: without the new record, the tombstone of the old
    /// one would delete the entry. All of them wait until one is changed or pulled again.
    private func sealChain(
        endingAt end: OutboxTable.Waiting,
        after entries: [BatchTable.Entry],
        boxBytes: Int,
        _ state: inout SyncState,
        in database: Database
    ) throws -> ChainPart {
        let before = state
        var part = ChainPart()
        var obstacle: (record: RecordID, reason: BlockedReason)?
        try database.inSavepoint {
            var queue = [end]
            part.records = [end.record]
            var byteCount = boxBytes
            var next = 0
            while next < queue.count, obstacle == nil {
                let waiting = queue[next]
                next += 1
                var sources = try shelf.outbox.sources(of: waiting.record, in: database)
                    .filter { !part.records.contains($0.record) }
                // A transaction that is too large for one batch is sent in parts. Under a proxy's
                // limit the tie stays, since what goes first may be refused.
                if next > 1, entries.isEmpty, sources.isEmpty, byteCount > batchBytesMax / 2 {
                    if sizeLimit == nil {
                        try shelf.outbox.untie(waiting.record, in: database)
                    }
                    part.records.remove(waiting.record)
                    part.isCut = true
                    continue
                }
                if next == 1, entries.isEmpty {
                    for source in sources.dropFirst(Limits.batchRecordsMax - 1) {
                        try shelf.outbox.untie(source.record, in: database)
                        part.isCut = true
                    }
                    sources = Array(sources.prefix(Limits.batchRecordsMax - 1))
                }
                let count = entries.count + queue.count + sources.count
                let isWhole =
                    sources.isEmpty || next == 1
                    || (count <= Limits.batchRecordsMax && byteCount <= batchBytesMax / 2)
                if isWhole {
                    queue += sources
                    part.records.formUnion(sources.map(\.record))
                } else {
                    part.isCut = true
                }
                switch try sealRecord(waiting, isWhole: isWhole, &state, in: database) {
                case .entry(let entry):
                    part.entries.append(entry)
                    byteCount += entry.envelope.box.count
                case .nothing: break
                case .waits(let reason): obstacle = (waiting.record, reason)
                }
            }
            // Into an empty batch any record fits.
            part.fits = entries.isEmpty || byteCount <= batchBytesMax
            return obstacle == nil && part.fits ? .commit : .rollback
        }
        guard obstacle != nil || !part.fits else { return part }
        // Keeps a cursor that was cleared: the download is needed although the sealing was undone.
        let (cursor, completeSeq) = (state.cursor, state.completeSeq)
        state = before
        (state.cursor, state.completeSeq) = (cursor, completeSeq)
        guard let obstacle else { return ChainPart(fits: false) }
        let group = try shelf.outbox.group(of: end, in: database)
        try shelf.outbox.blockGroup(of: obstacle.record, because: obstacle.reason, in: database)
        return ChainPart(records: Set(group.map(\.record)))
    }

    /// Signs the sealed records as one batch and writes it to the database, before it is sent.
    ///
    /// The caller's transaction saves `state` too.
    func writeDown(
        _ entries: [BatchTable.Entry],
        _ state: inout SyncState,
        in database: Database
    ) throws -> Batch? {
        guard !entries.isEmpty else { return nil }
        let batch = keys.signer.batch(
            of: entries.map(\.envelope),
            epoch: state.epoch,
            circleVersion: state.circleVersion,
            generation: keys.keyRing.newestGeneration,
            previousChain: state.chain
        )
        sizes.requestsOfBatch = 0
        state.chain = BatchChain.extend(state.chain, with: batch.envelopes)
        try shelf.batches.save(batch, entries: entries, in: database)
        return batch
    }

    /// The result of sealing one record.
    private enum Sealed {
        case entry(BatchTable.Entry)
        /// There is nothing to send.
        case nothing
        case waits(BlockedReason)
    }

    /// `isWhole`: false seals only the deletion of the record's earlier entry.
    private func sealRecord(
        _ waiting: OutboxTable.Waiting,
        isWhole: Bool,
        _ state: inout SyncState,
        in database: Database
    ) throws -> Sealed {
        var found = try shelf.find(waiting.record, from: database)
        if found.rows.isHeldDeletion, found.record.edit != nil {
            try joinHeldDeletion(of: found.rows, in: database)
            found = try shelf.find(waiting.record, from: database)
        }
        var record = try repaired(found, waiting.kind, in: database).record
        // Without the mirror, an edit of one value would be sealed as a record without the others.
        guard !found.mirror.isDamaged else {
            state.askForAll()
            return .waits(.damaged)
        }
        let mirror = found.mirror.value
        if record.edit == nil, let mirror {
            // A damaged edit had no effect: the entry equals what the server holds.
            try settle(record, mirror, from: found, in: database)
            return .nothing
        }
        let halves = isWhole ? nil : record.edit?.halves
        if let halves { record.edit = halves.deletion }
        let work = record.seal(keepsDeleted: waiting.kind.keepsDeletedContents) { seen, clock in
            self.makeStamp(above: seen, clockMilliseconds: clock, &state)
        }
        var sealed = Sealed.nothing
        if let work {
            let replaced = try replacedDots(of: waiting.record, mirror, in: database)
            guard mirror.hasRoom(afterReplacing: replaced) else {
                return .waits(.siblingsUnreadable)
            }
            // An entry that has grown too large must not stop the others.
            guard let entry = try envelop(work, of: waiting, replacing: replaced, &state) else {
                return .waits(.tooLarge)
            }
            guard !isRefused(boxBytes: entry.envelope.box.count) else {
                return .waits(.proxyLimit)
            }
            sealed = .entry(entry)
        }
        try shelf.outbox.save(halves?.creation, of: waiting, in: database)
        if work == nil, halves == nil, let mirror, mirror.state?.isAlive == false {
            // The edit that kept the contents of a deleted record is gone.
            record.edit = nil
            try settle(record, mirror, from: found, in: database)
        }
        if halves != nil { try shelf.outbox.untie(waiting.record, in: database) }
        return sealed
    }

    /// The siblings that this device's write replaces: those that it opened, and those that the
    /// user gave up.
    func replacedDots(
        of record: RecordID,
        _ mirror: MirrorRow?,
        in database: Database
    ) throws -> [Dot] {
        guard let mirror else { return [] }
        guard !mirror.siblings.allSatisfy(\.isOpened) else { return mirror.replaceableDots }
        let givenUp = try Quarantine.givenUp(of: record, in: database)
        return mirror.siblings.filter { $0.isOpened || givenUp.contains($0.dot) }.map(\.dot)
    }

    /// Seals a record's new state under the actor's next dot.
    ///
    /// - Returns: nil if the state is too large to send; then no dot is used.
    func envelop(
        _ work: SealedEdit,
        of waiting: OutboxTable.Waiting,
        replacing replaced: [Dot],
        _ state: inout SyncState
    ) throws -> BatchTable.Entry? {
        guard work.state.isWithinBounds else { return nil }
        let text = work.state.encoded
        guard text.count <= waiting.kind.textBytesMax else { return nil }
        state.counter += 1
        let envelope = try keys.cipher.seal(
            text: text,
            recordID: waiting.record,
            dot: Dot(actor: state.actor, counter: state.counter),
            replaced: replaced,
            isTombstone: !work.state.isAlive,
            kind: waiting.kind
        )
        return BatchTable.Entry(envelope: envelope, work: work, text: text, waiting: waiting)
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

extension Optional where Wrapped == MirrorRow {
    /// Whether the record has room on the server for a write that replaces these siblings.
    func hasRoom(afterReplacing replaced: [Dot]) -> Bool {
        guard let self else { return true }
        return self.siblings.count - replaced.count < Limits.siblingsMax
    }
}
