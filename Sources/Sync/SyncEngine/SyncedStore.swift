internal import KSDigests
package import GRDB
package import KSCausality
package import KSRecords
package import KSResolution
package import KSSealing

/// A store whose entries are synced: one kind of record.
///
/// The replica knows records, dots and joined states. It asks the store what a state means to the
/// user, so a new kind of record needs only a new conforming type.
package protocol SyncedStore {
    associatedtype Entry: SyncedEntry

    static var kind: RecordKind { get }

    /// Whether the user is asked before other devices delete most of the entries here.
    static var asksAboutDeletions: Bool { get }

    /// The entry that a joined state shows, alive or deleted.
    ///
    /// Values that this program does not know stay in the state, untouched by its edits.
    /// - Returns: nil if the state is not an entry that this program can keep.
    static func entry(of state: RecordState) -> Entry?

    /// The stamps of the current values that are not shown, where the user has to choose.
    static func conflictingStamps(of state: RecordState) -> [Stamp]

    /// Whether the store can hold this entry of another device.
    ///
    /// Only what no device makes is refused, since two devices may fill a store at the same time.
    func hasRoom(for entry: Entry, in database: Database) throws -> Bool

    /// Makes the store show a record's entry, without an edit in any ``Outbox``.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` when the entry's class is locked.
    func show(_ entry: Entry, isAlive: Bool, in database: Database) throws -> ShownChange

    /// Makes the store show that an entry is deleted, as ``show(_:isAlive:in:)`` does.
    ///
    /// `note`: who deleted it, if the record says so.
    func showDeletion(
        of entry: Entry,
        _ note: DeletionNote?,
        in database: Database
    ) throws -> ShownChange

    /// Every entry that syncs.
    func entries(in database: Database) throws -> [Entry]

    /// Whether the store remembers that this entry was deleted.
    func isDeleted(_ entry: Entry, in database: Database) throws -> Bool

    /// Forgets which entries of the account were deleted, with their names.
    func forgetDeletions(in database: Database) throws

    /// Forgets which entries were deleted long ago, while no deletion waits to be sent.
    func forgetOldDeletions(in database: Database) throws

    /// Makes the entries of the account those of this device alone.
    ///
    /// - Returns: how many there are now.
    func keepWithoutAccount(in database: Database) throws -> Int

    /// What the user did and restored while the device had no account, by the entries' canonical
    /// keys; an entry that is not here was only set, at the time of its last change.
    func unsentEdits(in database: Database) throws -> [[UInt8]: PendingEdit]

    /// Keeps that of entries which the store shows.
    func keepUnsent(
        _ edits: [(edit: PendingEdit, entry: Entry)],
        in database: Database
    ) throws

    /// Names the device in what the user did while it had no account, and no name.
    func note(device: String, in record: inout LocalRecord)

    /// Forgets what the user did without an account: it is in the outbox of the account now.
    func forgetUnsent(in database: Database) throws

    /// Whether the user sees the same in both entries.
    func shows(_ before: Entry, theSameAs entry: Entry) -> Bool

    /// Changes a record that shows `before`, or nothing, as the user did who made `entry` of it.
    func change(
        _ record: inout LocalRecord,
        from before: Entry?,
        to entry: Entry,
        atMilliseconds clock: UInt64
    ) throws

    /// The same entry, with all that is needed to add it to an account that does not have it.
    func madeAnew(_ entry: Entry) throws -> Entry
}

extension SyncedStore {
    package static var asksAboutDeletions: Bool { false }

    package func shows(_ before: Entry, theSameAs entry: Entry) -> Bool {
        entry.changes(from: before).isEmpty
    }

    package func change(
        _ record: inout LocalRecord,
        from before: Entry?,
        to entry: Entry,
        atMilliseconds clock: UInt64
    ) throws {
        if let before {
            record.set(entry.changes(from: before), atMilliseconds: clock)
        } else {
            record.create(entry.values, atMilliseconds: clock)
        }
    }

    package func madeAnew(_ entry: Entry) throws -> Entry { entry }

    package func showDeletion(
        of entry: Entry,
        _ note: DeletionNote?,
        in database: Database
    ) throws -> ShownChange {
        try show(entry, isAlive: false, in: database)
    }

    package func hasRoom(for entry: Entry, in database: Database) throws -> Bool { true }

    package func unsentEdits(in database: Database) throws -> [[UInt8]: PendingEdit] {
        var edits: [[UInt8]: PendingEdit] = [:]
        for entry in try entries(in: database) { edits[entry.canonicalKey] = try entry.unsent }
        return edits
    }

