import KSBytes
import Testing

struct HexadecimalTests {
    @Test(
        arguments: [([], ""), ([0], "00"), ([0x0A, 0xF0, 0xFF], "0af0ff")] as [([UInt8], String)]
    )
    func `bytes become two digits each, and are read back`(bytes: [UInt8], text: String) {
        #expect(String(hexadecimal: bytes) == text)
        #expect([UInt8](hexadecimal: text.utf8) == bytes)
        #expect([UInt8](hexadecimal: text.uppercased().utf8) == bytes)
    }

    @Test(arguments: ["0", "0g", "0x00", " 00", "+1", "ＡＢ", "00\n"])
    func `anything else is refused`(text: String) {
        #expect([UInt8](hexadecimal: text.utf8) == nil)
    }
}
