internal import Foundation
internal import Records
package import Wire

// What a replica is told, out of the messages that carry it.

extension PushAnswer {
    package init(_ message: WirePushResponse) throws(WireError) {
        records = try message.records.map { record throws(WireError) in
            let dots = try record.dots.map { dot throws(WireError) in try dot.value() }
            return Accepted(seq: record.seq, dots: dots)
        }
        guard message.hasCursor else { throw .malformed }
        cursor = try message.cursor.value()
        circleVersion = message.circleVersion
    }
}

extension PageAnswer {
    package init(_ message: WireChangesResponse) throws(WireError) {
        records = try message.records.map { record throws(WireError) in
            guard let id = RecordID(Array(record.recordID)) else { throw .malformed }
            let siblings = try record.siblings.map { envelope throws(WireError) in
                try envelope.value()
            }
            return Record(id: id, seq: record.seq, siblings: siblings)
        }
        guard message.hasCursor else { throw .malformed }
        cursor = try message.cursor.value()
        hasMore = message.more
        vector = message.vector.vector
        circleVersion = message.circleVersion
    }
}

extension SyncAnswer {
    /// The newest entries of the circle, in order.
    package static func circle(_ message: WireCircleResponse) throws(WireError) -> SyncAnswer {
        .circle(try message.entries.map { entry throws(WireError) in try entry.value() })
    }
}
