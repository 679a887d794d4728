package import GRDB
package import KSCausality
package import KSKeyValues
package import KSRecords
package import KSResolution
package import KSSealing
package import KSSyncEngine

/// The key-value stores as a kind of record: each entry is one record.
package struct SyncedKeyValues: SyncedStore {
    package static var kind: RecordKind { .keyValue }

    private let store: KeyValueStores

    package init(_ store: KeyValueStores) {
        self.store = store
    }

    package static func entry(of state: RecordState) -> StoredEntry? { StoredEntry(state) }

    package static func conflictingStamps(of state: RecordState) -> [Stamp] {
        EntryReading.conflictingStamps(of: state)
    }

    package func hasRoom(for entry: StoredEntry, in database: Database) throws -> Bool {
        try store.hasRoom(for: entry, in: database)
    }

    package func show(
        _ entry: StoredEntry,
        isAlive: Bool,
        in database: Database
    ) throws -> ShownChange {
        // Noted with the last page of a first download, after its records.
        let isFirstSync = try SyncStateTable.isBeforeFirstSync(in: database)
        let origin = isFirstSync ? ChangeOrigin.firstSync : .account
        let isChanged =
            isAlive
            ? try store.keep(entry, from: origin, in: database)
            : try store.forget(entry.name, from: origin, in: database)
        return isChanged ? .changed : .unchanged
    }

    package func entries(in database: Database) throws -> [StoredEntry] {
        try store.entries(in: database)
    }

    package func isDeleted(_ entry: StoredEntry, in database: Database) throws -> Bool { false }

    package func keepWithoutAccount(in database: Database) throws -> Int {
        try store.keepWithoutAccount(in: database)
    }

    package func keepUnsent(
        _ edits: [(edit: PendingEdit, entry: StoredEntry)],
        in database: Database
    ) throws {
        for (edit, entry) in edits {
            try store.keepUnsent(edit, of: entry.name, in: database)
        }
    }

    package func note(device: String, in record: inout LocalRecord) {
        record.noteDevice(device)
    }

    package func forgetUnsent(in database: Database) throws {
        try store.clearUnsent(in: database)
    }

    package func shows(_ before: StoredEntry, theSameAs entry: StoredEntry) -> Bool {
        // Whether a counter overflows is not known of an entry that was kept without its record.
        before.encodedValue == entry.encodedValue && before.type == entry.type
    }

    package func change(
        _ record: inout LocalRecord,
        from before: StoredEntry?,
        to entry: StoredEntry,
        atMilliseconds clock: UInt64
    ) throws {
        try store.change(&record, from: before?.type, to: entry, atMilliseconds: clock)
    }

    package func madeAnew(_ entry: StoredEntry) throws -> StoredEntry {
        try store.madeAnew(entry) ?? entry
    }
}

extension Replica {
    /// The entries with an unseen conflict between declared types.
    package func conflictingEntries() throws -> [(record: RecordID, name: EntryName)] {
        try read { shelf, database in
            try shelf.mirrors.conflicts(of: .keyValue, in: database).compactMap { record in
                let view = try shelf.load(record, from: database).view
                return view.isAlive ? StoredEntry(view).map { (record, $0.name) } : nil
            }
        }
    }

    /// Marks the present conflicts of these entries as seen.
    package func markLookedAt(_ names: some Sequence<EntryName>) throws {
        try markLookedAt(
            names.map {
                keys.keyRing.recordID(forCanonicalKey: $0.canonicalBytes, kind: .keyValue)
            }
        )
    }
}

extension StoredEntry: SyncedEntry {
    package var canonicalKey: [UInt8] { name.canonicalBytes }

    /// The values that make an entry of this name and type.
    ///
    /// They do not include the parts of a merged value, which are in its record.
    package var values: [ValueName: [UInt8]] { name.values(type, encodedValue) }

    package var protection: ProtectionClass { EntryRows.protection }
}

/// Records every change of an entry in the outbox.
package struct KeyValueOutbox: EntryRecorder {
    package let deviceName: String
    private let outbox: Outbox<SyncedKeyValues>

    /// `whenCommitted` runs once after each committed transaction that recorded a change.
    package init(
        keys: ReplicaKeys,
        deviceName: String,
        clock: @escaping @Sendable () -> UInt64,
        whenCommitted: @escaping @Sendable () -> Void
    ) {
        self.deviceName = deviceName
        outbox = Outbox(keys: keys, clock: clock, whenCommitted: whenCommitted)
    }

    package func mergeLimits(in database: Database) throws -> MergeLimits {
        var limits = MergeLimits.standard
        limits.ownActor = try SyncStateTable.load(from: database)?.actor
        return limits
    }

    package func record(of name: EntryName, in database: Database) throws -> LocalRecord {
        try outbox.record(forCanonicalKey: name.canonicalBytes, in: database) ?? LocalRecord()
    }

    package func records(
        in database: Database
    ) throws -> (readable: [LocalRecord], areAll: Bool) {
        try outbox.records(in: database)
    }

    package func save(
        _ record: LocalRecord,
        of name: EntryName,
        in database: Database
    ) throws {
        do {
            try outbox.save(
                record,
                forCanonicalKey: name.canonicalBytes,
                protection: EntryRows.protection,
                in: database
            )
        } catch SyncEngineError.tooLarge {
            throw KeyValueError.limitExceeded(
                .stateBytes,
                wanted: record.edit?.encoded.count ?? 0,
                max: RecordKind.keyValue.editBytesMax
            )
        }
    }

    package func sendTogether(_ names: [EntryName], in database: Database) throws {
        try outbox.sendTogether(names.map(\.canonicalBytes), in: database)
    }
}
