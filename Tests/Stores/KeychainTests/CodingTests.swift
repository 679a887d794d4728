import KSDigests
import KSKeychain
import KSTestSupport
import Testing

struct CodingTests {
    static let values: [AttributeValue] = [
        .string(""), .string("é"), .data([]), .data([0, 255]), .integer(0), .integer(-1),
        .integer(.min), .integer(.max), .date(0), .date(-1.5), .date(800_000_000.123),
    ]

    @Test(arguments: values)
    func `a value is decoded with its type`(value: AttributeValue) throws {
        #expect(try AttributeValue(decoding: value.encoded) == value)
    }

    @Test
    func `the bytes of a value never change`() {
        #expect(AttributeValue.string("abc").encoded == [1, 97, 98, 99])
        #expect(AttributeValue.data([97]).encoded == [2, 97])
        #expect(AttributeValue.integer(-2).encoded == [3, 255, 255, 255, 255, 255, 255, 255, 254])
        #expect(AttributeValue.date(1.5).encoded == [4, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0])
    }

    @Test(
        arguments: [
            [], [0], [5, 1], [1, 0xFF], [3], [3, 0, 0, 0, 0, 0, 0, 1],
            [4, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0],
            [3, 0, 0, 0, 0, 0, 0, 0, 1, 1],
        ] as [[UInt8]]
    )
    func `other bytes are not a value`(encoded: [UInt8]) {
        #expect(throws: ItemStoreError.decode) { try AttributeValue(decoding: encoded) }
    }

    /// Bytes that decode are encoded to the same bytes.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a value has one encoding`(seed: UInt64) throws {
        let random = SeededRandomSource(seed: seed)
        let encoded = [UInt8(seed % 6)] + random.bytes(seed.isMultiple(of: 2) ? 8 : Int(seed % 5))
        // Most random bytes are not a value; other tests say which.
        guard let value = try? AttributeValue(decoding: encoded) else { return }
        #expect(value.encoded == encoded)
    }

    @Test
    func `the key of an item never changes`() {
        let key = ItemKey(
            .internetPassword,
            attributes: [
                .server: .string("example.com"), .port: .integer(443), .account: .data([97]),
                .accessGroup: .string("g"), .label: .string("not in the key"),
                .synchronizable: .integer(1), .multiUser: .data([]), .path: .string(""),
                .networkProtocol: .integer(0),
            ]
        )
        let attributes: [(String, UInt8, [UInt8])] = [
            ("acct", 1, [97]), ("agrp", 1, [103]),
            ("port", 2, [0, 0, 0, 0, 0, 0, 1, 187]), ("srvr", 1, bytes("example.com")),
        ]
        let expected =
            lengthLed(bytes("keychain-sync/1 item key")) + lengthLed(bytes("inet"))
            + integer(UInt8(attributes.count))
            + attributes.flatMap { name, type, value in
                lengthLed(bytes(name)) + integer(type) + lengthLed(value)
            }
        #expect(key.canonicalBytes == expected)
    }

    @Test
    func `a key is the same whatever types its values have`() {
        let left = ItemKey(
            .internetPassword,
            attributes: [.server: .string("s"), .port: .string("80"), .path: .string("")]
        )
        let right = ItemKey(
            .internetPassword,
            attributes: [.server: .data([115]), .port: .integer(80), .account: .data([])]
        )
        #expect(left == right)
        let other = ItemKey(.internetPassword, attributes: [.server: .string("s")])
        #expect(left != other)
        #expect(left != ItemKey(.genericPassword, attributes: [:]))
    }

    @Test
    func `a name has four printable characters`() {
        #expect(AttributeName("acct") == .account)
        #expect(AttributeName.account.text == "acct")
        for wrong in ["", "abc", "abcde", "ab\u{e9}", "abc\n"] {
            #expect(AttributeName(wrong) == nil)
        }
    }

    @Test
    func `every error has a status and a sentence`() {
        let errors: [ItemStoreError] = [
            .parameter, .duplicateItem, .itemNotFound, .noSuchAttribute, .noSuchClass,
            .missingEntitlement, .interactionNotAllowed, .decode, .dataTooLarge, .diskFull,
            .readOnly, .inputOutput(code: 1), .fileDamaged, .newerFormat, .unavailable(code: 1),
            .refused,
        ]
        #expect(
            errors.map(\.status) == [
                -50, -25299, -25300, -25303, -25306, -34018, -25308, -26275, -25302, -25291,
                -25292, -36, -25291, -25291, -25291, -26276,
            ]
        )
        #expect(errors.allSatisfy { $0.message.hasSuffix(".") })
    }

    private func integer(_ value: UInt8) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, 0, value]
    }

    private func lengthLed(_ value: [UInt8]) -> [UInt8] {
        integer(UInt8(value.count)) + value
    }
}
