package import KSRecords
package import KSResolution
internal import KSRedaction

/// A synced entry in a backup: its record's state, with the stamps of all values.
package struct BackupRecord: Equatable, Sendable {
    private static let label = "backup record"
    private static let format: UInt64 = 1

    package let kind: RecordKind
    /// Alive, with final stamps.
    package let state: RecordState
    /// What programs remember an item by; nil for other entries.
    package let reference: [UInt8]?

    package init(kind: RecordKind, state: RecordState, reference: [UInt8]? = nil) {
        self.kind = kind
        self.state = state
        self.reference = reference
    }

    /// Whether these bytes are a record, and not an item of one device alone.
    package static func isRecord(_ encoded: [UInt8]) -> Bool {
        encoded.starts(with: CanonicalEncoder(label: label).encoded)
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: Self.label)
        encoder.integer(Self.format)
        encoder.integer(kind.rawValue)
        encoder.bytes(state.encoded)
        encoder.list([reference].compactMap(\.self)) { $0.bytes($1) }
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = try CanonicalDecoder(encoded, label: Self.label)
        let format = try decoder.integer()
        guard format <= Self.format else { throw .formatTooNew(format: format) }
        guard let kind = RecordKind(rawValue: try decoder.integer()) else { throw .malformed }
        // A join of siblings may be larger than each of them.
        let state = try RecordState(decoding: try decoder.bytes(), within: .none)
        let references = try decoder.list { decoder throws(RecordsError) in try decoder.bytes() }
        try decoder.end()
        guard references.count <= 1 else { throw .malformed }
        self.init(kind: kind, state: state, reference: references.first)
    }
}

extension BackupRecord: Redacted {}
