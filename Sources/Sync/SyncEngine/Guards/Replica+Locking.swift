package import GRDB
internal import KSRecords
internal import KSSealing

// The lock: with keys the replica applies an answer, without keys it only keeps it. The device may
// lock in the middle of a step. The transaction is then undone, and the step goes on without keys.

extension Replica {
    /// Whether the keys that open records are wiped.
    package var isLocked: Bool { keys.keyRing.isLocked }

    /// Tells the replica that its keys are back; its next request first applies what waits.
    package func noticeUnlock() {
        tell(.unlocked)
        // The first download ends with a pull whose records can be opened.
        if isBeforeFirstSync { tell(.serverNotice()) }
    }

    private var isBeforeFirstSync: Bool {
        // If this cannot be read, the next step of sync reports why.
        (try? database.unsafeRead { try SyncStateTable.isBeforeFirstSync(in: $0) }) ?? false
    }

    /// Runs `body`, which needs keys; returns nil if the device is locked or locks meanwhile.
    func withKeys<Result>(_ body: () throws -> Result) throws -> Result? {
        guard !isLocked else { return nil }
        let before = (report: report, machine: machine)
        do {
            return try body()
        } catch SealingError.classLocked {
            report = before.report
            machine.goBack(to: before.machine)
            return nil
        }
    }

    /// Handles an answer while the device is locked: it is applied after the unlock.
    func keep(_ answer: SyncAnswer, to request: SyncRequest) throws {
        // While records are compared nothing is kept: the same request is sent after the unlock.
        if answer != .failed, try reconciliation()?.step != nil {
            return tell(.waitsForUnlock(request.step))
        }
        switch (request, answer) {
        case (.pull(let after), .page(let page)):
            tell(.pageKept)
            try receivePage(page, after: after, hasKeys: false)
        // After the unlock the same request is sent again, and gets the same answer.
        case (.push, .pushed), (.circle, .circle): tell(.waitsForUnlock(request.step))
        case (_, .refused(let code, let records)):
            guard !request.takesApart(code, records) else { return tell(.waitsForUnlock(.push)) }
            try receiveRefusal(code, of: request, hasKeys: false)
        case (.returnCircle, .circleReturned):
            noteReturnAnswer()
            tell(.done(.returnCircle, hasMore: false))
        default: fail(request.step)
        }
    }

    /// Opens and applies the records that were pulled while the device was locked.
    func openWaiting() throws {
        var needsCircle = false
        // Otherwise the last page of the pull decides; there is one even if it brings nothing.
        let decides = machine.hasPulled
        var last: Int64? = 0
        while let after = last {
            last = try database.write { database in
                let page = try WaitingTable.oldest(after: after, in: database)
                for record in page.records {
                    if needsNewerKeys(record) {
                        needsCircle = true
                        continue
                    }
                    try WaitingTable.delete(record.id, in: database)
                    let rows = try shelf.rows(of: record.id, in: database)
                    try applyIfNew(record, rows, in: database)
                }
                if page.lastID == nil, decides { try decideDeletions(in: database) }
                return page.lastID
            }
        }
        if try !decides && database.unsafeRead({ try WaitingTable.hasUndecidedDeletions(in: $0) }) {
            tell(.serverNotice())
        }
        if needsCircle { tell(.circleNotice) }
    }

    /// Whether a record waits until the circle has been fetched, which brings its keys.
    ///
    /// A server that shows no such circle makes it wait once.
    private func needsNewerKeys(_ record: PageAnswer.Record) -> Bool {
        !machine.hasAskedForCircle && circleTrouble == nil
            && record.siblings.contains { $0.generation > keys.keyRing.newestGeneration }
    }
}

extension ReplicaKeys {
    /// Wipes the keys that only an unlocked device may use.
    package func lock() {
        keyRing.lock()
    }

    /// Reads back the keys that ``lock()`` wiped.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` while the device is locked.
    package func unlock(from database: any DatabaseWriter) throws {
        try database.unsafeRead { database in
            let ring = try AccountValueTable(rows: rows).load(.keyRing, from: database).orCorrupt()
            keyRing.unlock(with: try KeyRing(decoding: ring))
        }
    }
}
