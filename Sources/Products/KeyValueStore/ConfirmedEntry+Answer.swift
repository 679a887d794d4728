package import KSAgent
internal import KSKeyValues

extension ConfirmedEntry {
    private init(_ entry: KeyValueEntry) {
        // A newer program's value exists, but cannot be read.
        let value = entry.value.flatMap { try? PropertyValue(decoding: $0) }
        let type = value == nil ? nil : entry.type.flatMap(MergeType.init(named:))
        self.entry = EntryPreview(type: type, value: value, overflows: entry.overflows)
        changedMilliseconds = entry.changed.milliseconds
        device = entry.device
        isExternal = entry.isExternal
    }

    /// The entries of an answer.
    package static func byKey(_ answer: [KeyValueEntry]) -> [StoreKey: ConfirmedEntry] {
        var entries: [StoreKey: ConfirmedEntry] = [:]
        entries.reserveCapacity(answer.count)
        for entry in answer { entries[StoreKey(entry.key)] = ConfirmedEntry(entry) }
        return entries
    }
}
