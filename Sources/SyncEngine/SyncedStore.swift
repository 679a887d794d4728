internal import KSDigests
package import GRDB
package import KSCausality
package import KSRecords
package import KSResolution
package import KSSealing

/// A store whose entries are synced: one kind of record.
///
/// The replica knows records, dots and joined states. What a state means to the user it asks here,
/// so a new kind of record is one more conformer.
package protocol SyncedStore {
    associatedtype Entry: SyncedEntry

    static var kind: RecordKind { get }

    /// The entry that a joined state shows, whether it lives or not.
    ///
    /// Values that this program does not know stay in the state, untouched by its edits.
    /// - Returns: nil when the state is not that of an entry this program can keep.
    static func entry(of state: ItemState) -> Entry?

    /// The stamps of the values that are current and not shown, and between which a person has to
    /// choose.
    static func conflictingStamps(of state: ItemState) -> [Stamp]

    /// Makes the store show what a record has become; no ``Outbox`` hears of it.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` when the entry's class is locked.
    func show(_ entry: Entry, isAlive: Bool, in database: Database) throws -> ShownChange

    /// Every entry that the account's other devices have too.
    func entries(in database: Database) throws -> [Entry]

    /// Whether the store remembers that this entry was deleted.
    func isDeleted(_ entry: Entry, in database: Database) throws -> Bool
}

/// What the user keeps, as a record says it.
package protocol SyncedEntry {
    /// What the record's id is made of, the same on every device.
    var canonicalKey: [UInt8] { get }
    var values: [ValueName: [UInt8]] { get }
    /// The class under whose key this device keeps the rows of the record.
    var protection: ProtectionClass { get }
    /// When it was last changed, milliseconds since 1970-01-01 00:00 UTC.
    var changedMilliseconds: UInt64 { get }
}

/// What came of showing a record.
package enum ShownChange: Sendable {
    case changed
    /// The store was so already.
    case unchanged
    /// The store cannot hold it.
    case refused
}

/// What the user did to an entry.
package enum EntryChange<Entry: SyncedEntry> {
    case added(Entry)
    case edited(before: Entry, after: Entry)
    /// The key changed, so that to other devices it is another record.
    case renamed(before: Entry, after: Entry)
    case deleted(before: Entry)
}

extension SyncedEntry {
    /// What differs from what was shown before; nil where something was removed.
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
    /// The edit that makes an entry of what a state shows and replaces nothing of it, for want of
    /// knowing what its author had seen.
    ///
    /// - Returns: nil when there is nothing to change.
    static func edit(
        beside state: ItemState?,
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

    /// Tells one set of conflicting values from another; nil when nothing is in conflict.
    package static func conflictFingerprint(of state: ItemState?) -> [UInt8]? {
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

/// The stores of a device, by the kinds of their records.
package struct SyncedStores {
    private let stores: [any SyncedStore]

    package init(_ stores: [any SyncedStore]) {
        self.stores = stores
    }

    /// Nil of a kind that this program does not know.
    subscript(kind: RecordKind) -> (any SyncedStore)? {
        stores.first { type(of: $0).kind == kind }
    }
}

extension KeyRing {
    /// The id of an entry's record.
    package func recordID(of entry: some SyncedEntry, kind: RecordKind) -> RecordID {
        recordID(forCanonicalKey: entry.canonicalKey, kind: kind)
    }
}
