internal import KSCausality
package import GRDB
package import KSDigests
internal import KSRecords
internal import KSResolution

// Every value in a backup has its stamp, so a restore is a join: twice is the same as once, and
// before a login the same as after it.

/// Writes the entries of one store into a backup, and restores them.
package struct EntryBackup<Store: SyncedStore> {
    private let store: Store
    /// Those of the account; nil on a device without one.
    private let keys: ReplicaKeys?
    private let clock: @Sendable () -> UInt64
    private let random: any RandomSource

    /// `clock`: milliseconds since 1970-01-01 00:00 UTC.
    package init(
        of store: Store,
        keys: ReplicaKeys?,
        clock: @escaping @Sendable () -> UInt64,
        random: any RandomSource
    ) {
        self.store = store
        self.keys = keys
        self.clock = clock
        self.random = random
    }

    /// An entry's record, as far as this device knows it.
    private struct Found {
        var record = LocalRecord()
        /// Whether a row of it is damaged; then the entry alone says what it is.
        var isDamaged = false
    }

    // MARK: Backup

    /// The records of all entries.
    ///
    /// What has no stamps yet gets them now, in the backup and on this device alike. So the account
    /// has everything once, whether this device sends it or one that the backup was restored on.
    /// Except in a batch without an answer, which is better taken apart before.
    ///
    /// `reference`: what programs remember the entry by. `report` is called for each entry, with
    /// its number and that of all.
    package func records(
        in database: Database,
        reference: (Store.Entry) -> [UInt8]? = { _ in nil },
        where isIncluded: (Store.Entry) -> Bool = { _ in true },
        report: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> [BackupRecord] {
        try states(in: database, where: isIncluded, report: report).map { entry, state in
            BackupRecord(kind: Store.kind, state: state, reference: reference(entry))
        }
    }

    /// Keeps the entries of an account that the device leaves, with what it knows of them.
    ///
    /// So they count once in whatever account it joins later.
    /// - Returns: how many there are.
    package func keepWithoutAccount(in database: Database) throws -> Int {
        let known = try states(in: database)
        let count = try store.keepWithoutAccount(in: database)
        try store.keepUnsent(
            known.map { (edit: PendingEdit(restoring: $0.state), entry: $0.entry) },
            in: database
        )
        return count
    }

    private func states(
        in database: Database,
        where isIncluded: (Store.Entry) -> Bool = { _ in true },
        report: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> [(entry: Store.Entry, state: RecordState)] {
        let unsent = keys == nil ? try store.unsentEdits(in: database) : [:]
        let makeStamp = StampSource(random: random)
        var stamped: [(edit: PendingEdit, entry: Store.Entry)] = []
        var states: [(entry: Store.Entry, state: RecordState)] = []
        let entries = try store.entries(in: database)
        for (index, entry) in entries.enumerated() where isIncluded(entry) {
            report(index + 1, entries.count)
            let found = try find(entry, unsent, in: database)
            var record = found.record
            // Without a readable record the entry itself says what it is.
            if record == LocalRecord() { try store.bring(&record, to: entry, now: clock()) }
            let state = record.stampUnsent(makeStamp: makeStamp.next)
            if record.edit != found.record.edit, !found.isDamaged, let edit = record.edit {
                stamped.append((edit, entry))
            }
            if let state { states.append((entry, state)) }
        }
        try keep(stamped, isNew: false, in: database)
        return states
    }

    // MARK: Restoring

    /// What the device has while it restores.
    private struct Present {
        /// What was done without an account, and the entries then, by canonical key.
        var unsent: [[UInt8]: PendingEdit] = [:]
        var entries: [[UInt8]: Store.Entry] = [:]
    }

    /// Joins the records of a backup with those of this device.
    ///
    /// The transaction makes it all or nothing. `undeletes`: whether what the account has deleted
    /// is made again. `whenDone` is called after each record, and `whenAdded` with each entry that
    /// was not here.
    package func restore(
        _ records: [BackupRecord],
        undeletes: Bool,
        in database: Database,
        whenDone: () -> Void = {},
        whenAdded: (Store.Entry, BackupRecord) throws -> Void = { _, _ in }
    ) throws -> RestoreCounts {
        var counts = RestoreCounts()
        var changed: [(edit: PendingEdit, entry: Store.Entry)] = []
        var present = Present()
        if keys == nil {
            present.unsent = try store.unsentEdits(in: database)
            for entry in try store.entries(in: database) {
                present.entries[entry.canonicalKey] = entry
            }
        }
        let makeStamp = StampSource(random: random)
        for backup in records {
            switch try join(backup, present, undeletes, makeStamp, in: database) {
            case .left(let reason): counts.leftOut[keyPath: reason] += 1
            case .unchanged: counts.unchanged += 1
            case .changed(let entry, let edit, let isNew):
                if let edit { changed.append((edit, entry)) }
                if isNew {
                    counts.added += 1
                    try whenAdded(entry, backup)
                } else {
                    counts.joined += 1
                }
            }
            whenDone()
        }
        try keep(changed, isNew: true, in: database)
        return counts
    }

    private enum Joined {
        case left(WritableKeyPath<RestoreCounts.LeftOut, Int>)
        case unchanged
        case changed(Store.Entry, PendingEdit?, isNew: Bool)
    }

    /// Joins one record, and makes the store show the result.
    private func join(
        _ backup: BackupRecord,
        _ present: Present,
        _ undeletes: Bool,
        _ makeStamp: StampSource,
        in database: Database
    ) throws -> Joined {
        guard let entry = Store.entry(of: backup.state) else { return .left(\.refused) }
        var found = Found()
        if keys != nil {
            found = try find(entry, [:], in: database)
        } else if let here = present.entries[entry.canonicalKey] {
            found = try find(here, present.unsent, in: database)
        }
        guard !found.isDamaged else { return .left(\.damagedHere) }
        var record = found.record
        // Of the device's values and those of the backup the later ones are shown.
        if keys == nil { _ = record.stampUnsent(makeStamp: makeStamp.next) }
        let change = record.restore(backup.state, undeletes: undeletes, atMilliseconds: clock())
        if change == .deleted { return .left(\.deleted) }
        // The store shows it already, and keeps what is unsent beside it.
        if change == .unchanged { return .unchanged }
        // Stamps that are not final have the same size.
        guard record.view.encoded.count <= Store.kind.textBytesMax else {
            return .left(\.tooLarge)
        }
        guard let shown = try store.show(record.view, in: database), shown.change != .refused,
            let entry = Store.entry(of: record.view)
        else { return .left(\.refused) }
        return .changed(
            entry,
            record.edit == found.record.edit ? nil : record.edit,
            isNew: change == .added
        )
    }

    // MARK: Records

    /// `unsent`: what was done without an account, by canonical key.
    private func find(
        _ entry: Store.Entry,
        _ unsent: [[UInt8]: PendingEdit],
        in database: Database
    ) throws -> Found {
        guard let keys else {
            var record = LocalRecord(edit: unsent[entry.canonicalKey])
            try store.bring(&record, to: entry, now: clock())
            return Found(record: record)
        }
        let id = keys.keyRing.recordID(of: entry, kind: Store.kind)
        let found = try RecordShelf(rows: keys.rows).find(id, from: database)
        guard found.isSentStateDamaged || found.edit.isDamaged else {
            return Found(record: found.record)
        }
        if found.mirror.isDamaged { try SyncStateTable.askForAll(in: database) }
        let mirror = found.mirror.value?.state
        let edit = Store.edit(
            beside: mirror,
            of: entry,
            atMilliseconds: min(entry.changedMilliseconds, clock())
        )
        return Found(record: LocalRecord(mirror: mirror, edit: edit), isDamaged: true)
    }

    /// Saves what is unsent; a newer edit goes behind all others.
    private func keep(
        _ edits: [(edit: PendingEdit, entry: Store.Entry)],
        isNew: Bool,
        in database: Database
    ) throws {
        guard !edits.isEmpty else { return }
        guard let keys else { return try store.keepUnsent(edits, in: database) }
        let outbox = RecordShelf(rows: keys.rows).outbox
        for (edit, entry) in edits {
            let waiting = OutboxTable.Waiting(
                record: keys.keyRing.recordID(of: entry, kind: Store.kind),
                kind: Store.kind,
                tiedTo: nil,
                protection: entry.protection
            )
            try outbox.save(edit, of: waiting, isNew: isNew, in: database)
        }
    }
}

/// Makes the stamps of what has none yet.
private final class StampSource {
    /// Nobody writes as this actor again: a copy of this device stamps as another one.
    private let actor: ActorID
    private let random: any RandomSource

    init(random: any RandomSource) {
        self.random = random
        actor = ActorID(rawValue: random.integer())
    }

    func next(above seen: HybridTime, clockMilliseconds: UInt64) -> Stamp {
        // Stamps have to rise within a record alone.
        let time = HybridTime.next(
            clockMilliseconds: clockMilliseconds,
            serverMilliseconds: nil,
            seen: seen,
            own: .zero,
            random: UInt16(truncatingIfNeeded: random.integer())
        )
        return Stamp(time: time, actor: actor)
    }
}

extension SyncedStore {
    /// Changes a record as its user did, who made `entry` of what it shows at its last change.
    ///
    /// `clock`: milliseconds since 1970.
    func bring(_ record: inout LocalRecord, to entry: Entry, now clock: UInt64) throws {
        let view = record.view
        let before = view.isAlive ? Self.entry(of: view) : nil
        if let before, shows(before, theSameAs: entry) { return }
        let time = min(entry.changedMilliseconds, clock)
        try change(&record, from: before, to: entry, atMilliseconds: time)
    }
}
