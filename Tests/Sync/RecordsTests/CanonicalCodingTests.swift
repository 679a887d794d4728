import KSCausality
import KSRecords
import KSTestSupport
import Testing

struct CanonicalCodingTests {
    @Test(arguments: [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 1 << 32, 1 << 63, .max] as [UInt64])
    func `integers survive encoding`(value: UInt64) throws {
        var encoder = CanonicalEncoder()
        encoder.integer(value)
        encoder.compactInteger(value)
        var decoder = CanonicalDecoder(encoder.encoded)
        #expect(try decoder.integer() == value)
        #expect(try decoder.compactInteger() == value)
        try decoder.end()
    }

    @Test(
        arguments: [
            [], [0x80], [0x80, 0x00], [0xFF, 0x00], [UInt8](repeating: 0xFF, count: 10),
            [UInt8](repeating: 0x80, count: 9) + [0x02],
            [UInt8](repeating: 0x80, count: 10) + [0x01],
        ] as [[UInt8]]
    )
    func `a compact integer has one form only`(bytes: [UInt8]) {
        var decoder = CanonicalDecoder(bytes)
        #expect(throws: RecordsError.malformed) { try decoder.compactInteger() }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `vectors, contexts and dots survive encoding`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var vector = VersionVector()
        var context = StampContext()
        var dots: Set<Dot> = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let actor = ActorID(rawValue: .random(in: 0...2, using: &random))
            let number = UInt64.random(in: 1...9, using: &random)
            let stamp = Stamp(time: HybridTime(rawValue: number), actor: actor)
            vector.raise(actor, to: number)
            dots.insert(Dot(actor: actor, counter: number))
            if Bool.random(using: &random) {
                context.raise(to: stamp)
            } else {
                context.insertExactly(stamp)
            }
        }
        var encoder = CanonicalEncoder(label: "test")
        encoder.vector(vector)
        encoder.context(context)
        encoder.dots(Array(dots) + Array(dots))
        var decoder = try CanonicalDecoder(encoder.encoded, label: "test")
        #expect(try decoder.vector() == vector)
        #expect(try decoder.context() == context)
        #expect(try decoder.dots() == dots.sorted())
        try decoder.end()
    }

    @Test
    func `only this structure's label is accepted`() {
        let encoded = CanonicalEncoder(label: "batch").encoded
        #expect(throws: Never.self) { try CanonicalDecoder(encoded, label: "batch") }
        #expect(throws: RecordsError.malformed) { try CanonicalDecoder(encoded, label: "entry") }
        #expect(throws: RecordsError.malformed) { try CanonicalDecoder([], label: "batch") }
    }

    @Test
    func `a count or length without contents allocates nothing`() {
        var encoder = CanonicalEncoder()
        encoder.integer(.max)
        encoder.integer(0)
        #expect(throws: RecordsError.malformed) {
            var decoder = CanonicalDecoder(encoder.encoded)
            _ = try decoder.dots()
        }
        #expect(throws: RecordsError.malformed) {
            var decoder = CanonicalDecoder(encoder.encoded)
            _ = try decoder.bytes()
        }
    }

    @Test
    func `unordered, repeated and non-Boolean values are refused`() {
        let one = Dot(actor: ActorID(rawValue: 1), counter: 1)
        let two = Dot(actor: ActorID(rawValue: 1), counter: 2)
        for dots in [[two, one], [one, one]] {
            var encoder = CanonicalEncoder()
            encoder.list(dots) { $0.dot($1) }
            #expect(throws: RecordsError.malformed) {
                var decoder = CanonicalDecoder(encoder.encoded)
                _ = try decoder.dots()
            }
            // A vector has one entry for each actor.
            #expect(throws: RecordsError.malformed) {
                var decoder = CanonicalDecoder(encoder.encoded)
                _ = try decoder.vector()
            }
        }
        #expect(throws: RecordsError.malformed) {
            var decoder = CanonicalDecoder([0, 0, 0, 0, 0, 0, 0, 2])
            _ = try decoder.boolean()
        }
        #expect(throws: RecordsError.malformed) {
            var decoder = CanonicalDecoder([0, 0, 0, 0, 0, 0, 0, 1, 0xFF])
            _ = try decoder.string()
        }
    }
}
