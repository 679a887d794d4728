internal import KSResolution

/// An entry as its program sees it.
package struct EntryPreview: Equatable, Sendable {
    /// Nil for a newer program's type.
    package var type: MergeType?
    package var value: PropertyValue?
    /// Whether a counter is beyond 64 bits.
    package var overflows: Bool

    package init(type: MergeType?, value: PropertyValue?, overflows: Bool = false) {
        self.type = type
        self.value = value
        self.overflows = overflows
    }
}

extension KeyWrite.Action {
    /// The entry that a program sees after the write, before the device has carried it out.
    ///
    /// - Parameters:
    ///   - entry: what the program saw before; nil for no entry.
    ///   - random: gives so many random bytes.
    /// - Returns: nil for no entry.
    /// - Throws: why the write is refused.
    package func preview(
        over entry: EntryPreview?,
        random: @escaping (Int) -> [UInt8]
    ) throws(KeyValueError) -> EntryPreview? {
        guard case .write(let write) = self else { return nil }
        // A shortcut for most writes; the others follow the rules of their type.
        if case .set(let value, _) = write, entry == nil || entry?.type == .register {
            return EntryPreview(type: .register, value: value)
        }
        return try write.preview(over: entry, random: random)
    }
}

extension EntryWrite {
    /// Applies the write to a temporary record with the entry that the program sees.
    fileprivate func preview(
        over entry: EntryPreview?,
        random: @escaping (Int) -> [UInt8]
    ) throws(KeyValueError) -> EntryPreview? {
        guard let store = StoreIdentifier("preview") else { return entry }
        let name = EntryName(store: store, key: "preview")
        var record = LocalRecord()
        if let entry {
            guard let type = entry.type else { throw .newerType }
            let value = EntryWrite.set(entry.value ?? .integer(0), base: nil)
            for write in type == .register ? [value] : [.declare(type), value] {
                // Merging may have made it larger than one write may.
                try write.apply(
                    to: &record,
                    of: name,
                    limits: .none,
                    random: random,
                    atMilliseconds: 1
                )
            }
        }
        try apply(to: &record, of: name, random: random, atMilliseconds: 2)
        guard let reading = EntryReading(record.view), reading.isAlive else { return nil }
        var overflows = reading.overflows || entry?.overflows ?? false
        if case .reset = self { overflows = false }
        return EntryPreview(type: reading.type, value: reading.value, overflows: overflows)
    }
}
