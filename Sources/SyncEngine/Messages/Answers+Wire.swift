internal import Foundation
internal import KSRecords
package import KSWire

// What a replica is told, out of the messages that carry it.

extension PushAnswer {
    package init(_ message: WirePushResponse) throws(WireError) {
        records = try message.records.map { record throws(WireError) in
            let dots = try record.dots.map { dot throws(WireError) in try dot.value() }
            return Accepted(seq: try record.seq.counted(), dots: dots)
        }
        guard message.hasCursor else { throw .malformed }
        cursor = try message.cursor.value()
        circleVersion = message.circleVersion
    }
}

extension PageAnswer {
    package init(_ message: WireChangesResponse) throws(WireError) {
        records = try message.records.map { record throws(WireError) in try Record(record) }
        guard message.hasCursor else { throw .malformed }
        cursor = try message.cursor.value()
        hasMore = message.more
        vector = try message.vector.vector()
        circleVersion = message.circleVersion
    }
}

extension PageAnswer.Record {
    init(_ message: WireRecord) throws(WireError) {
        guard let id = RecordID(Array(message.recordID)) else { throw .malformed }
        let siblings = try message.siblings.map { envelope throws(WireError) in
            try envelope.value()
        }
        self.init(id: id, seq: try message.seq.counted(), siblings: siblings)
    }
}

extension WireRecord {
    init(_ record: PageAnswer.Record) {
        self.init()
        recordID = Data(record.id.bytes)
        seq = record.seq
        siblings = record.siblings.map(WireEnvelope.init)
    }
}

extension SyncAnswer {
    /// The newest entries of the circle, in order.
    package static func circle(_ message: WireCircleResponse) throws(WireError) -> SyncAnswer {
        .circle(try message.entries.map { entry throws(WireError) in try entry.value() })
    }
}
