import Foundation
import KSClipboards
import KSSecrets
import Testing

struct TerminalSequenceTests {
    private static func sequence(_ bytes: [UInt8], _ wrapping: TerminalWrapping) -> String {
        let secret = TerminalSequence.setting(SharedSecret(bytes: bytes), wrapping)
        return String(decoding: secret.copyBytes(), as: UTF8.self)
    }

    private static func bare(_ bytes: [UInt8]) -> String {
        "\u{1B}]52;c;\(Data(bytes).base64EncodedString())\u{7}"
    }

    @Test(arguments: [1, 2, 3, 4, 45, 256, 1000, 65_536])
    func `a text of any length is encoded as Foundation encodes it`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167) }
        #expect(Self.sequence(bytes, .bare) == Self.bare(bytes))
    }

    @Test
    func `tmux gets the bare sequence, and again with each ESC doubled`() {
        let bytes = Array("geheim".utf8)
        let wrapped = "\u{1B}Ptmux;\u{1B}\u{1B}]52;c;Z2VoZWlt\u{7}\u{1B}\\"
        #expect(Self.sequence(bytes, .tmux) == Self.bare(bytes) + wrapped)
    }

    @Test
    func `screen gets pieces that it does not drop`() throws {
        let bytes = [UInt8](repeating: 7, count: 3000)
        let both = Self.sequence(bytes, .screen)
        let whole = try #require(both.split(separator: "\u{7}", maxSplits: 1).last)
        let pieces = whole.split(separator: "\u{1B}\\")
        #expect(pieces.allSatisfy { $0.hasPrefix("\u{1B}P") && $0.utf8.count < 768 })
        #expect(pieces.map { $0.dropFirst(2) }.joined() == Self.bare(bytes))
        #expect(pieces.count > 5)
    }
}
