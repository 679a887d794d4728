internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords

/// A sibling as a record's row holds it: everything but the box, and where the box is.
struct StoredSibling {
    enum Box {
        /// Among the row's boxes.
        case stored(Range<Int>)
        case new([UInt8])

        var byteCount: Int {
            switch self {
            case .stored(let range): range.count
            case .new(let box): box.count
            }
        }
    }

    let format: UInt64
    let dot: Dot
    let replaced: [Dot]
    let generation: UInt64
    let isTombstone: Bool
    let kind: RecordKind
    /// For comparing with what a client holds, without reading the box.
    let boxHash: Hash
    let box: Box

    /// What it counts against the account's quota: its box and about what stands beside it.
    var chargedBytes: Int64 { Int64(box.byteCount + 128 + 16 * replaced.count) }
}

extension StoredSibling {
    init(_ envelope: Envelope) {
        self.init(
            format: envelope.format,
            dot: envelope.dot,
            replaced: envelope.replaced,
            generation: envelope.generation,
            isTombstone: envelope.isTombstone,
            kind: envelope.kind,
            boxHash: envelope.boxHash,
            box: .new(envelope.box)
        )
    }

    func envelope(recordID: RecordID, boxes: Data) -> Envelope {
        Envelope(
            format: format,
            recordID: recordID,
            dot: dot,
            replaced: replaced,
            generation: generation,
            isTombstone: isTombstone,
            kind: kind,
            box: box(from: boxes)
        )
    }

    /// The box itself, out of the boxes of the row that the sibling was read from.
    func box(from boxes: Data) -> [UInt8] {
        switch box {
        case .new(let box): box
        case .stored(let range):
            Array(boxes[boxes.startIndex + range.lowerBound..<boxes.startIndex + range.upperBound])
        }
    }
}

extension Siblings<StoredSibling> {
    /// Reads the column `siblings`.
    init(column: Data) throws {
        var decoder = CanonicalDecoder(Array(column))
        var offset = 0
        let siblings = try decoder.list { decoder throws(RecordsError) in
            try decoder.sibling(boxOffset: &offset)
        }
        try decoder.end()
        self.init(siblings.map { (dot: $0.dot, value: $0) })
    }

    /// The column `siblings`, which presumes boxes in this order.
    var column: Data {
        var encoder = CanonicalEncoder()
        encoder.list(entries) { $0.sibling($1.value) }
        return encoder.encoded.data
    }

    var areAllTombstones: Bool { entries.allSatisfy(\.value.isTombstone) }

    var chargedBytes: Int64 { entries.reduce(0) { $0 + $1.value.chargedBytes } }
}

extension CanonicalEncoder {
    fileprivate mutating func sibling(_ sibling: StoredSibling) {
        integer(sibling.format)
        dot(sibling.dot)
        dots(sibling.replaced)
        integer(sibling.generation)
        boolean(sibling.isTombstone)
        integer(sibling.kind.rawValue)
        fixed(sibling.boxHash)
        integer(UInt64(sibling.box.byteCount))
    }
}

extension CanonicalDecoder {
    fileprivate mutating func sibling(
        boxOffset: inout Int
    ) throws(RecordsError) -> StoredSibling {
        let format = try integer()
        let dot = try dot()
        let replaced = try dots()
        let generation = try integer()
        let isTombstone = try boolean()
        guard let kind = RecordKind(rawValue: try integer()) else { throw .malformed }
        let boxHash: Hash = try fixed()
        guard let count = Int(exactly: try integer()), count <= Limits.boxBytesMax else {
            throw .malformed
        }
        let box = boxOffset..<boxOffset + count
        boxOffset = box.upperBound
        return StoredSibling(
            format: format,
            dot: dot,
            replaced: replaced,
            generation: generation,
            isTombstone: isTombstone,
            kind: kind,
            boxHash: boxHash,
            box: .stored(box)
        )
    }
}
