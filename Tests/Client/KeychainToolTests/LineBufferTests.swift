import KSEveryday
import Testing

import KSKeychainTool

/// Lines, in whatever pieces their bytes arrive.
struct LineBufferTests {
    /// Hands the bytes over in pieces.
    ///
    /// - Returns: each line; nil for one that is too long.
    private func lines(of bytes: [UInt8], piece: Int) -> [[UInt8]?] {
        var buffer = LineBuffer()
        var lines: [[UInt8]?] = []
        func take(isAtEnd: Bool) {
            while true {
                do throws(Failure) {
                    guard let line = try buffer.next(isAtEnd: isAtEnd) else { return }
                    lines.append(line)
                } catch {
                    lines.append(nil)
                }
            }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            buffer.append(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            take(isAtEnd: false)
        }
        take(isAtEnd: true)
        return lines
    }

    @Test(arguments: [1, 2, 3, 100])
    func `lines end at line breaks, and the last one needs none`(piece: Int) {
        let cases: [(String, [String])] = [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nbc", ["a", "", "bc"]),
            ("a\r\nb\n", ["a\r", "b"]),
        ]
        for (text, expected) in cases {
            #expect(lines(of: Array(text.utf8), piece: piece) == expected.map { Array($0.utf8) })
        }
    }

    @Test(arguments: [4096, 1 << 20, 3 << 20])
    func `a line that is too long is skipped whole, and no other`(piece: Int) {
        let max = LineBuffer.lineBytesMax
        let lineBreak = [UInt8(ascii: "\n")]
        let fits = [UInt8](repeating: 0x78, count: max)
        let short = Array("delete".utf8)
        #expect(lines(of: fits, piece: piece) == [fits])
        #expect(lines(of: fits + lineBreak + short, piece: piece) == [fits, short])
        for over in [1, 4096, max, 2 * max] {
            let long = fits + [UInt8](repeating: 0x79, count: over)
            #expect(lines(of: long, piece: piece) == [nil])
            #expect(lines(of: long + lineBreak, piece: piece) == [nil])
            #expect(
                lines(of: short + lineBreak + long + lineBreak + short, piece: piece)
                    == [short, nil, short]
            )
        }
    }

    @Test
    func `a long word is split in one pass`() {
        let line = Array("a ".utf8) + [UInt8](repeating: 0x78, count: LineBuffer.lineBytesMax)
        #expect(Tool.words(of: line).map(\.count) == [1, LineBuffer.lineBytesMax])
    }
}
