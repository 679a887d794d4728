internal import KSCausality
internal import KSRecords

/// Why a page contradicts itself: none of it is applied, and it is pulled again.
///
/// Every page is checked, also a new device's first one: these faults do not depend on what a
/// device knew before.
package enum PageFault: String, Error, Sendable, CaseIterable {
    /// The page's cursor says that there are writes, but its vector is empty.
    case vectorMissing
    /// The page's vector does not cover a sibling's dot.
    case siblingAboveVector
    /// A record has no siblings.
    case recordWithoutSiblings
    /// The seqs do not rise from record to record, or leave the range between the request's cursor
    /// and the page's.
    case seqsDoNotRise
    /// The page lists a record twice.
    case recordTwice
    /// The page promises more but does not move the cursor: the device would pull it for ever.
    case standstill
}

extension PageAnswer {
    /// Throws the first fault of the page as the answer to a pull after `cursor`.
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
