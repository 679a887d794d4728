package import KSCausality
package import KSRecords
package import KSResolution

/// Exactly what the server held of a record when this device last saw it.
///
/// A newer row replaces it, and is never joined with it.
package struct MirrorRow: Equatable, Sendable {
    /// A sibling that the server holds.
    package struct Sibling: Hashable, Sendable {
        package let dot: Dot
        package let boxHash: Hash
        /// False if the sibling is quarantined.
        package let isOpened: Bool
        package let isTombstone: Bool

        package init(dot: Dot, boxHash: Hash, isOpened: Bool, isTombstone: Bool = false) {
            self.dot = dot
            self.boxHash = boxHash
            self.isOpened = isOpened
            self.isTombstone = isTombstone
        }

        package init(_ envelope: Envelope, isOpened: Bool) {
            self.init(
                dot: envelope.dot,
                boxHash: envelope.boxHash,
                isOpened: isOpened,
                isTombstone: envelope.isTombstone
            )
        }
    }

    package let record: RecordID
    package let kind: RecordKind
    /// The record's place in the server's order.
    package var seq: UInt64
    /// Sorted by dot.
    package var siblings: [Sibling]
    /// Whether the content is only the stub of a deleted record.
    package var isStub = false
    /// The join of the siblings, or the stub.
    package var content: RecordState

    package init(
        record: RecordID,
        kind: RecordKind,
        seq: UInt64,
        siblings: [Sibling],
        isStub: Bool = false,
        content: RecordState
    ) {
        self.record = record
        self.kind = kind
        self.seq = seq
        self.siblings = siblings
        self.isStub = isStub
        self.content = content
    }

    /// The siblings that a write of this device replaces: only those that it could open.
    ///
    /// Others may come from a newer program and hold values that nobody else has.
    package var replaceableDots: [Dot] { siblings.filter(\.isOpened).map(\.dot) }

    package var state: RecordState? { isStub ? nil : content }
    package var stub: RecordState? { isStub ? content : nil }

    /// What the record is joined with where the server shows siblings that do not open.
    ///
    /// A stub would replace the fields of a write that had not heard of the deletion, and leave it
    /// without a name. Nil for what the server lost: no sibling there stands for it, so it stays
    /// unsent.
    var knowledge: RecordState? {
        guard !siblings.isEmpty else { return nil }
        return isStub ? content.deletion : content
    }
}

extension MirrorRow {
    package static func encode(_ siblings: [Sibling]) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.list(siblings) { encoder, sibling in
            encoder.dot(sibling.dot)
            encoder.fixed(sibling.boxHash)
            encoder.integer((sibling.isOpened ? 1 : 0) | (sibling.isTombstone ? 2 : 0))
        }
        return encoder.encoded
    }

    package static func decodeSiblings(_ bytes: [UInt8]) throws(RecordsError) -> [Sibling] {
        var decoder = CanonicalDecoder(bytes)
        let siblings = try decoder.list { decoder throws(RecordsError) in
            let (dot, boxHash): (Dot, Hash) = (try decoder.dot(), try decoder.fixed())
            let flags = try decoder.integer()
            guard flags <= 3 else { throw .malformed }
            return Sibling(
                dot: dot,
                boxHash: boxHash,
                isOpened: flags & 1 != 0,
                isTombstone: flags & 2 != 0
            )
        }
        try decoder.end()
        return siblings
    }
}
