package import GRDB
package import KSCausality
package import KSKeychain
package import KSRecords
package import KSResolution
package import KSSealing
package import KSSyncEngine

/// The keychain as a kind of record: each synced item is one record.
package struct SyncedKeychain: SyncedStore {
    package static var kind: RecordKind { .keychain }
    package static var asksAboutDeletions: Bool { true }

    private let keychain: ItemStore
    /// Nil only in tests and simulated devices that have no backup.
    private let unsent: UnsentItemTable?

    package init(_ keychain: ItemStore, unsent: UnsentItemTable? = nil) {
        self.keychain = keychain
        self.unsent = unsent
    }

    package static func entry(of state: RecordState) -> Item? { ItemFields.item(of: state) }

    package static func conflictingStamps(of state: RecordState) -> [Stamp] {
        (state.conflictingSecrets + ItemFields.conflicts(of: state).flatMap(\.values)
            + ItemFields.extraConflicts(of: state).flatMap(\.values))
            .map(\.stamp)
    }

    package func show(_ item: Item, isAlive: Bool, in database: Database) throws -> ShownChange {
        try show(isAlive ? .present(item) : .absent(item.key, nil), of: item, in: database)
    }

    package func showDeletion(
        of item: Item,
        _ note: DeletionNote?,
        in database: Database
    ) throws -> ShownChange {
        let deletion = note.map { note in
            ItemDeletion(
                seconds: Double(note.milliseconds) / 1000 - ItemStore.secondsFrom1970To2001,
                device: note.device,
                isMove: note.isMove
            )
        }
        let change = SynchronizedChange.absent(item.key, deletion ?? ItemDeletion())
        return try show(change, of: item, in: database)
    }

    private func show(
        _ change: SynchronizedChange,
        of item: Item,
        in database: Database
    ) throws -> ShownChange {
        do {
            switch try keychain.applySynchronized([change], in: database).first {
            case .added, .changed, .removed: return .changed
            case .unchanged, nil: return .unchanged
            case .refused: return .refused
            }
        } catch .interactionNotAllowed {
            throw SealingError.classLocked(item.protection)
        }
    }

    package func entries(in database: Database) throws -> [Item] {
        try keychain.syncedItems(in: database)
    }

    package func shows(_ before: Item, theSameAs item: Item) -> Bool {
        before.contentsToTell == item.contentsToTell
    }

    package func unsentEdits(in database: Database) throws -> [[UInt8]: PendingEdit] {
        try unsent?.edits(in: database) ?? [:]
    }

    package func keepUnsent(
        _ edits: [(edit: PendingEdit, entry: Item)],
        in database: Database
    ) throws {
        try unsent?.save(
            edits.map { ($0.entry.canonicalKey, $0.edit, $0.entry.protection) },
            in: database
        )
    }

    package func forgetUnsent(in database: Database) throws {
        try unsent?.deleteAll(in: database)
    }

    package func forgetDeletions(in database: Database) throws {
        try keychain.removeTombstones(in: database)
    }

    package func forgetOldDeletions(in database: Database) throws {
        try keychain.removeOldTombstones(in: database)
    }

    package func note(device: String, in record: inout LocalRecord) {
        record.noteDevice(device, as: .writer)
    }

    package func isDeleted(_ item: Item, in database: Database) throws -> Bool {
        try keychain.hasTombstone(of: item.key, in: database)
    }
}

extension Item: SyncedEntry {
    package var canonicalKey: [UInt8] { key.canonicalBytes }

    package var values: [ValueName: [UInt8]] {
        var values: [ValueName: [UInt8]] = [:]
        values[ItemFields.className] = Array(itemClass.rawValue.utf8)
        for (name, value) in syncedAttributes { values[.field(name.text)] = value.encoded }
        values[.secret] = secret
        values.merge(extras) { value, _ in value }
        return values
    }

    /// The class under which the keychain keeps items of other devices.
    package var protection: ProtectionClass { accessibility.portable }

    package var changedMilliseconds: UInt64 {
        let seconds = max(0, (modificationSeconds ?? 0) + ItemStore.secondsFrom1970To2001)
        return UInt64(exactly: (seconds * 1000).rounded()) ?? .max
    }
}

extension SyncSchema {
    /// The tables of sync, for the keychain's database.
    package static var schema: Schema {
        Schema(name: name, migrations: migrations.map { ($0.name, $0.sql) })
    }
}
