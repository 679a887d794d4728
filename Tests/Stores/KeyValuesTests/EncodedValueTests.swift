import KSKeyValues
import KSRecords
import KSTestSupport
import Testing

/// Values that stay encoded: what is checked without being decoded is what decodes.
struct EncodedValueTests {
    private static let value = PropertyValue.dictionary(
        PropertyDictionary([
            ("", .data([1, 2])), ("a", .array([.integer(-1), .real(1.5), .date(2), .bool(false)])),
            ("e\u{301}", .string("text")), ("u", .unsigned(.max)),
            ("z", .dictionary(PropertyDictionary([("n", .array([.array([])]))]))),
        ])
    )

    private func expectSame(_ bytes: [UInt8]) {
        // Which error it is does not matter, only whether there is one.
        let decoded = try? PropertyValue(decoding: bytes)
        // The same here.
        let checked = try? EncodedValue(checking: bytes)
        #expect((decoded == nil) == (checked == nil), "\(Hexadecimal.text(bytes))")
        #expect(decoded == checked?.value)
        if let decoded, let checked { #expect(decoded.depth == checked.depth) }
    }

    @Test
    func `bytes are refused exactly when they do not decode`() {
        let whole = Self.value.encoded
        expectSame(whole)
        for end in whole.indices { expectSame(Array(whole[..<end])) }
        for index in whole.indices {
            for change in 1...255 as ClosedRange<UInt8> {
                var bytes = whole
                bytes[index] ^= change
                expectSame(bytes)
            }
        }
        expectSame(whole + [0])
    }

    @Test
    func `a value that is nested too deeply is refused, and its depth is known`() throws {
        var value = PropertyValue.integer(1)
        for _ in 0..<PropertyValue.depthMax { value = .array([value]) }
        let deepest = try EncodedValue(checking: value.encoded)
        #expect(deepest.depth == PropertyValue.depthMax)
        let deeper = EncodedValue(arrayOf: [deepest])
        #expect(throws: RecordsError.malformed) { try EncodedValue(checking: deeper.bytes) }
        #expect(deeper.depth == PropertyValue.depthMax + 1)
        #expect(deeper.value == .array([value]))
        #expect(
            throws: KeyValueError.limitExceeded(.depth, wanted: 65, max: PropertyValue.depthMax)
        ) { try KeyValueLimits.check(depthOf: deeper) }
    }

    @Test
    func `parts make the same bytes as a whole value`() {
        let parts = [PropertyValue.integer(1), .string("b"), .array([.bool(true)])]
        let array = EncodedValue(arrayOf: parts.map { EncodedValue($0) })
        #expect(array.bytes == PropertyValue.array(parts).encoded)
        let fields: [(key: String, value: PropertyValue)] = [
            ("b", .integer(1)), ("", .bool(true)), ("e\u{301}", .real(2)), ("\u{E9}", .real(3)),
        ]
        let dictionary = EncodedValue(
            dictionaryOf: fields.map { (Array($0.key.utf8), EncodedValue($0.value)) }
        )
        #expect(dictionary.bytes == PropertyValue.dictionary(PropertyDictionary(fields)).encoded)
    }

    /// With what it pointed to, 4 MiB of booleans became 172 MB in memory.
    @Test
    func `a decoded value takes 24 bytes in an array, and a small one nothing else`() {
        #expect(MemoryLayout<PropertyValue>.stride <= 24)
    }

    @Test
    func `a field of a dictionary is found without looking at all others`() {
        let growth = growth(of: 8, from: 2000) { count in
            let fields = PropertyDictionary((0..<count).map { ("\($0)", .integer(Int64($0))) })
            for index in 0..<count {
                #expect(fields["\(index)"] == .integer(Int64(index)))
            }
            #expect(fields["x"] == nil && fields[""] == nil)
        }
        #expect(growth < 24, "\(growth) times as long for 8 times as many")
    }
}
