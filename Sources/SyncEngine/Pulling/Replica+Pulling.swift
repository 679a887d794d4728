internal import Causality
internal import GRDB
internal import Records
internal import Resolution

// Step 9: pages of changes from the cursor on.

extension Replica {
    func receivePage(_ page: PageAnswer) throws {
        guard page.records.allSatisfy({ !$0.siblings.isEmpty }) else { return fail(.pull) }
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
        let isTaken: Void? = try ifUnlocked {
            try database.write { try self.take(page, isLocked: false, in: $0) }
        }
        if isTaken == nil {
            try database.write { try self.take(page, isLocked: true, in: $0) }
        }
        machine.handle(.done(.pull, hasMore: page.hasMore), nowMilliseconds: clock())
        if page.vector[known.state.actor] > known.state.counter {
            // Somebody else writes as this device: a clone, or this is an older copy of it.
            if try ifUnlocked({ try takeNewActor() }) == nil { forkWaitsForUnlock = true }
        }
        try notice(seq: 0, circleVersion: page.circleVersion)
    }

    private func take(_ page: PageAnswer, isLocked: Bool, in database: Database) throws {
        for record in page.records {
            if let seq = try WaitingTable.seq(of: record.id, in: database) {
                if record.seq < seq { continue }
                try WaitingTable.delete(record.id, in: database)
            }
            if isLocked {
                try WaitingTable.save(record, in: database)
            } else {
                try takeIfNew(record, in: database)
            }
        }
        var state = try SyncStateTable.load(from: database).orNoAccount()
        state.cursor = page.cursor
        if !page.hasMore {
            // Only with the last page: before, it covers what has not been seen yet.
            try SyncStateTable.raise(to: page.vector, in: database)
            state.lastSuccessMilliseconds = clock()
        }
        try SyncStateTable.save(state, in: database)
        report.pulledRecords += page.records.count
    }

    func takeIfNew(_ record: PageAnswer.Record, in database: Database) throws {
        // An older sight of a record than what is known already, as after an own push.
        if let seq = try shelf.mirrors.seq(of: record.id, in: database), record.seq < seq { return }
        try take(record, in: database)
    }

    /// The record's siblings take the place of what the mirror held.
    private func take(_ received: PageAnswer.Record, in database: Database) throws {
        let old = try shelf.mirrors.load(received.id, from: database)
        var siblings: [MirrorRow.Sibling] = []
        var states: [ItemState] = []
        // Which write replaces which is bound into the boxes; the server may not have followed it.
        // Of a box that does not open nothing is believed.
        let all = try received.siblings.map { ($0, try open($0, of: received.id)) }
        let replaced = Set(all.filter(\.1.isState).flatMap(\.0.replaced))
        try Quarantine.clear(received.id, in: database)
        for (envelope, opened) in all where !replaced.contains(envelope.dot) {
            switch opened {
            case .state(let state):
                states.append(state)
            case .quarantined(let reason):
                try Quarantine.save(envelope, reason: reason, in: database)
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
            seq: received.seq,
            siblings: siblings,
            content: .state(joined)
        )
        try noteSiblings(of: received.id, opened, joined: joined, in: database)
        var record = try shelf.load(received.id, mirror: mirror, from: database)
        try settle(&record, mirror, in: database)
    }
}

extension Replica.Opened {
    fileprivate var isState: Bool {
        if case .state = self { true } else { false }
    }
}
