package import GRDB
package import KSKeychain
internal import KSRecords
internal import KSResolution
internal import KSSealing

/// Notes in the user's own transaction what has to go up (step 3 of a write).
///
/// What it keeps is the edit with the stamps that the user had seen, not bytes to send: those are
/// made when a batch is sealed.
package struct Outbox: ChangeRecorder {
    private let shelf: RecordShelf
    private let keyRing: KeyRing
    /// Milliseconds since 1970-01-01 00:00 UTC.
    private let clock: @Sendable () -> UInt64
    private let notice: CommitNotice

    /// `whenCommitted` runs once after each transaction that left something to send.
    package init(
        keys: ReplicaKeys,
        clock: @escaping @Sendable () -> UInt64,
        whenCommitted: @escaping @Sendable () -> Void
    ) {
        notice = CommitNotice(whenCommitted)
        shelf = RecordShelf(rows: keys.rows)
        keyRing = keys.keyRing
        self.clock = clock
    }

    package func record(_ change: ItemChange, in database: Database) throws {
        try record(change, atMilliseconds: clock(), in: database)
    }

    /// Notes a change that the user made at another time than now.
    func record(
        _ change: ItemChange,
        atMilliseconds clock: UInt64,
        in database: Database
    ) throws {
        notice.arm(in: database)
        switch change {
        case .added(let item):
            try modify(item, in: database) { record, _ in
                record.create(ItemFields.values(of: item), atMilliseconds: clock)
            }
        case .edited(let before, let after):
            try modify(after, in: database) { record, damage in
                if damage.isMirrorDamaged || damage.isEditDamaged {
                    record.edit = ItemFields.edit(
                        beside: record.mirror,
                        of: after,
                        atMilliseconds: clock
                    )
                } else {
                    record.set(
                        ItemFields.changes(from: before, to: after),
                        atMilliseconds: clock
                    )
                }
            }
        case .deleted(let before):
            try modify(before, in: database) { record, damage in
                record.delete(atMilliseconds: clock, isUnreadable: damage.isHeldDamaged)
            }
            let id = keyRing.recordID(forCanonicalKey: before.key.canonicalBytes)
            try shelf.outbox.moveTies(of: id, to: nil, in: database)
        case .renamed(let before, let after):
            try rename(before, to: after, atMilliseconds: clock, in: database)
        }
    }

    private func modify(
        _ item: Item,
        in database: Database,
        _ body: (_ record: inout LocalRecord, _ damage: RecordShelf.Found) -> Void
    ) throws {
        let id = keyRing.recordID(forCanonicalKey: item.key.canonicalBytes)
        let found = try find(id, in: database)
        var record = found.record
        body(&record, found)
        try save(record, id, of: item, in: database)
    }

    /// A record; where the mirror of it is damaged, all is asked for once more.
    private func find(_ id: RecordID, in database: Database) throws -> RecordShelf.Found {
        let found = try shelf.find(id, from: database)
        if found.isMirrorDamaged { try SyncStateTable.askForAll(in: database) }
        return found
    }

    private func rename(
        _ before: Item,
        to after: Item,
        atMilliseconds clock: UInt64,
        in database: Database
    ) throws {
        let sourceID = keyRing.recordID(forCanonicalKey: before.key.canonicalBytes)
        let targetID = keyRing.recordID(forCanonicalKey: after.key.canonicalBytes)
        let found = try find(sourceID, in: database)
        var source = found.record
        var target = try find(targetID, in: database).record
        // What was tied to the item's making goes on with it; otherwise it is the item's own
        // deletion that goes with its making anew. One that nobody else knows leaves no deletion.
        let hadTies = try shelf.outbox.moveTies(of: sourceID, to: targetID, in: database)
        let isKnown = source.edit?.deleting == nil
        if !found.isHeldDamaged, !found.isEditDamaged {
            LocalRecord.rename(
                &source,
                id: sourceID,
                to: &target,
                changes: ItemFields.changes(from: before, to: after),
                atMilliseconds: clock
            )
        } else {
            source.delete(atMilliseconds: clock, isUnreadable: found.isHeldDamaged)
            target.create(ItemFields.values(of: after), atMilliseconds: clock)
        }
        let movedTo = isKnown && !hadTies ? targetID : nil
        try save(source, sourceID, of: before, movedTo: movedTo, in: database)
        try save(target, targetID, of: after, in: database)
    }

    package func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        let id = keyRing.recordID(forCanonicalKey: key.canonicalBytes)
        let record: LocalRecord
        do {
            record = try shelf.load(id, from: database)
        } catch SealingError.classLocked {
            // Whoever asks would go on as if nothing were there.
            throw KeychainError.interactionNotAllowed
        }
        guard record != LocalRecord() else { return .unknown }
        let view = record.view
        guard view.isAlive else { return .deleted(milliseconds: record.deletedMilliseconds) }
        return ItemFields.item(of: view).map(RecordedItem.present) ?? .unknown
    }

    private func save(
        _ record: LocalRecord,
        _ id: RecordID,
        of item: Item,
        movedTo: RecordID? = nil,
        in database: Database
    ) throws {
        // Asked now, while the user can still do something about it, not when it is to be sent.
        if let edit = record.edit, edit.encoded.count > ItemState.encodedBytesMax / 2 {
            throw KeychainError.dataTooLarge
        }
        try shelf.outbox.save(
            record.edit,
            of: id,
            movedTo: movedTo,
            protection: item.accessibility.protectionClass,
            isNew: true,
            in: database
        )
    }
}
