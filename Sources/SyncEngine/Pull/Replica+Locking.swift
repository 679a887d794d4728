package import GRDB
internal import KSRecords
internal import KSSealing

// While the device is locked sync goes on as far as it needs no key: what is pulled waits unopened,
// and only batches that are sealed already are sent. A lock may fall in the middle of anything; the
// transaction is then undone, and what has to wait waits.

extension Replica {
    /// How many waiting records are opened in one transaction.
    private static let waitingRecordsMax = 500

    /// Whether the keys to the records are away.
    package var isLocked: Bool { keys.keyRing.isLocked }

    /// Says that the keys are there again: what waited is taken in before the next request.
    package func noticeUnlock() {
        pushWaitsForUnlock = false
        hasLookedForDamage = false
        if circleWaitsForUnlock { machine.handle(.circleNotice, nowMilliseconds: clock()) }
        circleWaitsForUnlock = false
        machine.handle(.retryNow, nowMilliseconds: clock())
    }

    /// Runs what needs keys; gives nil when the device is locked, or was in the middle of it.
    func ifUnlocked<Result>(_ body: () throws -> Result) throws -> Result? {
        guard !isLocked else { return nil }
        let before = report
        do {
            return try body()
        } catch SealingError.classLocked {
            report = before
            return nil
        }
    }

    /// Opens and applies what was pulled while the device was locked, and begins the actor that was
    /// wanted then.
    func takeWaiting() throws {
        try takeWaitingRecords()
        try takeWantedActor()
    }

    func takeWaitingRecords() throws {
        guard try database.unsafeRead({ try !WaitingTable.isEmpty(in: $0) }) else { return }
        var last: Int64? = 0
        while let after = last {
            let next: Int64?? = try ifUnlocked {
                try database.write { database in
                    let page = try WaitingTable.oldest(
                        Self.waitingRecordsMax,
                        after: after,
                        in: database
                    )
                    for record in page.records {
                        try WaitingTable.delete(record.id, in: database)
                        try takeIfNew(record, in: database)
                    }
                    return page.lastID
                }
            }
            guard let next else { return }
            last = next
        }
    }
}

extension ReplicaKeys {
    /// Wipes what only an unlocked device may use.
    package func lock() {
        keyRing.lock()
    }

    /// Reads back what ``lock()`` wiped.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` while the device is locked.
    package func unlock(from database: any DatabaseWriter) throws {
        try database.unsafeRead { database in
            let ring = try AccountValueTable(rows: rows).load(.keyRing, from: database).orCorrupt()
            keyRing.unlock(with: try KeyRing(decoding: ring))
        }
    }
}