    /// Does nothing: such a store keeps no stamps without an account.
    package func keepUnsent(
        _ edits: [(edit: PendingEdit, entry: Entry)],
        in database: Database
    ) throws {}

    /// Does nothing: such a store remembers no deletions.
    package func forgetDeletions(in database: Database) throws {}

    /// Does nothing: such a store remembers no deletions.
    package func forgetOldDeletions(in database: Database) throws {}

    package func note(device: String, in record: inout LocalRecord) {}

    package func forgetUnsent(in database: Database) throws {}
}

/// An entry, as its record describes it.
package protocol SyncedEntry {
    /// What the record's id is derived from, the same on every device.
    var canonicalKey: [UInt8] { get }
    var values: [ValueName: [UInt8]] { get }
    /// The protection class of the record's rows on this device.
    var protection: ProtectionClass { get }
    /// When it was last changed, milliseconds since 1970-01-01 00:00 UTC.
    var changedMilliseconds: UInt64 { get }
    /// What the user did to it while the device had no account; nil if its values are enough.
    var unsent: PendingEdit? { get throws }
}

extension SyncedEntry {
    package var unsent: PendingEdit? { nil }
}

/// The result of ``SyncedStore/show(_:isAlive:in:)``.
package enum ShownChange: Sendable {
    case changed
    /// The store showed it already.
    case unchanged
    /// The store cannot hold it.
    case refused
}

extension SyncedEntry {
    /// The values that differ from those of `before`; nil for one that was removed.
    package func changes(from before: some SyncedEntry) -> [ValueName: [UInt8]?] {
        let (old, new) = (before.values, values)
        var changes: [ValueName: [UInt8]?] = [:]
        for name in old.keys where new[name] == nil { changes.updateValue(nil, forKey: name) }
        for (name, value) in new where old[name] != value {
            changes.updateValue(value, forKey: name)
        }
        return changes
    }
}

extension SyncedStore {
    /// The edit that turns the entry that a state shows into `entry`; it replaces no stamps, since
    /// those that its author had seen are unknown.
    ///
    /// - Returns: nil if there is nothing to change.
    static func edit(
        beside state: RecordState?,
        of entry: Entry,
        atMilliseconds clock: UInt64
    ) -> PendingEdit? {
        var changes: [ValueName: [UInt8]?] = entry.values.mapValues { $0 }
        if let state, state.isAlive, let before = Self.entry(of: state) {
            changes = entry.changes(from: before)
        }
        guard !changes.isEmpty else { return nil }
        var record = LocalRecord()
        record.set(changes, atMilliseconds: clock)
        return record.edit
    }

    /// Makes the store show what a state shows.
    ///
    /// - Returns: the protection class of the record's rows; nil if the state is not an entry that
    ///   this program can keep.
    func show(
        _ view: RecordState,
        in database: Database
    ) throws -> (protection: ProtectionClass, change: ShownChange)? {
        guard let entry = Self.entry(of: view) else { return nil }
        let change =
            view.isAlive
            ? try show(entry, isAlive: true, in: database)
            : try showDeletion(of: entry, view.deletionNote, in: database)
        return (entry.protection, change)
    }

    /// Makes the store show nothing of what it shows by this state, since it was deleted.
    func hide(
        _ view: RecordState,
        _ note: DeletionNote?,
        in database: Database
    ) throws -> (protection: ProtectionClass, change: ShownChange)? {
        guard let entry = Self.entry(of: view) else { return nil }
        return (entry.protection, try showDeletion(of: entry, note, in: database))
    }

    /// A fingerprint of the conflicting values; nil if nothing is in conflict.
    package static func conflictFingerprint(of state: RecordState?) -> [UInt8]? {
        guard let state, state.isAlive else { return nil }
        let stamps = conflictingStamps(of: state)
        guard !stamps.isEmpty else { return nil }
        var encoder = CanonicalEncoder()
        for stamp in stamps.sorted() {
            encoder.integer(stamp.time.rawValue)
            encoder.integer(stamp.actor.rawValue)
        }
        return Array(SHA256.hash(encoder.encoded).prefix(16))
    }
}

extension [any SyncedStore] {
    /// The store of these records; nil for a kind that this program does not know.
    subscript(kind: RecordKind) -> (any SyncedStore)? {
        first { type(of: $0).kind == kind }
    }
}

extension KeyRing {
    /// The id of an entry's record.
    package func recordID(of entry: some SyncedEntry, kind: RecordKind) -> RecordID {
        recordID(forCanonicalKey: entry.canonicalKey, kind: kind)
    }
}
