internal import KSCausality
package import KSRecords
internal import KSWire

/// Applies the writes of a batch to their records, one after the other.
package struct RecordMerge: Sendable {
    private var records: [HeldRecord]
    private var indices: [RecordID: Int]
    private var seq: UInt64
    /// One for each write, in order.
    package private(set) var accepted: [PushAnswer.Accepted] = []
    /// The account's growth, for its quota.
    package private(set) var growthBytes: Int64 = 0
    /// The growth of the boxes alone.
    private var boxGrowthBytes: Int64 = 0

    /// Whether these writes need room in the account.
    ///
    /// Each write names what it replaces, so a deletion takes a few bytes more than what it
    /// replaces if its box has the same size. An account that is over its quota must take it.
    package var needsRoom: Bool { growthBytes > 0 && boxGrowthBytes > 0 }

    /// - Parameters:
    ///   - held: the existing records among those that will be written.
    ///   - seq: the seq of the account's newest accepted write.
    package init(_ held: [HeldRecord], after seq: UInt64) {
        records = held
        indices = Dictionary(zip(held.map(\.id), held.indices)) { first, _ in first }
        self.seq = seq
    }

    /// Merges all of these writes.
    ///
    /// - Throws: ``StoreError/writes(_:)`` with all writes that cannot be accepted.
    package mutating func take(_ envelopes: [Envelope]) throws(StoreError) {
        let refused = envelopes.compactMap { write($0) }
        guard refused.isEmpty else { throw .writes(refused) }
    }

    /// Drops the siblings that a write replaces and adds it at the next seq; a tombstone is a
    /// sibling like any other.
    private mutating func write(_ envelope: Envelope) -> RefusedRecord? {
        if let refusal = envelope.refusal { return refusal }
        let id = envelope.recordID
        let index = indices[id]
        var record =
            index.map { records[$0] } ?? HeldRecord(id: id, storedSeq: nil, siblings: Siblings())
        let before = record.siblings.chargedBytes
        let boxesBefore = record.siblings.boxBytes
        record.siblings.write(
            HeldSibling(envelope, storedBox: nil, boxHash: envelope.boxHash),
            dot: envelope.dot,
            replacing: envelope.replaced
        )
        guard record.siblings.entries.count <= Limits.siblingsMax,
            record.siblings.boxBytes <= Limits.recordBytesMax
        else { return RefusedRecord(counter: envelope.dot.counter, code: .siblingsFull) }
        seq += 1
        growthBytes += record.siblings.chargedBytes - before
        boxGrowthBytes += Int64(record.siblings.boxBytes - boxesBefore)
        accepted.append(.init(seq: seq, dots: record.siblings.dots))
        record.seq = seq
        if let index {
            records[index] = record
        } else {
            indices[id] = records.count
            records.append(record)
        }
        return nil
    }

    /// Each written record after its last write, by seq.
    package var written: [HeldRecord] { records.sorted { $0.seq < $1.seq } }
}
