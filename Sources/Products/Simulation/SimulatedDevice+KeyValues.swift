internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSKeyValueRecords
package import KSKeyValues
internal import KSRecords
package import KSResolution
internal import KSSealing

// A store with one key for each merge type, and one that devices declare with different types.

extension SimulatedDevice {
    /// What its programs see of an entry.
    struct ShownEntry: Equatable {
        let type: MergeType?
        let value: PropertyValue?
        let overflows: Bool

        init(_ entry: StoredEntry) {
            (type, value, overflows) = (entry.type, entry.value, entry.overflows)
        }
    }

    static let store: StoreIdentifier = {
        guard let store = StoreIdentifier("simulated") else {
            preconditionFailure("a store's name")
        }
        return store
    }()

    private static func name(_ key: String) -> EntryName { EntryName(store: store, key: key) }

    /// All that the device has of the record of a key's entry.
    func record(key: String) throws -> LocalRecord {
        try database.unsafeRead { try keyValueOutbox.record(of: Self.name(key), in: $0) }
    }

    /// The id of the record of a key's entry.
    func id(key: String) -> RecordID {
        setting.fixture.keyRing.recordID(
            forCanonicalKey: Self.name(key).canonicalBytes,
            kind: .keyValue
        )
    }

    /// What the server held of a key's entry when the device last saw it.
    package func state(key: String) throws -> RecordState {
        let record = try record(key: key)
        return record.mirror ?? record.stub ?? RecordState()
    }

    /// The boxes of these keys' entries in the batch under way.
    func boxesOnTheirWay(of keys: some Sequence<String>) throws -> [String: Hash] {
        let boxes = try database.unsafeRead { database in
            let statement = try database.cachedStatement(
                sql: "SELECT record, box FROM batch_record"
            )
            return try Array(
                Row.fetchCursor(statement).map { row in
                    (record: Array(row[0] as Data), box: Array(row[1] as Data))
                }
            )
        }
        guard !boxes.isEmpty else { return [:] }
        var found: [String: Hash] = [:]
        for key in keys {
            let record = id(key: key)
            guard let box = boxes.first(where: { $0.record == record.bytes })?.box else { continue }
            found[key] = Hash(validated: SHA256.hash(box))
        }
        return found
    }

    func write(_ writes: [EntryWrite], key: String) throws {
        try perform(writes.map { KeyWrite(key: key, .write($0)) })
    }

    func delete(key: String) throws {
        try perform([KeyWrite(key: key, .delete)])
    }

    /// Writes to the entry of a merge type.
    package func write(_ writes: EntryWrite..., to type: MergeType) throws {
        try write(writes, key: type.name)
    }

    /// What programs see of the entry of a merge type.
    package func value(of type: MergeType) throws -> PropertyValue? {
        try entries()[type.name]?.value
    }

    /// Deletes the entry of a merge type.
    package func delete(_ type: MergeType) throws { try delete(key: type.name) }

    /// Whether it reports that a key was declared with several types.
    func reportsConflict(key: String) throws -> Bool {
        try replica.conflictingEntries().contains { $0.name.key == key }
    }

    private func perform(_ writes: [KeyWrite]) throws {
        let refusals = try keyValues.write(writes, to: Self.store)
        if let refusal = refusals.first { throw refusal.value }
    }

    /// Every entry that its programs see, by key; all devices must agree on these.
    func entries() throws -> [String: ShownEntry] {
        var entries: [String: ShownEntry] = [:]
        for entry in try keyValues.entries(of: Self.store) {
            entries[entry.name.key] = ShownEntry(entry)
        }
        return entries
    }

    /// The same of all stores.
    func entriesOfAllStores() throws -> [EntryName: ShownEntry] {
        var entries: [EntryName: ShownEntry] = [:]
        for entry in try keyValues.all() { entries[entry.name] = ShownEntry(entry) }
        return entries
    }
}
