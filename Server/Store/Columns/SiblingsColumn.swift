package import Foundation
package import KSCausality
internal import KSMerging
package import KSRecords

extension Siblings<HeldSibling> {
    /// Reads the column `siblings`, and the boxes if the column `boxes` is given.
    package init(column: Data, of record: RecordID, boxes: Data? = nil) throws(RecordsError) {
        var decoder = CanonicalDecoder(Array(column))
        var offset = 0
        let siblings = try decoder.list { decoder throws(RecordsError) in
            try decoder.sibling(of: record, boxOffset: &offset, boxes: boxes)
        }
        try decoder.end()
        self.init(siblings.map { (dot: $0.envelope.dot, value: $0) })
    }

    /// The column `siblings`, for boxes in this order.
    package var column: Data {
        var encoder = CanonicalEncoder()
        encoder.list(entries) { $0.sibling($1.value) }
        return encoder.encoded.data
    }

    /// The column `boxes`, made from its stored value and the new boxes.
    package func boxes(from stored: Data) throws(RecordsError) -> Data {
        var boxes = Data()
        for entry in entries {
            if let range = entry.value.storedBox {
                boxes.append(try stored.part(range))
            } else {
                boxes.append(contentsOf: entry.value.envelope.box)
            }
        }
        return boxes
    }
}

extension Data {
    fileprivate func part(_ range: Range<Int>) throws(RecordsError) -> Data {
        guard range.upperBound <= count else { throw .malformed }
        return self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }
}

extension CanonicalEncoder {
    fileprivate mutating func sibling(_ sibling: HeldSibling) {
        integer(sibling.envelope.format)
        dot(sibling.envelope.dot)
        dots(sibling.envelope.replaced)
        integer(sibling.envelope.generation)
        boolean(sibling.envelope.isTombstone)
        integer(sibling.envelope.kind.rawValue)
        fixed(sibling.boxHash)
        integer(UInt64(sibling.boxByteCount))
    }
}

extension CanonicalDecoder {
    fileprivate mutating func sibling(
        of record: RecordID,
        boxOffset: inout Int,
        boxes: Data?
    ) throws(RecordsError) -> HeldSibling {
        let format = try integer()
        let dot = try dot()
        let replaced = try dots()
        let generation = try integer()
        let isTombstone = try boolean()
        guard let kind = RecordKind(rawValue: try integer()) else { throw .malformed }
        let boxHash: Hash = try fixed()
        guard let count = Int(exactly: try integer()), count <= kind.boxBytesMax else {
            throw .malformed
        }
        let range = boxOffset..<boxOffset + count
        boxOffset = range.upperBound
        let box = try boxes?.part(range)
        let envelope = Envelope(
            format: format,
            recordID: record,
            dot: dot,
            replaced: replaced,
            generation: generation,
            isTombstone: isTombstone,
            kind: kind,
            box: box.map(Array.init) ?? []
        )
        return HeldSibling(envelope, storedBox: range, boxHash: boxHash)
    }
}
