internal import GRDB
internal import KSCausality
internal import KSDigests
internal import KSRecords
internal import KSResolution

// The server went back: this device compares its records with the server's, and puts both right.
// Facts on the disk decide what comes next, so a kill repeats one request at most.

extension Replica {
    /// How far this device is in comparing its records with a server that went back, or what it
    /// last found; nil if no server went back.
    package func reconciliation() throws -> Reconciliation? {
        try database.unsafeRead { try ReconciliationTable.load(from: $0) }
    }

    /// How many records were not compared yet.
    package func uncomparedCount() throws -> Int {
        try database.unsafeRead { try ReconciliationTable.countMarked(in: $0) }
    }

    /// Begins to compare all records with the server's, or begins again.
    ///
    /// It needs no keys; the steps do.
    ///
    /// `isServersWord`: whether the server says that it went back, which it may say too often.
    func beginReconciliation(
        _ reason: Reconciliation.Reason,
        isServersWord: Bool = true
    ) throws {
        let now = clock()
        try database.write { database in
            let earlier = try ReconciliationTable.load(from: database)
            let begun = Reconciliation(
                reason,
                after: earlier,
                counts: isServersWord,
                nowMilliseconds: now
            )
            try ReconciliationTable.save(begun, in: database)
        }
        (announced, pulledVector) = (nil, VersionVector())
        tell(.serverWentBack)
    }

    /// Ends the wait of a device that has begun too often: its user asks it to sync.
    ///
    /// It compares once more. If the server then says again that it went back, the wait is longer.
    package func endReconciliationWait() throws {
        guard var waiting = try reconciliation(), waiting.hasBegunTooOften else { return }
        waiting.dueMilliseconds = waiting.startMilliseconds
        try database.write { try ReconciliationTable.save(waiting, in: $0) }
    }

    /// Prepares the download, once the circle was asked for and no batch is on its way: from now on
    /// a mirror says what the server had, and not what it has.
    ///
    /// The device goes on as a new actor, since the server has closed or forgotten the one before.
    func beginDownload() throws {
        try changeState { state, database in
            guard var begun = try ReconciliationTable.load(from: database) else { return }
            // What others deleted before the server went back is no value to put up.
            try self.decideDeletions(in: database)
            try SyncStateTable.forgetShown(in: database)
            // What cannot be opened here is asked for again. If it is lost, its author knows it.
            for sibling in try WaitingTable.siblings(in: database) {
                let rows = try self.shelf.rows(of: sibling.recordID, in: database)
                let known = rows.clearMirror.value?.siblings ?? []
                guard !known.contains(where: { $0.dot == sibling.dot }) else { continue }
                try SyncStateTable.forget(sibling.dot, in: database)
            }
            try WaitingTable.forgetPages(in: database)
            try self.forgetPlacesOfDeletions(in: database)
            try Return.forget(in: database)
            try ReconciliationTable.markAll(in: database)
            (state.cursor, state.completeSeq, state.epoch) = (nil, nil, .unknown)
            state.take(ActorID(rawValue: random.integer()))
            begun.step = .download
            try ReconciliationTable.save(begun, in: database)
        }
        pulledVector = VersionVector()
        machine.finish(.takeNewActor)
        isCopy = false
        try savePins()
    }

    /// How many records that no page has shown are compared in one transaction.
    private static var restPageMax: Int { 500 }

    /// Compares the records that no page has shown, after the last page; `accepted`: its vector.
    func compareRest(accepted: VersionVector) throws {
        let actor = try state().actor
        var areAllCompared = false
        while !areAllCompared {
            areAllCompared = try database.write { database in
                guard var reconciliation = try ReconciliationTable.load(from: database) else {
                    return true
                }
                let marked = try ReconciliationTable.marked(
                    Self.restPageMax,
                    for: actor,
                    in: database
                )
                for record in marked {
                    _ = try ReconciliationTable.takeMark(of: record, in: database)
                    let outcome = try self.compareAbsent(
                        record,
                        accepted,
                        // The server says which records it lacks. A person is asked about many.
                        isRemovalProven: reconciliation.reason == .resyncRequired,
                        holds: true,
                        in: database
                    )
                    reconciliation.found.count(outcome)
                }
                if marked.isEmpty {
                    let shown = try SyncStateTable.shownVector(from: database)
                    try SyncStateTable.raise(to: accepted, above: shown, in: database)
                    reconciliation.step = .upload
                    reconciliation.dueMilliseconds = self.clock()
                    if try self.shelf.outbox.hasPutUps(in: database) {
                        let wait = self.random.integer() % (Reconciliation.spreadMilliseconds + 1)
                        reconciliation.dueMilliseconds += wait
                    }
                }
                try ReconciliationTable.save(reconciliation, in: database)
                return marked.isEmpty
            }
        }
    }

    /// The server's vector lacks these writes: a request that raises it, or nil once it does not.
    func raiseRequest() throws -> SyncRequest? {
        let lacking = try database.unsafeRead { try SyncStateTable.unshownVector(from: $0) }
        guard !lacking.isEmpty else {
            try endReconciliation()
            return nil
        }
        return .raise(to: lacking, epoch: try state().epoch)
    }

    /// Ends it; `vector`: what the server's vector was raised to.
    func endReconciliation(raisedTo vector: VersionVector = VersionVector()) throws {
        let now = clock()
        try database.write { database in
            try SyncStateTable.raise(to: vector, in: database)
            guard var ended = try ReconciliationTable.load(from: database) else { return }
            (ended.step, ended.endedMilliseconds) = (nil, now)
            try ReconciliationTable.save(ended, in: database)
        }
    }
}

extension Reconciliation.Found {
    mutating func count(_ outcome: RecordDecision.Outcome) {
        switch outcome {
        case .putUp: putUp += 1
        case .deletedAgain: deletedAgain += 1
        case .missing: missing += 1
        case .same, .taken, .removed: break
        }
    }
}

extension StoreEpoch {
    /// Stands for the epoch of a server that went back, until its first page tells.
    static let unknown = StoreEpoch(validated: [UInt8](repeating: 0, count: byteCount))
}
