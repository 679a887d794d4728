import KSPrompting
import Testing

struct TypedLineTests {
    private static var keys: TypedLine.Keys {
        var keys = TypedLine.Keys()
        keys.erase = 0x7F
        keys.eraseWord = 0x17
        keys.eraseLine = 0x15
        keys.end = 0x04
        keys.literal = 0x16
        keys.reprint = 0x12
        return keys
    }

    /// The first step that ends the line; nil if none does.
    private func end(
        of typed: some Sequence<UInt8>,
        _ keys: TypedLine.Keys = Self.keys
    ) -> TypedLine.Step? {
        var line = TypedLine(keys)
        return typed.lazy.map { line.take($0) }.first { $0 != .more }
    }

    @Test(arguments: [
        ("abc\n", "abc"), ("\n", ""), ("abx\u{7F}c\n", "abc"), ("\u{7F}\u{7F}a\n", "a"),
        ("wrong\u{15}right\n", "right"), ("one two \u{17}three\n", "one three"),
        ("\u{17}a\n", "a"), ("aé\u{7F}b\n", "ab"), ("a🔑\u{7F}\u{7F}b\n", "b"),
        ("e\u{301}\u{7F}\n", "e"), ("a\u{16}\u{7F}b\n", "a\u{7F}b"), ("a\u{12}b\n", "ab"),
        ("ab\u{4}c\n", "abc"), ("a\u{16}\n", "a"), ("a\r\n", "a\r"),
    ])
    func `a line is edited as a terminal edits it`(typed: String, line: String) {
        #expect(end(of: typed.utf8) == .line(Array(line.utf8)))
    }

    @Test
    func `bytes that are not UTF-8 are erased one by one`() {
        #expect(end(of: [0x61, 0xFF, 0x7F, 0x0A]) == .line([0x61]))
        #expect(
            end(of: [0x80, 0x81, 0x82, 0x83, 0x84, 0x7F, 0x0A]) == .line([0x80, 0x81, 0x82, 0x83])
        )
        #expect(end(of: [0xC3, 0xA9, 0xA9, 0x7F, 0x0A]) == .line([0xC3, 0xA9]))
    }

    @Test(arguments: ["\u{4}", "abc\u{4}\u{4}", "abc\u{15}\u{4}", "a\u{7F}\u{4}"])
    func `the end of input ends an empty line, or one that was handed over`(typed: String) {
        #expect(end(of: typed.utf8) == .ended)
    }

    @Test
    func `without its keys every byte is a part of the line`() {
        let typed = Array("\u{4}\u{7F}\u{15}\u{16}\u{17}\u{12}".utf8)
        #expect(end(of: typed + [0x0A], TypedLine.Keys()) == .line(typed))
    }

    @Test(arguments: [4095, 4096, 20_000, TypedLine.bytesMax])
    func `a long line is read whole`(count: Int) {
        let line = [UInt8](repeating: 0x61, count: count)
        #expect(end(of: line + [0x0A]) == .line(line))
    }

    @Test
    func `a line that is too long is read to its end, and refused whole`() {
        let line = [UInt8](repeating: 0x61, count: TypedLine.bytesMax + 1)
        #expect(end(of: line) == nil)
        #expect(end(of: line + [0x7F, 0x0A]) == .tooLong)
        #expect(end(of: line + [0x15, 0x62, 0x0A]) == .line([0x62]))
    }
}
