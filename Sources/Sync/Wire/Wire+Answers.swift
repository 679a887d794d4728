internal import Foundation
package import KSCausality
package import KSRecords
internal import SwiftProtobuf

// Conversions between a server's answers about records and their messages.

extension WirePushResponse {
    package init(_ answer: PushAnswer) {
        self.init()
        records = answer.records.map { accepted in
            var record = WirePushedRecord()
            record.seq = accepted.seq
            record.dots = accepted.dots.map(WireDot.init)
            return record
        }
        cursor = WireCursor(answer.cursor)
        circleVersion = answer.circleVersion
        accountBytes = answer.usage?.bytes ?? 0
        accountBytesMax = answer.usage?.bytesMax ?? 0
    }
}

extension PushAnswer {
    package init(_ message: WirePushResponse) throws(WireError) {
        let records = try message.records.map { record throws(WireError) in
            let dots = try record.dots.map { dot throws(WireError) in try dot.value() }
            return Accepted(seq: try record.seq.counted(), dots: dots)
        }
        guard message.hasCursor else { throw .malformed }
        self.init(
            records: records,
            cursor: try message.cursor.value(),
            circleVersion: message.circleVersion,
            usage: AccountUsage(bytes: message.accountBytes, max: message.accountBytesMax)
        )
    }
}

extension WireChangesResponse {
    /// `known`: the fingerprint of the vector that the device knows; nil if it did not say.
    package init(_ page: PageAnswer, after start: Cursor? = nil, known: [UInt8]? = nil) {
        self.init()
        if let known, page.records.isEmpty, page.cursor == start,
            page.vector.fingerprint == known
        {
            vectorKnown = true
        }
        records = page.records.map(WireRecord.init)
        cursor = WireCursor(page.cursor)
        more = page.hasMore
        if !vectorKnown { vector = [WireVectorEntry](page.vector) }
        circleVersion = page.circleVersion
        accountBytes = page.usage?.bytes ?? 0
        accountBytesMax = page.usage?.bytesMax ?? 0
        accountSeq = page.accountSeq
        removalHorizon = page.removalHorizon
    }
}

extension PageAnswer {
    /// `known`: the vector of which the request gave the fingerprint, if it gave one.
    package init(
        _ message: WireChangesResponse,
        known: VersionVector? = nil
    ) throws(WireError) {
        let records = try message.records.map { record throws(WireError) in try Record(record) }
        guard message.hasCursor else { throw .malformed }
        var vector = try message.vector.vector()
        if message.vectorKnown {
            guard let known, vector.isEmpty, records.isEmpty, !message.more else {
                throw .malformed
            }
            vector = known
        }
        self.init(
            records: records,
            cursor: try message.cursor.value(),
            hasMore: message.more,
            vector: vector,
            circleVersion: message.circleVersion,
            usage: AccountUsage(bytes: message.accountBytes, max: message.accountBytesMax),
            accountSeq: try message.accountSeq.counted(),
            removalHorizon: try message.removalHorizon.counted()
        )
    }
}

extension AccountUsage {
    /// Nil where the answer does not say: an account has at least the first entry of its circle.
    fileprivate init?(bytes: UInt64, max: UInt64) {
        guard bytes > 0 else { return nil }
        self.init(bytes: bytes, bytesMax: max > 0 ? max : nil)
    }
}

extension WireEvent {
    package init(seq: UInt64, circleVersion: UInt64, _ announced: AnnouncedPage? = nil) throws {
        self.init()
        self.seq = seq
        self.circleVersion = circleVersion
        guard let announced else { return }
        after = WireCursor(announced.after)
        page = try WireChangesResponse(announced.page).serializedBytes()
    }

    /// Reads the data line of an event; fields that a newer server adds are ignored.
    package init(_ data: String) throws(WireError) {
        do {
            try self.init(jsonString: data, options: .ignoringUnknown)
        } catch {
            throw .malformed
        }
    }

    /// The page, if the event has one.
    package func announcedPage() throws(WireError) -> AnnouncedPage? {
        guard hasAfter, !page.isEmpty else { return nil }
        let message: WireChangesResponse
        do {
            message = try WireChangesResponse(serializedBytes: page)
        } catch {
            throw .malformed
        }
        return AnnouncedPage(after: try after.value(), page: try PageAnswer(message))
    }
}

extension WireRecord {
    package init(_ record: PageAnswer.Record) {
        self.init()
        recordID = Data(record.id.bytes)
        seq = record.seq
        siblings = record.siblings.map(WireEnvelope.init)
    }
}

extension PageAnswer.Record {
    package init(_ message: WireRecord) throws(WireError) {
        guard let id = RecordID(Array(message.recordID)) else { throw .malformed }
        let siblings = try message.siblings.map { envelope throws(WireError) in
            try envelope.value()
        }
        self.init(id: id, seq: try message.seq.counted(), siblings: siblings)
    }
}
