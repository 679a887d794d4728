package import KSCausality
package import KSRecords

/// A sibling as a store holds it.
package struct HeldSibling: Hashable, Sendable {
    /// The write; without its box if ``storedBox`` is set.
    package let envelope: Envelope
    /// The box's range among the record's stored boxes; nil for a new sibling.
    package let storedBox: Range<Int>?
    /// With it, the store compares a client's sibling without reading the box.
    package let boxHash: Hash

    package init(_ envelope: Envelope, storedBox: Range<Int>?, boxHash: Hash) {
        self.envelope = envelope
        self.storedBox = storedBox
        self.boxHash = boxHash
    }

    package var boxByteCount: Int { storedBox?.count ?? envelope.box.count }

    /// Its size for the account's quota: its box and about the size of its other fields.
    package var chargedBytes: Int64 { Int64(boxByteCount + 128 + 16 * envelope.replaced.count) }
}

extension Siblings<HeldSibling> {
    package var areAllTombstones: Bool { entries.allSatisfy(\.value.envelope.isTombstone) }

    /// The record's size for the account's quota.
    ///
    /// Deleting makes room at once, although a deleted record is kept for a while.
    package var chargedBytes: Int64 {
        if entries.isEmpty { return 0 }
        if areAllTombstones { return Int64(Limits.deletedRecordBytes) }
        return entries.reduce(0) { $0 + $1.value.chargedBytes }
    }

    var boxBytes: Int { entries.reduce(0) { $0 + $1.value.boxByteCount } }
}

/// A record that a store holds or is about to save.
package struct HeldRecord: Sendable {
    package let id: RecordID
    /// Its stored seq; nil for a new record.
    package let storedSeq: UInt64?
    /// The seq of its latest write.
    package internal(set) var seq: UInt64
    package internal(set) var siblings: Siblings<HeldSibling>

    package init(id: RecordID, storedSeq: UInt64?, siblings: Siblings<HeldSibling>) {
        self.id = id
        self.storedSeq = storedSeq
        seq = storedSeq ?? 0
        self.siblings = siblings
    }
}
