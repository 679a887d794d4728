internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSResolution
internal import KSSealing

// A device that left an account with its items joins the same account again. It goes on from what
// it knew of the account's records, so it sends what it had not sent and what changed meanwhile,
// and no second copy of what the account has.

enum Return {
    /// Prepares the tables of a device that joins an account.
    ///
    /// - Returns: whether it returns to the account that it left, in the same life of the server's
    ///   store. Otherwise all that it knew of that account is deleted.
    static func prepare(_ state: inout SyncState, in database: Database) throws -> Bool {
        let departed = try database.rows(
            "SELECT account, epoch, own_time FROM departed_account WHERE epoch IS NOT NULL"
        )
        guard let row = departed.first, try row.fixed("account") == state.account,
            try row.fixed("epoch") == state.epoch
        else {
            for table in Departure.recordTables {
                try database.execute(sql: "DELETE FROM \(table)")
            }
            return false
        }
        state.ownTime = HybridTime(rawValue: try row.unsigned("own_time"))
        try database.run("DELETE FROM departed_account")
        try database.run("INSERT OR IGNORE INTO unconfirmed_mirror SELECT record FROM mirror")
        return true
    }

    /// Forgets which records wait for the first download: all are compared with the server's.
    static func forget(in database: Database) throws {
        try database.run("DELETE FROM unconfirmed_mirror")
    }

    /// Whether the first download after a return has not ended.
    static func isUnderWay(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM unconfirmed_mirror")
    }

    /// Notes that a page has brought a record.
    static func confirm(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM unconfirmed_mirror WHERE record = ?", [record.column])
    }
}

/// Records the entries of a device that joins an account as unsent edits.
struct JoiningEntries<Store: SyncedStore> {
    let store: Store
    let shelf: RecordShelf
    let keyRing: KeyRing
    let outbox: Outbox<Store>
    let deviceName: String
    let clock: @Sendable () -> UInt64

    typealias Note = (time: UInt64, write: () throws -> Void)

    /// When each entry was last changed, and the call that records it in the outbox.
    ///
    /// `isReturn`: whether the tables hold what the device knew of this account.
    func notes(isReturn: Bool, in database: Database) throws -> [Note] {
        let entries = try store.entries(in: database)
        if isReturn { try dropEdits(exceptOf: entries, in: database) }
        let unsent = try store.unsentEdits(in: database)
        return entries.map { entry in
            let time = min(entry.changedMilliseconds, clock())
            let made = unsent[entry.canonicalKey]
            func write() throws {
                try note(entry, made, isReturn: isReturn, atMilliseconds: time, in: database)
            }
            return (time, write)
        }
    }

    /// `made`: what the user did to the entry, and restored, while the device had no account.
    private func note(
        _ entry: Store.Entry,
        _ made: PendingEdit?,
        isReturn: Bool,
        atMilliseconds time: UInt64,
        in database: Database
    ) throws {
        let id = keyRing.recordID(of: entry, kind: Store.kind)
        let found = isReturn ? try shelf.find(id, from: database) : nil
        // An unreadable mirror is downloaded again, and the entry goes beside it. A mirror that the
        // vector covers must stay: without it the record would seem to come back.
        guard let found, !found.isSentStateDamaged, found.record != LocalRecord() else {
            guard let made, found?.isSentStateDamaged != true else {
                return try outbox.note(.added(entry), atMilliseconds: time, in: database)
            }
            var record = LocalRecord(edit: made)
            try store.bring(&record, to: entry, now: clock())
            return try save(record, of: entry, in: database)
        }
        var record = found.record
        if let restored = made?.restored {
            // An entry that the account had deleted is only here because a backup had it.
            guard record.restore(restored, atMilliseconds: time) != .deleted else { return }
        }
        let view = record.view
        if view.isAlive, let before = Store.entry(of: view) {
            // A page that came while the edit was in a batch has shown what the batch's stamps
            // show. When the batch was taken apart, the entry stayed as it was.
            let sent = Store.entry(of: record.viewOnceSent)
            let known = [before, sent].compactMap(\.self)
            guard !known.contains(where: { store.shows($0, theSameAs: entry) }) else {
                if record != found.record { try save(record, of: entry, in: database) }
                return
            }
            try store.change(&record, from: before, to: entry, atMilliseconds: time)
        } else if let made {
            // It was deleted, and made again without the account.
            record.makeAgain(by: made)
        } else {
            try store.change(&record, from: nil, to: entry, atMilliseconds: time)
        }
        try save(record, of: entry, in: database)
    }

