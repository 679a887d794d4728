import Foundation
import KSCausality
import KSRecords
import KSWire
import SwiftProtobuf
import Testing

/// A page without news leaves out the vector that the device knows.
struct KnownVectorTests {
    private static let cursor = Cursor(
        epoch: StoreEpoch(validated: [UInt8](repeating: 1, count: StoreEpoch.byteCount)),
        seq: 1000,
        tag: CommitTag(validated: [UInt8](repeating: 2, count: CommitTag.byteCount))
    )
    /// Of an account with a thousand actors that write no more.
    private static let vector = VersionVector(
        (1...1000).map { (actor: ActorID(rawValue: $0 << 40 | 7), counter: $0) }
    )

    private static func page(hasRecord: Bool = false) throws -> PageAnswer {
        PageAnswer(
            records: hasRecord
                ? [
                    .init(
                        id: RecordID(validated: [UInt8](repeating: 3, count: RecordID.byteCount)),
                        seq: 1000,
                        siblings: []
                    )
                ] : [],
            cursor: cursor,
            hasMore: false,
            vector: vector,
            circleVersion: 1000
        )
    }

    @Test
    func `a page without news is small, and is read as the whole one`() throws {
        let page = try Self.page()
        let message = WireChangesResponse(
            page,
            after: Self.cursor,
            known: Self.vector.fingerprint
        )
        #expect(try message.serializedData().count < 100)
        #expect(try WireChangesResponse(page).serializedData().count > 10_000)
        #expect(try PageAnswer(message, known: Self.vector) == page)
    }

    @Test
    func `with another vector, another cursor or a record the vector is sent`() throws {
        var other = Self.vector
        other.raise(ActorID(rawValue: 9), to: 1)
        let known = Self.vector.fingerprint
        let messages = [
            WireChangesResponse(try Self.page(), after: Self.cursor, known: other.fingerprint),
            WireChangesResponse(try Self.page(), after: nil, known: known),
            WireChangesResponse(try Self.page(), after: Self.cursor, known: nil),
            WireChangesResponse(try Self.page(hasRecord: true), after: Self.cursor, known: known),
        ]
        for message in messages {
            #expect(!message.vectorKnown && message.vector.count == 1000)
        }
    }

    @Test
    func `a known vector that was not offered, or comes with news, is refused`() throws {
        var message = WireChangesResponse(
            try Self.page(),
            after: Self.cursor,
            known: Self.vector.fingerprint
        )
        #expect(throws: WireError.malformed) { try PageAnswer(message) }
        message.more = true
        #expect(throws: WireError.malformed) { try PageAnswer(message, known: Self.vector) }
        message.more = false
        message.vector = [.with { ($0.actor, $0.counter) = (1, 1) }]
        #expect(throws: WireError.malformed) { try PageAnswer(message, known: Self.vector) }
    }

    @Test
    func `fingerprints of different vectors differ`() {
        var fingerprints: Set<[UInt8]> = []
        for actor in 1...3 as ClosedRange<UInt64> {
            for counter in 1...3 as ClosedRange<UInt64> {
                fingerprints.insert(
                    VersionVector([(actor: ActorID(rawValue: actor), counter: counter)])
                        .fingerprint
                )
            }
        }
        fingerprints.insert(VersionVector().fingerprint)
        #expect(fingerprints.count == 10)
        #expect(fingerprints.allSatisfy { $0.count == VersionVector.fingerprintByteCount })
    }
}
