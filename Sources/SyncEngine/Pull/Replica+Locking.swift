package import GRDB
internal import KSRecords
internal import KSSealing

// The lock stands in front of the replica: with the keys an answer is taken, without them it is
// only kept. A lock may fall in the middle of anything; the transaction is then undone, and all
// goes on as without keys.

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
    func withKeys<Result>(_ body: () throws -> Result) throws -> Result? {
        guard !isLocked else { return nil }
        let before = (report, machine)
        do {
            return try body()
        } catch SealingError.classLocked {
            (report, machine) = before
            return nil
        }
    }

    /// Keeps what came of a request for the unlock.
    func keep(_ answer: SyncAnswer, to request: SyncRequest) throws {
        switch (request, answer) {
        case (.pull(let after), .page(let page)):
            try receivePage(page, after: after, hasKeys: false)
        case (.push, .pushed):
            letPushWait()
        case (.push, .refused(let code, let records)) where request.takesApart(code, records):
            letPushWait()
        case (_, .refused(let code, _)):
            try receiveRefusal(code, of: request, hasKeys: false)
        case (.circle, .circle):
            circleWaitsForUnlock = true
            machine.handle(.done(.circle, hasMore: false), nowMilliseconds: clock())
        default:
            fail(request.step)
        }
    }

    /// What the server said of the batch is heard again after the unlock: it is sent once more
    /// then, and gets the same answer.
    private func letPushWait() {
        pushWaitsForUnlock = true
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: clock())
    }

    /// Opens and applies what was pulled while the device was locked.
    func openWaiting() throws {
        guard try database.unsafeRead({ try !WaitingTable.isEmpty(in: $0) }) else { return }
        var last: Int64? = 0
        while let after = last {
            last = try database.write { database in
                let page = try WaitingTable.oldest(
                    Self.waitingRecordsMax,
                    after: after,
                    in: database
                )
                for record in page.records {
                    try WaitingTable.delete(record.id, in: database)
                    let rows = try shelf.rows(of: record.id, in: database)
                    try takeIfNew(record, rows, in: database)
                }
                return page.lastID
            }
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
