internal import GRDB
internal import KSKeyValues

/// When a write is checked against the limits of its store.
enum LimitCheck {
    case atOnce
    /// After all writes of a transaction, which may add a key before it removes another.
    case afterAll
    /// For a value that existed before, which may exceed the present limits.
    case never
}

extension KeyValueStores {
    /// Checks a store with one changed entry.
    func check(_ entry: StoredEntry, _ memory: Memory) throws(KeyValueError) {
        let size = memory.sizes[entry.name.store] ?? (0, 0)
        let before = memory.entries[entry.name]?.entry
        try memory.limits(of: entry.name.store).check(
            valueBytes: entry.valueBytes,
            keys: size.keys + (before == nil ? 1 : 0),
            storeBytes: size.bytes - (before?.valueBytes ?? 0) + entry.valueBytes,
            bytesBefore: before?.valueBytes
        )
    }

    /// Whether the store can hold an entry that another device made.
    ///
    /// No device makes a larger value, or one that is nested more deeply, whatever limits the owner
    /// sets. Two devices may fill a store at the same time, so it may be several times as large.
    func hasRoom(for entry: StoredEntry, in database: Database) throws -> Bool {
        if let type = entry.type, let value = entry.encodedValue {
            let isPossible =
                type.isWhole
                ? value.bytes.count <= LimitSettings.Field.valueBytes.bounds.upperBound
                : value.depth <= PropertyValue.depthMax
            guard isPossible else { return false }
        }
        let memory = try loaded(database)
        let size = memory.sizes[entry.name.store] ?? (0, 0)
        let before = memory.entries[entry.name]?.entry
        return size.keys + (before == nil ? 1 : 0) <= Self.receivedKeysMax
            && size.bytes - (before?.valueBytes ?? 0) + entry.valueBytes <= Self.receivedBytesMax
    }

    /// Four times what a device writes under the highest limits that an owner can set.
    private static let receivedKeysMax = 4 * LimitSettings.Field.keys.bounds.upperBound
    private static let receivedBytesMax = 4 * LimitSettings.Field.totalBytes.bounds.upperBound

    /// The sizes of the values that these names have.
    func bytes(of names: [EntryName], _ memory: Memory) -> [EntryName: Int] {
        Dictionary(
            names.compactMap { name in memory.entries[name].map { (name, $0.entry.valueBytes) } },
            uniquingKeysWith: { $1 }
        )
    }

    /// Checks a store after all writes of a transaction, as the program's process does.
    ///
    /// `bytesBefore`: the sizes of the values that the keys had before.
    /// - Returns: the first write that exceeds a limit, by its place; nil if none does.
    func firstRefusal(
        of names: [EntryName],
        bytesBefore: [EntryName: Int],
        _ memory: Memory
    ) -> (place: Int, error: KeyValueError)? {
        for (place, name) in names.enumerated() {
            guard let entry = memory.entries[name]?.entry else { continue }
            let size = memory.sizes[name.store] ?? (0, 0)
            do throws(KeyValueError) {
                try memory.limits(of: name.store).check(
                    valueBytes: entry.valueBytes,
                    keys: size.keys,
                    storeBytes: size.bytes,
                    bytesBefore: bytesBefore[name]
                )
            } catch {
                return (place, error)
            }
        }
        return nil
    }
}
