internal import KSCausality
internal import KSRecords

/// Why a page does not agree with itself: nothing of it is taken, and it is asked for again.
///
/// It is asked of every page, also of the first one of a new device: what such a page says is
/// wrong whatever was known before.
package enum PageFault: String, Error, Sendable, CaseIterable {
    /// There are writes, says the page, and no vector that tells of them.
    case vectorMissing
    /// A record holds a write that the vector does not know.
    case siblingAboveVector
    /// A record has no siblings.
    case recordWithoutSiblings
    /// The records do not rise from what was asked for to the page's end, each with a seq of its
    /// own.
    case seqsDoNotRise
    /// A record stands there twice.
    case recordTwice
    /// There is more, and yet it is no further on: asking again would get the same for ever.
    case standstill
}

extension PageAnswer {
    /// The first thing that is wrong with the page as the answer to a request from a cursor on.
    func check(after cursor: Cursor?) throws(PageFault) {
        var seq = cursor?.seq ?? 0
        guard !hasMore || self.cursor.seq > seq else { throw .standstill }
        guard self.cursor.seq == 0 || !vector.isEmpty else { throw .vectorMissing }
        var ids: Set<RecordID> = []
        for record in records {
            guard !record.siblings.isEmpty else { throw .recordWithoutSiblings }
            guard record.seq > seq, record.seq <= self.cursor.seq else { throw .seqsDoNotRise }
            seq = record.seq
            guard ids.insert(record.id).inserted else { throw .recordTwice }
            guard record.siblings.allSatisfy({ vector.contains($0.dot) }) else {
                throw .siblingAboveVector
            }
        }
    }
}
