internal import KSCausality
package import KSKeyValues
internal import KSRecords
package import KSResolution
internal import KSRedaction

/// An entry as a program sees it, and as a device keeps it.
package struct StoredEntry: Equatable, Sendable {
    /// All of the entry in one object: a program that starts waits for thousands of entries, and
    /// each is copied several times.
    private final class Contents: Sendable {
        let name: EntryName
        let type: MergeType?
        let value: EncodedValue?
        let overflows: Bool
        let changedMilliseconds: UInt64
        let device: String?
        let isExternal: Bool
        /// Decoded only when it is needed, for the same reason.
        let unsentBytes: [UInt8]?

        init(
            name: EntryName,
            type: MergeType?,
            value: EncodedValue?,
            overflows: Bool,
            changedMilliseconds: UInt64,
            device: String?,
            isExternal: Bool,
            unsentBytes: [UInt8]?
        ) {
            self.name = name
            self.type = type
            self.value = value
            self.overflows = overflows
            self.changedMilliseconds = changedMilliseconds
            self.device = device
            self.isExternal = isExternal
            self.unsentBytes = unsentBytes
        }
    }

    private let contents: Contents

    package var name: EntryName { contents.name }
    /// Nil for an entry of a newer program, which can be neither read nor changed.
    package var type: MergeType? { contents.type }
    package var encodedValue: EncodedValue? { contents.value }
    /// The value, decoded; it takes many times the memory of its bytes.
    package var value: PropertyValue? { contents.value?.value }
    /// The size of the value, as the limits count it.
    package var valueBytes: Int { contents.value?.bytes.count ?? 0 }
    /// Whether a counter's sum is beyond what an `Int64` holds.
    package var overflows: Bool { contents.overflows }
    /// When it was last changed, milliseconds since 1970-01-01 00:00 UTC.
    package var changedMilliseconds: UInt64 { contents.changedMilliseconds }
    /// The name of the device that changed it last; nil for a change that was made without an
    /// account and is not sent yet.
    package var device: String? { contents.device }
    /// Whether that was another device.
    package var isExternal: Bool { contents.isExternal }

    package static func == (left: StoredEntry, right: StoredEntry) -> Bool {
        left.contents === right.contents || left.encoded == right.encoded
    }

    /// The entry that a state shows; nil for a state that is not an entry.
    init?(
        _ state: RecordState,
        changedMilliseconds: UInt64? = nil,
        isExternal: Bool = true,
        unsent: PendingEdit? = nil
    ) {
        guard let reading = EntryReading(state), let store = StoreIdentifier(reading.store) else {
            return nil
        }
        contents = Contents(
            name: EntryName(store: store, key: reading.key),
            type: reading.type,
            value: reading.encodedValue,
            overflows: reading.overflows,
            changedMilliseconds: changedMilliseconds ?? state.latestTime.writtenMilliseconds,
            device: reading.device,
            isExternal: isExternal,
            unsentBytes: unsent?.encoded
        )
    }

    /// Whether programs see the same in both entries.
    func showsTheSame(as other: StoredEntry) -> Bool {
        encodedValue == other.encodedValue && type == other.type && overflows == other.overflows
    }

    // MARK: What is unsent

    /// The user's changes while the device had no account; they are sent when it joins one.
    package var unsent: PendingEdit? {
        get throws(RecordsError) {
            guard let bytes = contents.unsentBytes else { return nil }
            return try PendingEdit(decoding: bytes)
        }
    }

    var hasUnsent: Bool { contents.unsentBytes != nil }

    func hasSameUnsent(as other: StoredEntry) -> Bool {
        contents.unsentBytes == other.contents.unsentBytes
    }

    /// The same entry, as the account has it.
    var withoutUnsent: StoredEntry { with(unsent: nil) }

    /// The same entry with another unsent edit.
    func with(unsent: PendingEdit?) -> StoredEntry {
        StoredEntry(
            Contents(
                name: name,
                type: type,
                value: encodedValue,
                overflows: overflows,
                changedMilliseconds: changedMilliseconds,
                device: device,
                isExternal: isExternal,
                unsentBytes: unsent?.encoded
            )
        )
    }

    private init(_ contents: Contents) { self.contents = contents }

    // MARK: Encoding

    private static let format: UInt64 = 1

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.compactInteger(Self.format)
        encoder.compactBytes(Array(name.store.text.utf8))
        encoder.compactBytes(Array(name.key.utf8))
        encoder.compactInteger(UInt64(type?.rawValue ?? 0))
        encoder.compactList([encodedValue].compactMap { $0 }) { $0.compactBytes($1.bytes) }
        encoder.compactInteger(overflows ? 1 : 0)
        encoder.integer(changedMilliseconds)
        encoder.compactList([device].compactMap { $0 }) { $0.compactBytes(Array($1.utf8)) }
        encoder.compactInteger(isExternal ? 1 : 0)
        encoder.compactList([contents.unsentBytes].compactMap { $0 }) { $0.compactBytes($1) }
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
        contents = Contents(
            name: EntryName(store: store, key: key),
            type: UInt8(exactly: try decoder.compactInteger())
                .flatMap(MergeType.init(rawValue:)),
            value: try decoder.optional { decoder throws(RecordsError) in
                // This device checked the bytes before it sealed them.
                EncodedValue(checkedBefore: try decoder.compactBytes())
            },
            overflows: try decoder.compactInteger() == 1,
            changedMilliseconds: try decoder.integer(),
            device: try decoder.optional { decoder throws(RecordsError) in
                String(decoding: try decoder.compactBytes(), as: UTF8.self)
            },
            isExternal: try decoder.compactInteger() == 1,
            unsentBytes: try decoder.optional { decoder throws(RecordsError) in
                try decoder.compactBytes()
            }
        )
        try decoder.end()
    }
}

extension CanonicalDecoder {
    /// Reads a list of at most one element.
    fileprivate mutating func optional<Element>(
        _ read: (inout CanonicalDecoder) throws(RecordsError) -> Element
    ) throws(RecordsError) -> Element? {
        try compactList(elementBytesMin: 1, read: read).first
    }
}

extension StoredEntry: Redacted {
    package var shownPart: String { "\(valueBytes) bytes" }
}
