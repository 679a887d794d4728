package import KSKeyValues
package import KSRecords
internal import KSRedaction

/// An entry of a key-value store in a backup: what programs see of it.
package struct BackupEntry: Equatable, Sendable {
    private static let label = "backup key-value entry"
    private static let format: UInt64 = 1

    package let name: EntryName
    package let type: MergeType
    package let value: PropertyValue
    /// When it last changed, milliseconds since 1970-01-01 00:00 UTC.
    package let changedMilliseconds: UInt64

    package init(
        name: EntryName,
        type: MergeType,
        value: PropertyValue,
        changedMilliseconds: UInt64
    ) {
        self.name = name
        self.type = type
        self.value = value
        self.changedMilliseconds = changedMilliseconds
    }

    /// Nil for an entry of a newer program, which cannot be written again.
    init?(_ entry: StoredEntry) {
        guard let type = entry.type, let value = entry.value else { return nil }
        self.init(
            name: entry.name,
            type: type,
            value: value,
            changedMilliseconds: entry.changedMilliseconds
        )
    }

    /// Whether these bytes are an entry of a store, and not an item of the keychain.
    package static func isEntry(_ encoded: [UInt8]) -> Bool {
        encoded.starts(with: CanonicalEncoder(label: label).encoded)
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: Self.label)
        encoder.integer(Self.format)
        encoder.string(name.store.text)
        encoder.string(name.key)
        encoder.integer(UInt64(type.rawValue))
        encoder.bytes(value.encoded)
        encoder.integer(changedMilliseconds)
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = try CanonicalDecoder(encoded, label: Self.label)
        let format = try decoder.integer()
        guard format <= Self.format else { throw .formatTooNew(format: format) }
        let store = StoreIdentifier(try decoder.string())
        let key = try decoder.string()
        let type = UInt8(exactly: try decoder.integer()).flatMap(MergeType.init(rawValue:))
        let value = try PropertyValue(decoding: try decoder.bytes())
        let changed = try decoder.integer()
        try decoder.end()
        guard let store, let type else { throw .malformed }
        self.init(
            name: EntryName(store: store, key: key),
            type: type,
            value: value,
            changedMilliseconds: changed
        )
    }
}

extension BackupEntry: Redacted {}
