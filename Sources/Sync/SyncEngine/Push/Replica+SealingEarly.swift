package import GRDB
internal import KSRecords
internal import KSSealing

// A small write is sealed in the user's own transaction, if sync would send it at once.

/// Seals the unsent edits in the transaction that wrote them.
package typealias EarlySealing = (Database) throws -> Void

extension Replica {
    /// Sealing more edits would make the user wait for them.
    static let earlyEditsMax = 8

    /// What seals the edits of the next transaction, if they would be the next to be sent.
    ///
    /// It saves a disk sync. Whatever prevents it, such as a batch on its way, a wait or a damaged
    /// row, is left to ``nextRequest()``.
    ///
    /// - Returns: nil if they are not the next. The result throws what the database throws; the
    ///   user's transaction fails then, too.
    package func earlySealing() throws -> EarlySealing? {
        guard try wouldPush() else { return nil }
        let before = try state()
        return { [self] database in
            earlyBatch = nil
            do {
                try database.inSavepoint {
                    let waiting = try shelf.outbox.oldest(Self.earlyEditsMax + 1, in: database)
                    guard waiting.count <= Self.earlyEditsMax else { return .rollback }
                    var state = before
                    earlyBatch = try sealBatch(of: waiting, &state, in: database)
                    try SyncStateTable.saveSealing(state, in: database)
                    return .commit
                }
                if let earlyBatch { assumeSealed(earlyBatch, in: database) }
            } catch let error as DatabaseError {
                throw error
            } catch {
                // The savepoint is undone. The next step of sync meets the error and handles it.
            }
        }
    }

    /// Spares the next step most questions to the tables.
    private func assumeSealed(_ batch: Batch, in database: Database) {
        known.assume(in: database) { [shelf] database in
            // The batch was saved in the same transaction.
            try shelf.batches.holds(batch, in: database)
        } change: { facts in
            facts.hasBatch = true
            facts.hasNoEdits = nil
            // The transaction may also have cleared the cursor.
            facts.state = nil
        }
    }

    /// Whether the next step would seal a batch and send it, if there were an edit.
    private func wouldPush() throws -> Bool {
        guard !isLocked, hasLookedForDamage, hasAskedAgain, !wantsNewActor, !sendsShrinkingFirst
        else { return false }
        var trial = machine
        guard trial.next(hasUnsent: true, nowMilliseconds: clock()) == .send(.push) else {
            return false
        }
        return try database.unsafeRead { database in
            try !hasBatch(in: database) && state(in: database).hold == nil
        }
    }
}
