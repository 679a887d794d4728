package import GRDB
package import KSDigests
package import KSKeyValues
package import KSResolution
package import KSDeviceKeys
internal import KSSealing
internal import KSSyncEngine

/// All key-value stores of a device.
///
/// Its calls are synchronous, on the queue that owns the database. Entries are kept in memory once
/// a store was used: reading needs no disk.
package final class KeyValueStores {
    /// Notes changes for the account; nil while the device has none.
    package var recorder: (any EntryRecorder)?
    /// Called after each commit, with every store whose entries changed.
    package var whenChanged: (@Sendable ([StoreChange]) -> Void)?

    let database: any DatabaseWriter
    let rows: EntryRows
    private let clock: @Sendable () -> UInt64
    private let random: any RandomSource
    private var memory: Memory?
    private var changes: [StoreChange] = []
    /// The names in ``changes``, by where the change came from.
    private var changed: [ChangeOrigin: Set<EntryName>] = [:]
    /// Watches the open transaction, whose changes the memory already has.
    private var watch: TransactionWatch?
    /// The writer of the writes that are being carried out.
    private var writer: [UInt8]?

    /// What the rows hold.
    final class Memory {
        var entries: [EntryName: (row: Int64, entry: StoredEntry)] = [:]
        var sizes: [StoreIdentifier: (keys: Int, bytes: Int)] = [:]
        /// The rows that could not be read.
        var damaged: [Int64] = []

        func set(_ entry: StoredEntry, row: Int64) { set([(row, entry)]) }

        /// Sets many entries, with one look-up in ``sizes`` for successive ones of a store.
        func set(_ rows: [(row: Int64, entry: StoredEntry)]) {
            entries.reserveCapacity(entries.count + rows.count)
            var (store, size) = (StoreIdentifier?.none, (keys: 0, bytes: 0))
            for (row, entry) in rows {
                if entry.name.store != store {
                    if let store { sizes[store] = size }
                    store = entry.name.store
                    size = sizes[entry.name.store] ?? (0, 0)
                }
                let old = entries.updateValue((row, entry), forKey: entry.name)?.entry
                size.keys += old == nil ? 1 : 0
                size.bytes += entry.valueBytes - (old?.valueBytes ?? 0)
            }
            if let store { sizes[store] = size }
        }

        func limits(of store: StoreIdentifier) -> KeyValueLimits {
            KeyValueLimits(of: store) { key in
                entries[EntryName(store: .limitSettings, key: key)]?.entry.value
            }
        }

        func remove(_ name: EntryName) {
            guard let old = entries.removeValue(forKey: name)?.entry else { return }
            let size = sizes[name.store] ?? (0, 0)
            sizes[name.store] = (size.keys - 1, size.bytes - old.valueBytes)
        }
    }

    /// - Parameters:
    ///   - database: the keychain's, with the tables of ``KeyValueSchema``.
    ///   - cipher: seals the rows.
    ///   - clock: milliseconds since 1970-01-01 00:00 UTC.
    ///   - random: for revisions, ids and positions.
    package init(
        database: any DatabaseWriter,
        cipher: RowCipher,
        clock: @escaping @Sendable () -> UInt64,
        random: any RandomSource
    ) {
        self.database = database
        rows = EntryRows(cipher: cipher, random: random)
        self.clock = clock
        self.random = random
    }

    // MARK: Reading

    /// The entries of a store, in the order of the keys' bytes.
    package func entries(of store: StoreIdentifier) throws -> [StoredEntry] {
        try database.unsafeRead { database in
            let entries = try loaded(database).entries.values
                .compactMap { $0.entry.name.store == store ? $0.entry : nil }
            // Sorts numbers by keys: a program reads thousands of entries, each of them large.
            let keys = entries.map(\.name.key)
            return keys.indices.sorted { keys[$0].compareBytes(with: keys[$1]) < 0 }
                .map { entries[$0] }
        }
    }

    /// The entries that have these names, in any order.
    package func entries(named names: Set<EntryName>) throws -> [StoredEntry] {
        try database.unsafeRead { database in
            let entries = try loaded(database).entries
            return names.compactMap { entries[$0]?.entry }
        }
    }

    /// The entries of all stores, by store and key.
    package func all() throws -> [StoredEntry] {
        try database.unsafeRead { try entries(in: $0) }
    }

    /// The limits of a store, as the account's owner has set them.
    package func limits(of store: StoreIdentifier) throws -> KeyValueLimits {
        try database.unsafeRead { try loaded($0).limits(of: store) }
    }

    /// How many keys a store has, and the bytes of all its encoded values.
    package func size(of store: StoreIdentifier) throws -> (keys: Int, bytes: Int) {
        try database.unsafeRead { try loaded($0).sizes[store] ?? (0, 0) }
    }

    /// How many entries there are, also before the first unlock.
    package func entryCount() throws -> Int {
        try database.unsafeRead { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM key_value_entry") ?? 0
        }
    }

    /// How many rows could not be read; 0 before the first unlock, when none can.
    package func unreadableRows() throws -> Int {
        do {
            return try countUnreadable()
        } catch SealingError.classLocked {
            return 0
        }
    }

    private func countUnreadable() throws -> Int {
        try database.unsafeRead { try loaded($0).damaged.count }
    }

    /// What an entry's record holds: beside the shown value also what is not shown of it.
    package func state(of name: EntryName) throws -> RecordState {
        try database.unsafeRead { database in
            if let recorder { return try recorder.record(of: name, in: database).view }
            let entry = try loaded(database).entries[name]?.entry
            return LocalRecord(edit: try entry?.unsent).view
        }
    }

    package func entries(in database: Database) throws -> [StoredEntry] {
        try loaded(database).entries.values.map(\.entry).sorted { $0.name < $1.name }
    }

    func loaded(_ database: Database) throws -> Memory {
        if let watch, watch.isOver {
            watch.end()
            ended(isCommitted: false)
        }
        if let memory { return memory }
        let memory = Memory()
        let (entries, damaged) = try rows.load(from: database)
        memory.set(entries)
        memory.damaged = damaged
        self.memory = memory
        return memory
    }

    // MARK: Writing

    /// Carries out writes of one store, all in one transaction.
    ///
    /// A write that is refused changes nothing.
    /// - Parameters:
    ///   - writes: in their order.
    ///   - store: whose entries are written.
    ///   - batch: identifies the writes, so that a repeated call does nothing.
    ///   - isAtomic: whether nothing is written if one write is refused; otherwise the others are.
    /// - Returns: why each refused write was refused, by its place.
    /// - Throws: what the database or a sealed row throws; nothing is written then.
    package func write(
        _ writes: some RandomAccessCollection<KeyWrite>,
        to store: StoreIdentifier,
        batch: WriteBatchID? = nil,
        isAtomic: Bool = false
    ) throws -> [Int: KeyValueError] {
        var refusals: [Int: KeyValueError] = [:]
        writer = batch?.writer
        defer { writer = nil }
        try database.writeWithoutTransaction { database in
            try database.inTransaction {
                if let batch, try !WriterRows.note(batch, in: database) { return .commit }
                let names = writes.map { EntryName(store: store, key: $0.key) }
                let bytesBefore = isAtomic ? bytes(of: names, try loaded(database)) : [:]
                for (place, write) in writes.enumerated() {
                    do {
                        let limits: LimitCheck = isAtomic ? .afterAll : .atOnce
                        try change(names[place], write.action, limits, database)
                    } catch let error as KeyValueError {
                        refusals[place] = error
                        // A rollback forgets the batch too: it may come again without that write.
                        if isAtomic { return .rollback }
                    }
                }
                if isAtomic {
                    let memory = try loaded(database)
                    if let refusal = firstRefusal(of: names, bytesBefore: bytesBefore, memory) {
                        refusals[refusal.place] = refusal.error
                        return .rollback
                    }
                    try recorder?.sendTogether(names, in: database)
                }
                return .commit
            }
        }
        return refusals
    }

    func change(
        _ name: EntryName,
        _ action: KeyWrite.Action,
        _ limits: LimitCheck,
        _ database: Database
    ) throws {
        let memory = try loaded(database)
        // Reads the clock once, so that an entry is not newer than the stamp of its write.
        let now = clock()
        let before = memory.entries[name]
        var record =
            try recorder?.record(of: name, in: database) ?? LocalRecord(edit: before?.entry.unsent)
        switch action {
        case .delete:
            guard before != nil else { return }
            if let recorder {
                record.delete(atMilliseconds: now)
                try recorder.save(record, of: name, in: database)
            }
            try forget(name, from: .device, in: database)
        case .write(let write):
            if before == nil, limits != .never {
                try memory.limits(of: name.store).check(key: name.key)
            }
            let old = record
            try apply(write, to: &record, of: name, isLimited: limits != .never, now, database)
            guard record != old else { return }
            if recorder == nil { record.edit?.noteWithoutAccount() }
            if let recorder {
                let device = Array(recorder.deviceName.utf8)
                record.set([.device: device], atMilliseconds: now)
            }
            let shown = StoredEntry(
                record.view,
                changedMilliseconds: now,
                isExternal: false,
                unsent: recorder == nil ? record.edit : nil
            )
            guard let entry = shown else { return }
            try KeyValueLimits.check(depthOf: entry.encodedValue)
            if limits == .atOnce { try check(entry, memory) }
            try recorder?.save(record, of: name, in: database)
            try keep(entry, from: .device, in: database)
        }
    }

    func randomBytes(_ count: Int) -> [UInt8] { random.bytes(count) }

    // MARK: Rows

    /// Saves an entry as programs see it.
    ///
    /// - Returns: whether they see something else than before.
    @discardableResult
    func keep(_ entry: StoredEntry, from origin: ChangeOrigin, in database: Database) throws -> Bool
    {
        let before = try loaded(database).entries[entry.name]
        let isSame =
            before.map {
                $0.entry.showsTheSame(as: entry) && $0.entry.hasSameUnsent(as: entry)
            } ?? false
        // Another writer alone is not a change for programs.
        if isSame, before?.entry.device == entry.device { return false }
        watch(database)
        let row = try rows.save(entry, at: before?.row, in: database)
        memory?.set(entry, row: row)
        guard !isSame else { return false }
        note(entry.name, from: origin)
        return true
    }

    /// - Returns: whether there was such an entry.
    @discardableResult
    func forget(_ name: EntryName, from origin: ChangeOrigin, in database: Database) throws -> Bool
    {
        guard let before = try loaded(database).entries[name] else { return false }
        watch(database)
        try rows.delete(before.row, in: database)
        memory?.remove(name)
        note(name, from: origin)
        return true
    }

    /// Deletes the edits from before there was an account, which are in its outbox now.
    func clearUnsent(in database: Database) throws {
        for kept in try loaded(database).entries.values where kept.entry.hasUnsent {
            let entry = kept.entry.withoutUnsent
            watch(database)
            memory?.set(entry, row: try rows.save(entry, at: kept.row, in: database))
        }
    }

    private func note(_ name: EntryName, from origin: ChangeOrigin) {
        guard changed[origin, default: []].insert(name).inserted else { return }
        let change = StoreChange(
            store: name.store,
            origin: origin,
            writer: origin == .device ? writer : nil,
            keys: [name.key]
        )
        if let place = changes.firstIndex(where: { $0.isOf(change) }) {
            changes[place].keys.append(name.key)
        } else {
            changes.append(change)
        }
    }

    /// Reports the changes after the commit, or forgets the memory after a rollback.
    func watch(_ database: Database) {
        if watch == nil {
            watch = TransactionWatch(database) { [weak self] isCommitted in
                self?.ended(isCommitted: isCommitted)
            }
        }
        watch?.begin()
    }

    /// Forgets what was read over a connection that has been replaced.
    package func forgetConnection() {
        watch = nil
        memory = nil
        changes = []
        changed = [:]
    }

    private func ended(isCommitted: Bool) {
        let changes = changes
        self.changes = []
        changed = [:]
        if isCommitted {
            if !changes.isEmpty { whenChanged?(changes.map(withEntries)) }
        } else {
            memory = nil
        }
    }

    private func withEntries(_ change: StoreChange) -> StoreChange {
        guard let memory else { return change }
        let entries = change.keys.compactMap { key in
            memory.entries[EntryName(store: change.store, key: key)]?.entry
        }
        let bytes = entries.reduce(0) { $0 + $1.valueBytes }
        guard bytes <= StoreChange.entriesBytesMax else { return change }
        var change = change
        change.entries = entries
        return change
    }
}
