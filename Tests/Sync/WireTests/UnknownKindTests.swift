import Foundation
import KSCausality
import KSRecords
import KSWire
import Testing

/// Records of a kind that only a newer program knows.
struct UnknownKindTests {
    private let envelope = Envelope(
        format: 1,
        recordID: RecordID(validated: [UInt8](repeating: 1, count: RecordID.byteCount)),
        dot: Dot(actor: ActorID(rawValue: 7), counter: 2),
        replaced: [],
        generation: 1,
        isTombstone: false,
        kind: RecordKind(number: 99),
        box: [1, 2, 3]
    )

    @Test
    func `a device reads a page with such a record`() throws {
        let record = PageAnswer.Record(id: envelope.recordID, seq: 1, siblings: [envelope])
        #expect(try PageAnswer.Record(WireRecord(record)) == record)
    }

    @Test
    func `a server refuses such a record of a batch by its name`() {
        let batch = Batch(signedHeader: [1], signature: [2], envelopes: [envelope])
        let refused = RefusedRecord(counter: 2, code: .malformed)
        #expect(throws: WireError.records([refused])) {
            try WirePushRequest(batch, applied: nil).batch()
        }
    }

    @Test(arguments: [0, UInt64(Int64.max) + 1])
    func `a number that no column holds is no kind`(number: UInt64) {
        var message = WireEnvelope(envelope)
        message.kind = number
        #expect(throws: WireError.malformed) { try message.value() }
    }
}
