import KSDaemon
import KSRecords
import KSTestSupport
import Testing

/// The 8 letters that name an item.
struct ItemCodeTests {
    private func id(beginning bytes: [UInt8]) -> RecordID {
        RecordID(validated: bytes + [UInt8](repeating: 0xEE, count: 32 - bytes.count))
    }

    // RFC 4648 section 10, in lower case, and the two ends of the range.
    @Test(arguments: [
        (Array("fooba".utf8), "mzxw6ytb"), ([0, 0, 0, 0, 0], "aaaaaaaa"),
        ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "77777777"),
    ])
    func `an item's code is base 32 of the record id's first 5 bytes`(bytes: [UInt8], text: String)
    {
        #expect(ItemCode(id(beginning: bytes)).text == text)
        #expect(ItemCode(parsing: text)?.bytes == bytes)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a printed code is read, in upper and lower case`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<5).map { _ in UInt8.random(in: 0...255, using: &random) }
        let code = ItemCode(id(beginning: bytes))
        #expect(ItemCode(parsing: code.text) == code)
        #expect(ItemCode(parsing: code.text.uppercased()) == code)
    }

    @Test(arguments: ["", "abcdefg", "abcdefghi", "abcdefg1", "abcdefg8", "abc defg", "ÄÄÄÄ"])
    func `any other text is not a code`(text: String) {
        #expect(ItemCode(parsing: text) == nil)
    }
}
