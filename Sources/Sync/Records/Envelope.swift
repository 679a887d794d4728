package import KSCausality
internal import KSDigests

/// One sealed write of a record: all that the server ever sees of it.
package struct Envelope: Hashable, Sendable {
    /// The format that this program writes.
    package static let currentFormat: UInt64 = 1

    package let format: UInt64
    package let recordID: RecordID
    package let dot: Dot
    /// The siblings that its author knew and that it replaces, in order, each once.
    package let replaced: [Dot]
    /// The generation of the root key that seals it.
    package let generation: UInt64
    package let isTombstone: Bool
    package let kind: RecordKind
    /// The sealed box.
    package var box: [UInt8]

    package init(
        format: UInt64 = Envelope.currentFormat,
        recordID: RecordID,
        dot: Dot,
        replaced: [Dot],
        generation: UInt64,
        isTombstone: Bool,
        kind: RecordKind,
        box: [UInt8]
    ) {
        self.format = format
        self.recordID = recordID
        self.dot = dot
        self.replaced = Set(replaced).sorted()
        self.generation = generation
        self.isTombstone = isTombstone
        self.kind = kind
        self.box = box
    }

    /// SHA-256 of the box, which commits to its key and to ``context(account:)``.
    package var boxHash: Hash {
        Hash(validated: SHA256.hash(box))
    }

    /// The associated data of the box, so that the server cannot change the other fields unnoticed.
    package func context(account: AccountID) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(format)
        encoder.fixed(account)
        encoder.fixed(recordID)
        encoder.dot(dot)
        encoder.dots(replaced)
        encoder.integer(generation)
        encoder.boolean(isTombstone)
        encoder.integer(kind.rawValue)
        return encoder.encoded
    }
}
