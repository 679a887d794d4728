package import KSCausality
package import KSRecords

/// A sibling as a store holds it.
package struct HeldSibling: Hashable, Sendable {
    /// The write, without its box where ``storedBox`` says where that is.
    package let envelope: Envelope
    /// Among the stored boxes of the record; nil while the sibling is new.
    package let storedBox: Range<Int>?
    /// For comparing with what a client holds, without reading the box.
    package let boxHash: Hash

    package init(_ envelope: Envelope, storedBox: Range<Int>?, boxHash: Hash) {
        self.envelope = envelope
        self.storedBox = storedBox
        self.boxHash = boxHash
    }

    package var boxByteCount: Int { storedBox?.count ?? envelope.box.count }

    /// What it counts against the account's quota: its box and about what stands beside it.
    package var chargedBytes: Int64 { Int64(boxByteCount + 128 + 16 * envelope.replaced.count) }
}

extension Siblings<HeldSibling> {
    package var areAllTombstones: Bool { entries.allSatisfy(\.value.envelope.isTombstone) }

    package var chargedBytes: Int64 { entries.reduce(0) { $0 + $1.value.chargedBytes } }
}

/// A record as a store holds it, or is to hold it.
package struct HeldRecord: Sendable {
    package let id: RecordID
    /// The seq that it is stored under; nil while it is new.
    package let storedSeq: UInt64?
    /// Of its latest write.
    package internal(set) var seq: UInt64
    package internal(set) var siblings: Siblings<HeldSibling>

    package init(id: RecordID, storedSeq: UInt64?, siblings: Siblings<HeldSibling>) {
        self.id = id
        self.storedSeq = storedSeq
        seq = storedSeq ?? 0
        self.siblings = siblings
    }
}
