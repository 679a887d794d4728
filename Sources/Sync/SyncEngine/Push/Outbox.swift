package import GRDB
internal import KSRecords
package import KSResolution
package import KSSealing

/// Records the user's changes as unsent edits, in the user's own transaction (step 3 of a write).
///
/// It keeps the edit with the stamps that the user had seen. The bytes to send are made later, when
/// a batch is sealed.
package struct Outbox<Store: SyncedStore> {
    private let shelf: RecordShelf
    private let keyRing: KeyRing
    /// Milliseconds since 1970-01-01 00:00 UTC.
    private let clock: @Sendable () -> UInt64
    /// What other devices show as the author of a change; nil shows none.
    private let deviceName: String?
    private let notice: CommitNotice

    /// `whenCommitted` runs once after each committed transaction that recorded a change.
    package init(
        keys: ReplicaKeys,
        clock: @escaping @Sendable () -> UInt64,
        deviceName: String? = nil,
        whenCommitted: @escaping @Sendable () -> Void
    ) {
        shelf = RecordShelf(rows: keys.rows)
        keyRing = keys.keyRing
        self.deviceName = deviceName
        self.clock = clock
        notice = CommitNotice(whenCommitted)
    }

    /// Records a change that the user makes now, or made at the given time.
    ///
    /// - Throws: ``SyncEngineError/tooLarge``, while the user can still act on it.
    package func note(
        _ change: EntryChange<Store.Entry>,
        atMilliseconds time: UInt64? = nil,
        in database: Database
    ) throws {
        let clock = time ?? clock()
        notice.arm(in: database)
        switch change {
        case .added(let entry):
            let unsent = try entry.unsent
            try modify(entry, in: database) { record, _ in
                if let unsent, record == LocalRecord() {
                    record.edit = unsent
                } else {
                    let values = entry.values.merging(writer) { value, _ in value }
                    record.create(values, atMilliseconds: clock)
                }
            }
        case .restored(let entry):
            let kept = try shelf.deletedHistories.edit(of: id(of: entry), in: database)
            try modify(entry, in: database) { record, _ in
                let values = entry.values.merging(writer) { value, _ in value }
                record.create(values, atMilliseconds: clock)
                if let kept { record.addHistory(of: kept, atMilliseconds: clock) }
            }
            try shelf.deletedHistories.delete(id(of: entry), in: database)
        case .edited(let before, let after):
            try modify(after, in: database) { record, found in
                if found.mirror.isDamaged || found.edit.isDamaged {
                    record.edit = Store.edit(
                        beside: record.mirror,
                        of: after,
                        atMilliseconds: clock
                    )
                } else {
                    record.set(changes(from: before, to: after), atMilliseconds: clock)
                }
            }
        case .deleted(let before):
            var view = RecordState()
            try modify(before, in: database) { record, found in
                view = record.view
                record.delete(
                    atMilliseconds: clock,
                    isUnreadable: found.isSentStateDamaged,
                    note: deviceName.map { DeletionNote(milliseconds: clock, device: $0) }
                )
            }
            try shelf.outbox.moveTies(of: id(of: before), to: nil, in: database)
            guard Store.asksAboutDeletions else { return }
            try shelf.keepHistory(
                of: view,
                id(of: before),
                protection: before.protection,
                atMilliseconds: clock,
                in: database
            )
        case .renamed(let before, let after):
            try rename(before, to: after, atMilliseconds: clock, in: database)
        }
    }

    /// The local record of a key; nil if this device knows nothing of it.
    package func record(
        forCanonicalKey key: [UInt8],
        in database: Database
    ) throws -> LocalRecord? {
        let id = keyRing.recordID(forCanonicalKey: key, kind: Store.kind)
        let record = try find(id, in: database).record
        return record == LocalRecord() ? nil : record
    }

    /// The records of the kind that can be read, and whether these are all.
    ///
    /// If a mirror is damaged, the next pull starts from the beginning.
    package func records(in database: Database) throws -> (readable: [LocalRecord], areAll: Bool) {
        var readable: [LocalRecord] = []
        let ids = try shelf.records(of: Store.kind, beginning: [], in: database)
        for id in ids {
            let found = try find(id, in: database)
            guard !found.isSentStateDamaged, !found.edit.isDamaged else { continue }
            readable.append(found.record)
        }
        return (readable, readable.count == ids.count)
    }

    /// Records an edit that the store has made itself, such as one of a merged value.
    ///
    /// - Throws: ``SyncEngineError/tooLarge``, while the user can still act on it.
    package func save(
        _ record: LocalRecord,
        forCanonicalKey key: [UInt8],
        protection: ProtectionClass,
        in database: Database
    ) throws {
        notice.arm(in: database)
        let id = keyRing.recordID(forCanonicalKey: key, kind: Store.kind)
        try save(record, id, protection: protection, in: database)
    }

    /// Forgets earlier values of an entry, on every device once that is sent.
    ///
    /// - Parameters:
    ///   - entry: as the store has it.
    ///   - database: in a transaction.
    ///   - isCarriedOut: false only to count them.
    ///   - isWhole: whether what earlier deletions of the key have kept is forgotten too.
    ///   - isForgotten: whether a value of its history is one of them.
    /// - Returns: how many are forgotten, or would be.
    /// - Throws: an error of the database, or of a locked device.
    package func forget(
        _ entry: Store.Entry,
        in database: Database,
        isCarriedOut: Bool,
        isWhole: Bool = false,
        where isForgotten: (PastValue) -> Bool
    ) throws -> Int {
        let id = id(of: entry)
        if isCarriedOut, isWhole { try shelf.deletedHistories.delete(id, in: database) }
        var record = try find(id, in: database).record
        let count = record.forget(atMilliseconds: clock(), where: isForgotten)
        guard count > 0, isCarriedOut else { return count }
        notice.arm(in: database)
        try save(record, id, protection: entry.protection, in: database)
        return count
    }

    /// Ties the unsent edits of these keys: one batch has all of them, if it has room.
    package func sendTogether(_ keys: [[UInt8]], in database: Database) throws {
        let ids = keys.map { keyRing.recordID(forCanonicalKey: $0, kind: Store.kind) }
        try shelf.outbox.tie(ids, in: database)
    }

    /// The name of this device, as a value of the record that it changes.
    private var writer: [ValueName: [UInt8]] {
        deviceName.map { [.writer: Array($0.utf8)] } ?? [:]
    }

    /// The changed values, with the name of this device.
    private func changes(
        from before: Store.Entry,
        to after: Store.Entry
    ) -> [ValueName: [UInt8]?] {
        var changes = after.changes(from: before)
        for (name, value) in writer { changes.updateValue(value, forKey: name) }
        return changes
    }

    private func id(of entry: Store.Entry) -> RecordID {
        keyRing.recordID(of: entry, kind: Store.kind)
    }

    private func modify(
        _ entry: Store.Entry,
        in database: Database,
        _ body: (_ record: inout LocalRecord, _ found: FoundRecord) -> Void
    ) throws {
        let id = id(of: entry)
        let found = try find(id, in: database)
        var record = found.record
        body(&record, found)
        try save(record, id, protection: entry.protection, in: database)
    }

    /// Loads a record; if its mirror is damaged, the next pull starts from the beginning.
    private func find(_ id: RecordID, in database: Database) throws -> FoundRecord {
        let found = try shelf.find(id, from: database)
        if found.mirror.isDamaged { try SyncStateTable.askForAll(in: database) }
        return found
    }

    private func rename(
        _ before: Store.Entry,
        to after: Store.Entry,
        atMilliseconds clock: UInt64,
        in database: Database
    ) throws {
        let (sourceID, targetID) = (id(of: before), id(of: after))
        let found = try find(sourceID, in: database)
        var source = found.record
        var target = try find(targetID, in: database).record
        // Deletions tied to the source now go with the target; if there are none, the source's own
        // deletion does. An entry added over an unsent deletion has none of its own.
        let hadTies = try shelf.outbox.moveTies(of: sourceID, to: targetID, in: database)
        let ownsDeletion = source.edit?.deleting == nil
        if !found.isSentStateDamaged, !found.edit.isDamaged {
            LocalRecord.rename(
                &source,
                id: sourceID,
                to: &target,
                changes: changes(from: before, to: after),
                by: deviceName,
                atMilliseconds: clock
            )
        } else {
            source.delete(
                atMilliseconds: clock,
                isUnreadable: found.isSentStateDamaged,
                note: deviceName.map {
                    DeletionNote(milliseconds: clock, device: $0, isMove: true)
                }
            )
            target.create(after.values.merging(writer) { value, _ in value }, atMilliseconds: clock)
        }
        let tiedTo = ownsDeletion && !hadTies ? targetID : nil
        try save(source, sourceID, protection: before.protection, tiedTo: tiedTo, in: database)
        try save(target, targetID, protection: after.protection, in: database)
    }

    private func save(
        _ record: LocalRecord,
        _ id: RecordID,
        protection: ProtectionClass,
        tiedTo: RecordID? = nil,
        in database: Database
    ) throws {
        if let edit = record.edit {
            // A deletion is always possible.
            let hasRoom = edit.isDeleteOnly || record.mirror?.isWithin(.edited) ?? true
            guard hasRoom, edit.isWithin(.received),
                edit.ownByteCount <= Store.kind.editBytesMax
            else { throw SyncEngineError.tooLarge }
        }
        try shelf.outbox.save(
            record.edit,
            of: .init(record: id, kind: Store.kind, tiedTo: tiedTo, protection: protection),
            isNew: true,
            in: database
        )
    }
}
