internal import GRDB

// What the device's tables say before a step, and what is done with its own rows first.

extension Replica {
    /// What the tables say now.
    func facts() throws -> SyncFacts {
        try database.unsafeRead { database in
            let state = try self.state(in: database)
            var facts = SyncFacts()
            facts.hasBatch = try self.shelf.batches.exists(in: database)
            facts.hasEdits = try !self.shelf.outbox.isEmpty(in: database)
            facts.hasWaiting = try !WaitingTable.isEmpty(in: database)
            facts.hasCursor = state.cursor != nil
            facts.isPullingAll = state.completeSeq != nil
            facts.pause = state.hold
            guard let reconciliation = try ReconciliationTable.load(from: database),
                let step = reconciliation.step
            else { return facts }
            facts.reconciling = step
            facts.reconcilingWaitMilliseconds = reconciliation.waitEnd(
                nowMilliseconds: self.clock()
            )
            facts.hasPutUps = try self.shelf.outbox.hasPutUps(in: database)
            return facts
        }
    }

    /// Does with the device's rows what is due of these preparations.
    ///
    /// - Returns: what the tables say, if nothing was done.
    @discardableResult
    func prepare(
        _ wanted: [SyncMachine.Preparation] = SyncMachine.Preparation.allCases
    ) throws -> SyncFacts? {
        guard wanted.contains(where: machine.mayBeDue) else { return nil }
        let facts = try facts()
        let due = machine.preparations(facts).filter(wanted.contains)
        for preparation in due {
            switch preparation {
            case .openWaiting: try openWaiting()
            case .beginDownload: try beginDownload()
            case .takeNewActor: try takeNewActor()
            case .lookForDamage: try lookForDamage()
            case .askAgain: try database.write { try self.askAgain(in: $0) }
            }
            machine.finish(preparation)
        }
        return due.isEmpty ? facts : nil
    }
}
