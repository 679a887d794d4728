package import Foundation
package import KSCausality
package import KSRecords

/// The column `dots` of an accepted batch: each write's index in the batch and its record's dots.
///
/// Records that held only the write, which most do, are left out.
package enum DotsColumn {
    package static func encode(_ records: [PushAnswer.Accepted], firstDot: Dot) -> Data {
        let others = records.enumerated().filter { $1.dots != [firstDot.advanced(by: $0)] }
        var encoder = CanonicalEncoder()
        encoder.list(others) { encoder, other in
            encoder.integer(UInt64(other.offset))
            encoder.dots(other.element.dots)
        }
        return encoder.encoded.data
    }

    /// Reads the column of a batch with this number of writes and this first seq.
    package static func decode(
        _ column: Data,
        firstDot: Dot,
        firstSeq: UInt64,
        count: Int
    ) throws(RecordsError) -> [PushAnswer.Accepted] {
        var records = (0..<count).map { index in
            PushAnswer.Accepted(seq: firstSeq + UInt64(index), dots: [firstDot.advanced(by: index)])
        }
        var decoder = CanonicalDecoder(Array(column))
        let others = try decoder.list { decoder throws(RecordsError) in
            (index: try decoder.integer(), dots: try decoder.dots())
        }
        try decoder.end()
        for other in others {
            guard let index = Int(exactly: other.index), records.indices.contains(index) else {
                throw .malformed
            }
            records[index] = PushAnswer.Accepted(seq: records[index].seq, dots: other.dots)
        }
        return records
    }
}

extension Dot {
    fileprivate func advanced(by count: Int) -> Dot {
        Dot(actor: actor, counter: counter + UInt64(count))
    }
}
