internal import GRDB
internal import KSCausality
package import KSRecords
package import KSResolution
internal import KSSealing

// The guard against others who delete most of what is here. A record that deletes an entry, or that
// the server has removed while this device was away, waits until the pull has ended. If there are
// too many of them, with those of the last day, all wait until the user has answered; the entries
// stay meanwhile, and can be read and changed as before.

/// What the user says about the deletions of other devices.
package enum DeletionAnswer: Sendable {
    /// The entries go here too.
    case accept
    /// The entries stay, and come back on the other devices; those that went first come back too.
    case keep
}

/// What happens to a record that deletes an entry.
enum DeletionHandling {
    /// It waits until the pull has ended.
    case hold
    /// There are few.
    case apply
    /// The user wants them.
    case accept
    /// The user does not want them.
    case keep
}

/// An entry that another device has deleted, and about which the user is asked.
package struct HeldDeletion: Sendable {
    package let record: RecordID
    /// What this device shows of it, or showed before it went.
    package let state: RecordState
    /// Who deleted it; nil if the record does not say so.
    package let note: DeletionNote?
}

extension Replica {
    /// How many entries others may delete within a day without a question.
    ///
    /// More are a question if they are more than half of all.
    package static let deletionsMax = 20

    /// How many records are answered in one transaction.
    private static let answersMax = 200

    /// Whether the record takes an entry away that this device shows.
    ///
    /// An entry that moved to another key is not deleted, and what this device itself has deleted
    /// is no question.
    func deletes(_ record: LocalRecord, _ kind: RecordKind, from found: FoundRecord) -> Bool {
        guard asksAboutDeletions(of: kind) else { return false }
        let view = record.view
        return !view.isAlive && view.deletionNote?.isMove != true && found.record.view.isAlive
    }

    func asksAboutDeletions(of kind: RecordKind) -> Bool {
        stores[kind].map { type(of: $0).asksAboutDeletions } ?? false
    }

    /// Makes a record wait until the pull has ended; `rows`: what was here before.
    func hold(
        _ received: PageAnswer.Record,
        _ rows: RecordRows,
        in database: Database
    ) throws {
        // What was a question stays one.
        let reason = rows.waitsForAnswer ? WaitingTable.Reason.answer : .endOfPull
        try WaitingTable.save(received, for: reason, in: database)
    }

    /// Applies the deletions of a pull that has ended, or makes them a question.
    func decideDeletions(in database: Database) throws {
        let count = try WaitingTable.deletionCount(forAnswer: false, in: database)
        guard count > 0 else { return }
        guard try !areQuestion(count, in: database) else {
            return try WaitingTable.ask(in: database)
        }
        var last: Int64? = 0
        while let after = last {
            let held = try WaitingTable.deletions(after: after, in: database)
            try handle(held, .apply, in: database)
            last = held.last?.rowID
        }
    }

    private func areQuestion(_ held: Int, in database: Database) throws -> Bool {
        guard try forgetOldRecent(in: database) else { return true }
        let recent = try shelf.recentDeletions.count(in: database)
        guard held + recent > Self.deletionsMax else { return false }
        var entries = recent
        for store in stores where type(of: store).asksAboutDeletions {
            entries += try shelf.mirrors.countEntries(of: type(of: store).kind, in: database)
        }
        return (held + recent) * 2 > entries
    }

    /// Forgets what was deleted more than a day ago, unless a question stands: the answer is about
    /// these deletions too, however late it comes.
    ///
    /// - Returns: false if a question stands.
    func forgetOldRecent(in database: Database) throws -> Bool {
        guard try WaitingTable.deletionCount(forAnswer: true, in: database) == 0 else {
            return false
        }
        try shelf.recentDeletions.deleteOld(atMilliseconds: clock(), in: database)
        return true
    }

    /// Remembers what a deletion takes away.
    func noteRecent(_ found: FoundRecord, in database: Database) throws {
        // Without an edit of this device, its stamps are final.
        guard let mirror = found.mirror.value, let state = mirror.state,
            found.record.edit == nil, found.record.onItsWay == nil
        else { return }
        try shelf.recentDeletions.save(
            state,
            of: mirror.record,
            mirror.kind,
            protection: protection(of: found.record, mirror.kind),
            atMilliseconds: clock(),
            in: database
        )
    }

    private func handle(
        _ held: [(rowID: Int64, record: RecordID, page: Kept<PageAnswer.Record>)],
        _ handling: DeletionHandling,
        in database: Database
    ) throws {
        for (_, id, received) in held {
            try WaitingTable.delete(id, in: database)
            switch received {
            case .kept(let received):
                let rows = try shelf.rows(of: id, in: database)
                try applyIfNew(received, rows, handling: handling, in: database)
            case .none: try remove(id, handling, in: database)
            // The record is pulled again.
            case .damaged: try SyncStateTable.askForAll(in: database)
            }
        }
    }

