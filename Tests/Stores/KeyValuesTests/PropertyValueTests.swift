import KSKeyValues
import KSRecords
import KSTestSupport
import Testing

struct PropertyValueTests {
    private static let special: [PropertyValue] = [
        .bool(false), .bool(true), .integer(0), .integer(.min), .integer(.max), .unsigned(.max),
        .real(0), .real(-0.0), .real(.nan), .real(Double(bitPattern: 0x7FF0_0000_0000_0001)),
        .real(.infinity), .real(-.infinity), .real(.leastNonzeroMagnitude), .string(""),
        .string("\u{0}\n"), .string("e\u{301}"), .string("\u{E9}"), .data([]), .data([0, 255]),
        .date(0.123456789), .date(-1e300), .array([]), .array([.integer(1), .real(1)]),
        .dictionary(PropertyDictionary()),
        .dictionary(PropertyDictionary([("b", .bool(true)), ("a", .array([.data([1])]))])),
        .dictionary(PropertyDictionary([("e\u{301}", .integer(1)), ("\u{E9}", .integer(2))])),
    ]

    private static func random(
        _ generator: inout SeededGenerator,
        depth: Int = 0
    ) -> PropertyValue {
        switch Int.random(in: 0..<(depth < 3 ? 9 : 7), using: &generator) {
        case 0: .bool(.random(using: &generator))
        case 1: .integer(.random(in: .min ... .max, using: &generator))
        case 2: .integer(of: .random(in: 0 ... .max, using: &generator))
        case 3: .real(Double(bitPattern: .random(in: 0 ... .max, using: &generator)))
        case 4: .date(Double(bitPattern: .random(in: 0 ... .max, using: &generator)))
        case 5: .string(String(Int.random(in: 0..<100, using: &generator)))
        case 6: .data((0..<3).map { _ in .random(in: 0 ... .max, using: &generator) })
        case 7: .array((0..<3).map { _ in random(&generator, depth: depth + 1) })
        default:
            .dictionary(
                PropertyDictionary(
                    (0..<3).map { ("k\($0)", random(&generator, depth: depth + 1)) }
                )
            )
        }
    }

    @Test
    func `every value decodes with its type and bits`() throws {
        var generator = SeededGenerator(seed: 1)
        let values = Self.special + (0..<5000).map { _ in Self.random(&generator) }
        for value in values { #expect(try PropertyValue(decoding: value.encoded) == value) }
    }

    @Test
    func `values of different types or bits are different`() {
        for (index, left) in Self.special.enumerated() {
            for right in Self.special.dropFirst(index + 1) {
                #expect(left != right && left.encoded != right.encoded)
            }
        }
    }

    @Test
    func `the order in which a dictionary was made does not matter`() {
        let entries: [(key: String, value: PropertyValue)] = (0..<20).map {
            ("key \($0)", .integer($0))
        }
        let forwards = PropertyDictionary(entries)
        #expect(forwards == PropertyDictionary(entries.reversed()))
    }

    @Test
    func `the encoding is frozen`() {
        let value = PropertyValue.dictionary(
            PropertyDictionary([("a", .array([.integer(-1), .real(1.5)])), ("b", .data([7]))])
        )
        let frozen =
            "0a0201610902"
            + "03ffffffffffffffff" + "053ff8000000000000" + "0162070107"
        #expect(Hexadecimal.text(value.encoded) == frozen)
        let scalars: [(PropertyValue, String)] = [
            (.bool(false), "01"), (.bool(true), "02"), (.integer(.min), "038000000000000000"),
            (.integer(of: UInt64.max), "04ffffffffffffffff"),
            (.real(.nan), "057ff8000000000000"), (.real(-0.0), "058000000000000000"),
            (.real(-.infinity), "05fff0000000000000"), (.string("\u{E9}"), "0602c3a9"),
            (.date(-0.5), "08bfe0000000000000"),
        ]
        for (scalar, frozen) in scalars {
            #expect(Hexadecimal.text(scalar.encoded) == frozen, "\(scalar)")
        }
    }

    @Test(arguments: [
        "", "00", "0b", "03", "0300000000000000", "04000000000000000a", "060161ff", "0601ff",
        "0a02016201016101", "0a02016101016101", "0901", "0102",
    ])
    func `other bytes are refused`(text: String) {
        let bytes = Hexadecimal.bytes(text)
        #expect(throws: RecordsError.malformed) { try PropertyValue(decoding: bytes) }
    }

    @Test
    func `a value that is nested too deeply is refused`() {
        var value = PropertyValue.array([])
        for _ in 0..<PropertyValue.depthMax { value = .array([value]) }
        #expect(throws: Never.self) { try PropertyValue(decoding: value.encoded) }
        let deeper = PropertyValue.array([value])
        #expect(throws: RecordsError.malformed) { try PropertyValue(decoding: deeper.encoded) }
    }

    @Test
    func `random changes of an encoding are refused or are another value`() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<5000 {
            let value = Self.random(&generator)
            var bytes = value.encoded
            let place = Int.random(in: bytes.indices, using: &generator)
            bytes[place] ^= UInt8.random(in: 1 ... .max, using: &generator)
            // Most changes are refused.
            guard let other = try? PropertyValue(decoding: bytes) else { continue }
            #expect(other != value && other.encoded == bytes)
        }
    }
}
