import Foundation
import KSRecords
import SwiftProtobuf
import KSTestSupport
import Testing
import KSWire

/// Attack 35: elements are counted before a message is decoded.
struct CountedMessageTests {
    /// The n-th message of a list exceeds the limit.
    struct Bound: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let max: Int
        /// Decodes a message with this many elements.
        let decode: @Sendable (Int) throws -> Void

        init<Message: CountedMessage & Equatable>(
            _ name: String,
            _ max: Int,
            _ make: @escaping @Sendable (Int) -> Message
        ) {
            testDescription = name
            self.max = max
            decode = { count in
                let message = make(count)
                let decoded = try Message(counting: Array(try message.serializedData()))
                #expect(decoded == message)
            }
        }
    }

    private static func list<Part>(_ count: Int, of part: Part) -> [Part] {
        [Part](repeating: part, count: count)
    }

    static let bounds: [Bound] = [
        Bound("envelopes of a push", Limits.batchRecordsMax) { count in
            WirePushRequest.with { $0.envelopes = list(count, of: WireEnvelope()) }
        },
        Bound("dots an envelope replaces", Limits.replacedMax) { count in
            let envelope = WireEnvelope.with { $0.replaced = list(count, of: WireDot()) }
            return WirePushRequest.with { $0.envelopes = [envelope, envelope] }
        },
        Bound("answers of a push", Limits.batchRecordsMax) { count in
            WirePushResponse.with { $0.records = list(count, of: WirePushedRecord()) }
        },
        Bound("dots of an answer", Limits.siblingsMax) { count in
            let record = WirePushedRecord.with { $0.dots = list(count, of: WireDot()) }
            return WirePushResponse.with { $0.records = [record, record] }
        },
        Bound("records of a page", Limits.pageRecordsMax) { count in
            WireChangesResponse.with { $0.records = list(count, of: WireRecord()) }
        },
        Bound("siblings of a record", Limits.siblingsMax) { count in
            let record = WireRecord.with { $0.siblings = list(count, of: WireEnvelope()) }
            return WireChangesResponse.with { $0.records = [record, record] }
        },
        Bound("dots a sibling replaces", Limits.replacedMax) { count in
            let envelope = WireEnvelope.with { $0.replaced = list(count, of: WireDot()) }
            let record = WireRecord.with { $0.siblings = [envelope] }
            return WireChangesResponse.with { $0.records = [record, record] }
        },
        Bound("entries of a vector", Limits.actorsMax) { count in
            WireChangesResponse.with { $0.vector = list(count, of: WireVectorEntry()) }
        },
        Bound("heads", Limits.actorsMax) { count in
            WireChangesResponse.with { $0.heads = list(count, of: Data()) }
        },
        Bound("envelopes of a sign-up", Limits.membersMax) { count in
            WireSignupRequest.with { $0.envelopes = list(count, of: WireKeyEnvelope()) }
        },
        Bound("signatures of a genesis", Limits.entrySignaturesMax) { count in
            WireSignupRequest.with { $0.entry.signatures = list(count, of: WireMemberSignature()) }
        },
        Bound("entries of a circle", Limits.circleEntriesMax + Limits.membersMax) { count in
            WireCircleResponse.with { $0.entries = list(count, of: WireSignedEntry()) }
        },
        Bound("envelopes of an update", Limits.membersMax) { count in
            WireCircleUpdate.with { $0.envelopes = list(count, of: WireKeyEnvelope()) }
        },
        Bound("signatures of an update", Limits.entrySignaturesMax) { count in
            WireCircleUpdate.with { $0.entry.signatures = list(count, of: WireMemberSignature()) }
        },
    ]

    @Test(arguments: bounds)
    func `the limit is accepted, and one more is too large`(bound: Bound) throws {
        try bound.decode(bound.max)
        #expect(throws: WireError.tooLarge) { try bound.decode(bound.max + 1) }
    }

    @Test
    func `JSON is counted as a whole, and braces in strings do not count`() throws {
        let envelopes = String(repeating: "{},", count: 40_000) + "{}"
        #expect(throws: WireError.tooLarge) {
            try WirePushRequest(countingJSON: Array(#"{"envelopes":[\#(envelopes)]}"#.utf8))
        }
        let name = String(repeating: #"{\"\\"#, count: 4000)
        let message = try WireSignupRequest(countingJSON: Array(#"{"name":"\#(name)"}"#.utf8))
        #expect(message.name == String(repeating: #"{"\"#, count: 4000))
        for number in [0, 1, Limits.batchRecordsMax] {
            let push = WirePushRequest.with {
                $0.envelopes = Self.list(number, of: Self.envelope())
            }
            #expect(try WirePushRequest(countingJSON: Array(push.jsonUTF8Data())) == push)
        }
    }

    static let strange: [([UInt8], WireError)] = [
        // A group; a repeated field; varints without an end, and of more than 64 bits.
        ([0x1B, 0x1C], .malformed), ([0x22, 0, 0x22, 0], .tooLarge), ([0x80], .malformed),
        ([0x10] + [UInt8](repeating: 0xFF, count: 9) + [2], .malformed),
        ([0x10] + [UInt8](repeating: 0x80, count: 11) + [0], .malformed),
        // Lengths beyond the end, and beyond any number.
        ([0x1A, 1], .malformed), ([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], .malformed),
        ([0x1A] + [UInt8](repeating: 0xFF, count: 9) + [1], .malformed),
        ([0x1A, 2, 0x1A, 5], .malformed), ([0x09, 1, 2], .malformed), ([0x0D, 1, 2], .malformed),
    ]

    @Test(arguments: strange)
    func `other messages are refused`(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try WirePushRequest(counting: bytes) }
    }

    @Test
    func `unknown fields are ignored`() throws {
        let message = WirePushRequest.with { $0.signature = Data([7]) }
        let known: [UInt8] = try message.serializedBytes()
        // Numbers 100 and 101: a varint, and bytes.
        let unknown: [UInt8] = [0xA0, 0x06, 0x96, 0x01, 0xAA, 0x06, 0x02, 0x1A, 0x00]
        #expect(try WirePushRequest(counting: unknown + known).signature == Data([7]))
    }

    private static func envelope() -> WireEnvelope {
        .with {
            $0.recordID = Data(repeating: 0x1A, count: 32)
            $0.dot.counter = 1
            $0.replaced = list(3, of: .with { $0.actor = .max })
            $0.box = Data(repeating: 0x22, count: 100)
        }
    }

    /// For any bytes: the count or the decoder refuses them, or the message is small.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `no bytes make more messages than the limit`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let page = WireChangesResponse.with {
            $0.records = Self.list(4, of: .with { $0.siblings = Self.list(2, of: Self.envelope()) })
            $0.vector = Self.list(5, of: .with { $0.counter = 300 })
            $0.cursor.tag = Data(count: 8)
        }
        let whole: [UInt8] = try page.serializedBytes()
        #expect(try WireChangesResponse(counting: whole) == page)
        var readable = 0
        for _ in 0..<300 {
            let bytes = Self.mutated(whole, using: &random)
            // Refused bytes make no message.
            guard let read = try? WireChangesResponse(counting: bytes) else { continue }
            readable += 1
            #expect(read.records.count <= Limits.pageRecordsMax)
            let siblings = read.records.map(\.siblings)
            #expect(siblings.allSatisfy { $0.count <= Limits.siblingsMax })
            let replaced = siblings.joined().map(\.replaced.count)
            #expect(replaced.allSatisfy { $0 <= Limits.replacedMax })
            // The decoder alone gives the same result.
            #expect(try WireChangesResponse(serializedBytes: bytes) == read)
        }
        #expect(readable > 0)
    }

    private static func mutated(
        _ bytes: [UInt8],
        using random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
            case 2:
                // Many empty messages of some field, in the middle of the bytes.
                let key = UInt8([0x0A, 0x12, 0x1A, 0x22, 0x32].randomElement(using: &random) ?? 0)
                let count = Int.random(in: 1...700, using: &random)
                bytes.insert(contentsOf: (0..<count).flatMap { _ in [key, 0] }, at: index)
            default:
                bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &random))
            }
        }
        return bytes
    }
}