    /// Joins a record with its deletion, which waits, before an edit of this device is sealed: an
    /// edit that did not say what was deleted would bring all of that back.
    ///
    /// What the user has deleted here too is no question any more; any other deletion waits on.
    func joinHeldDeletion(of rows: RecordRows, in database: Database) throws {
        try WaitingTable.delete(rows.id, in: database)
        switch try rows.waiting() {
        case .kept(let received): try applyIfNew(received, rows, handling: .hold, in: database)
        case .none: try remove(rows.id, .hold, in: database)
        // The record is pulled again.
        case .damaged: try SyncStateTable.askForAll(in: database)
        }
    }

    /// Removes what the server has removed while this device was away, or makes it again.
    private func remove(
        _ id: RecordID,
        _ handling: DeletionHandling,
        in database: Database
    ) throws {
        let found = try shelf.find(id, from: database)
        // With a seq it is on the server again: this device has sent an edit since.
        guard let mirror = found.mirror.value, mirror.seq == 0, found.record.onItsWay == nil
        else { return }
        if handling == .apply { try noteRecent(found, in: database) }
        var vector = try SyncStateTable.shownVector(from: database)
        // Whatever else the server has lost, it had accepted these.
        for sibling in mirror.siblings { vector.raise(sibling.dot.actor, to: sibling.dot.counter) }
        _ = try compareAbsent(id, vector, isRemovalProven: true, in: database)
        // What the user has deleted here too since stays deleted.
        guard handling == .keep, found.record.view.isAlive else { return }
        var record = try shelf.find(id, from: database).record
        record.keep(found.record.view, atMilliseconds: clock())
        let shown = try stores[mirror.kind]?.show(record.view, in: database)
        if let shown { report.count(shown.change) }
        let protection = shown?.protection ?? .whenUnlocked
        try shelf.outbox.save(
            record.edit,
            of: .init(record: id, kind: mirror.kind, protection: protection),
            in: database
        )
    }

    /// Lets the deletions that wait be answered while this device compares its records with those
    /// of a server that went back: for it they are not there.
    func forgetPlacesOfDeletions(in database: Database) throws {
        var last: Int64? = 0
        while let after = last {
            let held = try WaitingTable.deletions(after: after, in: database)
            for (_, id, _) in held {
                guard let mirror = try shelf.find(id, from: database).mirror.value else { continue }
                try shelf.mirrors.forgetSeq(of: mirror, in: database)
            }
            last = held.last?.rowID
        }
    }

    /// Makes the entries again that were deleted within the day before the question.
    private func keepRecent(in database: Database) throws {
        let now = clock()
        for (id, state) in try shelf.recentDeletions.states(in: database) {
            let found = try shelf.find(id, from: database)
            guard let mirror = found.mirror.value else { continue }
            var record = found.record
            record.keep(state, atMilliseconds: now)
            try settle(record, mirror, from: found, in: database)
        }
    }

    // MARK: The user's answer

    /// How many deletions the user is asked about.
    func heldDeletionCount() throws -> Int {
        try database.unsafeRead { try self.heldDeletionCount(in: $0) }
    }

    func heldDeletionCount(in database: Database) throws -> Int {
        let held = try WaitingTable.deletionCount(forAnswer: true, in: database)
        guard held > 0 else { return 0 }
        return try held + shelf.recentDeletions.count(in: database)
    }

    /// The deletions about which the user is asked.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` while the device is locked.
    package func heldDeletions() throws -> [HeldDeletion] {
        try database.unsafeRead { database in
            guard try WaitingTable.deletionCount(forAnswer: true, in: database) > 0 else {
                return []
            }
            var deletions: [HeldDeletion] = []
            var last: Int64? = 0
            while let after = last {
                let held = try WaitingTable.deletions(after: after, in: database)
                for (_, id, received) in held where !received.isDamaged {
                    // Of what the server has removed, nobody says who deleted it.
                    let siblings = try received.value.map { try self.openPresent($0, in: database) }
                    let deleted = RecordState.join((siblings ?? []).compactMap(\.state))
                    let state = try self.shelf.load(id, from: database).view
                    // The user has deleted it here too since, so the answer changes nothing.
                    guard state.isAlive else { continue }
                    deletions.append(.init(record: id, state: state, note: deleted.deletionNote))
                }
                last = held.last?.rowID
            }
            for (id, state) in try self.shelf.recentDeletions.states(in: database) {
                let note = try self.shelf.load(id, from: database).view.deletionNote
                deletions.append(.init(record: id, state: state, note: note))
            }
            return deletions
        }
    }

    /// Deletes the entries about which the user is asked, or keeps all of them.
    ///
    /// A kill in the middle leaves the rest a question.
    /// - Throws: ``SealingError/classLocked(_:)`` while the device is locked.
    /// - Returns: how many there were.
    package func answerDeletions(_ answer: DeletionAnswer) throws -> Int {
        let count = try heldDeletionCount()
        var remain = count > 0
        while remain {
            remain = try database.write { database in
                let held = try WaitingTable.deletions(after: 0, in: database)
                let part = Array(held.prefix(Self.answersMax))
                // With the last ones, so that a kill before leaves them to the next answer.
                if part.count == held.count {
                    if answer == .keep { try self.keepRecent(in: database) }
                    try self.shelf.recentDeletions.deleteAll(in: database)
                }
                try self.handle(part, answer == .keep ? .keep : .accept, in: database)
                return part.count < held.count
            }
        }
        return count
    }
}
