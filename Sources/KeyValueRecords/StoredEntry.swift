internal import KSCausality
package import KSKeyValues
internal import KSRecords
package import KSResolution
internal import KSRedaction

/// An entry as a program sees it, and as a device keeps it.
package struct StoredEntry: Equatable, Sendable {
    package let name: EntryName
    /// Nil for an entry of a newer program, which can be neither read nor changed.
    package let type: MergeType?
    package let value: PropertyValue?
    /// Whether a counter's sum is beyond what an `Int64` holds.
    package let overflows: Bool
    /// When it was last changed, milliseconds since 1970-01-01 00:00 UTC.
    package let changedMilliseconds: UInt64
    /// The name of the device that changed it last; nil for a change made without an account.
    package let device: String?
    /// Whether that was another device.
    package let isExternal: Bool
    /// What the user did while the device had no account, encoded; decoded when it is needed, since
    /// a program that starts waits for thousands of entries.
    private var unsentBytes: [UInt8]?

    /// The entry that a state shows; nil for a state that is not an entry.
    init?(
        _ state: ItemState,
        changedMilliseconds: UInt64? = nil,
        isExternal: Bool = true,
        unsent: PendingEdit? = nil
    ) {
        guard let reading = EntryReading(state), let store = StoreIdentifier(reading.store) else {
            return nil
        }
        name = EntryName(store: store, key: reading.key)
        type = reading.type
        value = reading.value
        valueBytes = value?.encoded.count ?? 0
        overflows = reading.overflows
        self.changedMilliseconds = changedMilliseconds ?? state.latestTime.milliseconds
        device = reading.device
        self.isExternal = isExternal
        unsentBytes = unsent?.encoded
    }

    /// Whether programs see the same in both entries.
    func showsTheSame(as other: StoredEntry) -> Bool {
        value == other.value && type == other.type && overflows == other.overflows
    }

    /// The size of the value, as the limits count it.
    package let valueBytes: Int

    /// What the user did while the device had no account; it goes up when the device joins one.
    package var unsent: PendingEdit? {
        get throws(RecordsError) {
            guard let unsentBytes else { return nil }
            return try PendingEdit(decoding: unsentBytes)
        }
    }

    var hasUnsent: Bool { unsentBytes != nil }

    func hasSameUnsent(as other: StoredEntry) -> Bool { unsentBytes == other.unsentBytes }

    mutating func clearUnsent() { unsentBytes = nil }

    private static let format: UInt64 = 1

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactInteger(Self.format)
        encoder.compactBytes(Array(name.store.text.utf8))
        encoder.compactBytes(Array(name.key.utf8))
        encoder.compactInteger(UInt64(type?.rawValue ?? 0))
        encoder.compactList([value].compactMap { $0 }) { $1.encode(into: &$0) }
        encoder.compactInteger(overflows ? 1 : 0)
        encoder.integer(changedMilliseconds)
        encoder.compactList([device].compactMap { $0 }) { $0.compactBytes(Array($1.utf8)) }
        encoder.compactInteger(isExternal ? 1 : 0)
        encoder.compactList([unsentBytes].compactMap { $0 }) { $0.compactBytes($1) }
        return encoder.encoded
    }

    init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        let format = try decoder.compactInteger()
        guard format <= Self.format else { throw .formatTooNew(format: format) }
        let store = String(validating: try decoder.compactBytes(), as: UTF8.self)
        let key = String(validating: try decoder.compactBytes(), as: UTF8.self)
        guard format == Self.format, let key, let store = store.flatMap({ StoreIdentifier($0) })
        else {
            throw .malformed
        }
        name = EntryName(store: store, key: key)
        type = UInt8(exactly: try decoder.compactInteger()).flatMap(MergeType.init(rawValue:))
        var valueBytes = 0
        value = try decoder.compactList(elementBytesMin: 1) { decoder throws(RecordsError) in
            let before = decoder.remaining
            defer { valueBytes = before - decoder.remaining }
            return try PropertyValue(from: &decoder)
        }.first
        self.valueBytes = valueBytes
        overflows = try decoder.compactInteger() == 1
        changedMilliseconds = try decoder.integer()
        device = try decoder.compactList(elementBytesMin: 1) { decoder throws(RecordsError) in
            String(decoding: try decoder.compactBytes(), as: UTF8.self)
        }.first
        isExternal = try decoder.compactInteger() == 1
        unsentBytes = try decoder.compactList(elementBytesMin: 1) { decoder throws(RecordsError) in
            try decoder.compactBytes()
        }.first
        try decoder.end()
    }
}

extension StoredEntry: Redacted {
    package var shownPart: String { "\(valueBytes) bytes" }
}