    private func save(
        _ record: LocalRecord,
        of entry: Store.Entry,
        in database: Database
    ) throws {
        var record = record
        store.note(device: deviceName, in: &record)
        try outbox.save(
            record,
            forCanonicalKey: entry.canonicalKey,
            protection: entry.protection,
            in: database
        )
    }

    /// Drops the unsent edits of entries that were there when the device left, and that the user
    /// has deleted since.
    ///
    /// The account's value comes back with the first download. An unsent deletion stays.
    private func dropEdits(exceptOf entries: [Store.Entry], in database: Database) throws {
        let kept = Set(entries.map { keyRing.recordID(of: $0, kind: Store.kind) })
        let departed = try database.rows("SELECT record FROM departed_entry ORDER BY record")
        for row in departed {
            let id: RecordID = try row.fixed("record")
            guard !kept.contains(id),
                let waiting = try shelf.outbox.waiting("record = ?", id.column, in: database).first,
                waiting.kind == Store.kind,
                try shelf.load(id, from: database).view.isAlive
            else { continue }
            try drop(waiting, in: database)
        }
    }

    private func drop(_ waiting: OutboxTable.Waiting, in database: Database) throws {
        try shelf.outbox.save(nil, of: waiting, in: database)
        let sources = try shelf.outbox.sources(of: waiting.record, in: database)
        for source in sources where source.kind == .keychain {
            // The account has a renamed item under its old name, whose deletion is a part of the
            // rename. Other ties are those of one transaction: the other keys keep their edits.
            let edit = try shelf.load(source.record, from: database).edit
            if edit?.isDeleteOnly == true { try drop(source, in: database) }
        }
    }
}

extension Replica {
    /// Adds those entries again that a returning device has and the account does not list, at the
    /// end of the first download.
    ///
    /// Either all devices have applied a deletion while this one was away for long, or the server
    /// hides them. Nobody can tell these apart, and in the second case they would be lost.
    func addUnconfirmed(in database: Database) throws {
        let records = try database.rows("SELECT record FROM unconfirmed_mirror ORDER BY record")
        for row in records {
            let id: RecordID = try row.fixed("record")
            let found = try shelf.find(id, from: database)
            // A damaged row stays for the repair.
            guard let kind = found.mirror.value?.kind, let store = stores[kind],
                !found.isSentStateDamaged, !found.edit.isDamaged
            else { continue }
            try shelf.forget(id, in: database)
            try add(found.record.view, to: store, in: database)
        }
        try database.run("DELETE FROM unconfirmed_mirror")
    }

    private func add<Store: SyncedStore>(
        _ view: RecordState,
        to store: Store,
        in database: Database
    ) throws {
        guard view.isAlive, let entry = Store.entry(of: view) else { return }
        let outbox = Outbox<Store>(keys: keys, clock: clock, whenCommitted: {})
        try outbox.note(
            .added(try store.madeAnew(entry)),
            atMilliseconds: min(entry.changedMilliseconds, clock()),
            in: database
        )
    }
}

extension RecordShelf {
    /// Deletes a record's mirror and unsent edit.
    fileprivate func forget(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM mirror WHERE record = ?", [record.column])
        try database.run("DELETE FROM outbox WHERE record = ?", [record.column])
        try database.run("DELETE FROM sibling_quarantine WHERE record = ?", [record.column])
    }
}
