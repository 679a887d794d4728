internal import GRDB
internal import KSKeyValueRecords
package import KSKeyValues
internal import KSResolution

// A store with one key for each merge type.

extension SimulatedDevice {
    /// What its programs see of an entry.
    struct ShownEntry: Equatable {
        let type: MergeType?
        let value: PropertyValue?
        let overflows: Bool
    }

    private static let store: StoreIdentifier = {
        guard let store = StoreIdentifier("simulated") else {
            preconditionFailure("a store's name")
        }
        return store
    }()

    private static func name(_ type: MergeType) -> EntryName {
        EntryName(store: store, key: type.name)
    }

    /// All that the device has of the record of a type's entry.
    func record(_ type: MergeType) throws -> LocalRecord {
        try database.unsafeRead { try keyValueOutbox.record(of: Self.name(type), in: $0) }
    }

    /// What the server held of a type's entry when the device last saw it.
    func state(_ type: MergeType) throws -> ItemState {
        let record = try record(type)
        return record.mirror ?? record.stub ?? ItemState()
    }

    func write(_ writes: [EntryWrite], _ type: MergeType) throws {
        try perform(writes.map { KeyWrite(key: type.name, .write($0)) })
    }

    package func delete(_ type: MergeType) throws {
        try perform([KeyWrite(key: type.name, .delete)])
    }

    private func perform(_ writes: [KeyWrite]) throws {
        let refusals = try keyValues.write(writes, to: Self.store)
        if let refusal = refusals.first { throw refusal.value }
    }

    /// Every entry that its programs see, by key; all devices must agree on these.
    func entries() throws -> [String: ShownEntry] {
        var entries: [String: ShownEntry] = [:]
        for entry in try keyValues.entries(of: Self.store) {
            entries[entry.name.key] = ShownEntry(
                type: entry.type,
                value: entry.value,
                overflows: entry.overflows
            )
        }
        return entries
    }
}
