import KSCausality
import KSDigests
import KSRecords
import KSSealing
import KSTestSupport
import Testing

/// The digest of an account's records, with sums that Python's `hmac` and integers gave.
struct RecordDigestTests {
    private struct Write {
        let record: RecordID
        let dot: Dot
        let boxHash: Hash
    }

    private let keyRing: KeyRing
    private let one = Write(
        record: RecordID(validated: .rising(from: 0)),
        dot: Dot(actor: ActorID(rawValue: 0x0102_0304_0506_0708), counter: 3),
        boxHash: Hash(validated: [UInt8](repeating: 0xFF, count: 32))
    )
    private let other = Write(
        record: RecordID(validated: .rising(from: 1)),
        dot: Dot(actor: ActorID(rawValue: 0xFFEE_DDCC_BBAA_9988), counter: 1 << 40),
        boxHash: Hash(validated: .rising(from: 64))
    )

    init() throws {
        var encoder = CanonicalEncoder(label: "key ring")
        encoder.bytes(.rising(from: 1))
        encoder.bytes(.rising(from: 2))
        encoder.list([UInt64(1)]) { encoder, generation in
            encoder.integer(generation)
            encoder.bytes(.rising(from: 0x40))
        }
        keyRing = try KeyRing(decoding: encoder.encoded)
    }

    private func sum(_ writes: [Write]) throws -> String {
        var digest = try #require(RecordDigest(keyRing: keyRing, generation: 1))
        for write in writes { digest.add(write.record, write.dot, boxHash: write.boxHash) }
        return Hexadecimal.text(digest.value.bytes)
    }

    @Test
    func `one write and two, whose sum exceeds 256 bits`() throws {
        #expect(
            try sum([one]) == "ffefe47c115dfb32e816dc1862b3b44694614f1c0b02038fd464ae02b5106624"
        )
        #expect(
            try sum([other]) == "ecd818e2b9bc3f5dbe39c064c44776935a7a3ee1969b3348282de1942632591e"
        )
        #expect(
            try sum([one, other])
                == "ecc7fd5ecb1a3a90a6509c7d26fb2ad9eedb8dfda19d36d7fc928f96db42bf42"
        )
        #expect(try sum([]) == String(repeating: "0", count: 64))
    }

    @Test
    func `a hundred writes in any order have one digest`() throws {
        var generator = SeededGenerator(seed: 5)
        let writes = (1...100).map { (number: UInt8) in
            Write(
                record: RecordID(validated: SHA256.hash([number])),
                dot: Dot(
                    actor: ActorID(rawValue: UInt64(number)),
                    counter: UInt64(number) * UInt64(number)
                ),
                boxHash: Hash(validated: SHA256.hash([number, number]))
            )
        }
        for _ in 0..<20 {
            #expect(
                try sum(writes.shuffled(using: &generator))
                    == "c0240e3c9753d1cab696c993f5625554fdc4fe1ebf689d67d59668a87ac889e0"
            )
        }
    }

    @Test
    func `each part of a write changes it`() throws {
        let usual = try sum([one])
        let changed = [
            Write(record: other.record, dot: one.dot, boxHash: one.boxHash),
            Write(record: one.record, dot: other.dot, boxHash: one.boxHash),
            Write(record: one.record, dot: one.dot, boxHash: other.boxHash),
        ]
        for write in changed { #expect(try sum([write]) != usual) }
    }

    @Test
    func `another generation has another digest, and an unknown one has none`() throws {
        let newer = try keyRing.startingGeneration(from: SeededRandomSource(seed: 1))
        var digest = try #require(RecordDigest(keyRing: newer, generation: 2))
        digest.add(one.record, one.dot, boxHash: one.boxHash)
        #expect(try Hexadecimal.text(digest.value.bytes) != sum([one]))
        #expect(RecordDigest(keyRing: keyRing, generation: 2) == nil)
    }
}
