import KSScreens
import Testing

struct KeyDecoderTests {
    private static let sequences: [(String, [Keystroke])] = [
        ("a", [.character("a")]), ("ü", [.character("ü")]), ("日", [.character("日")]),
        ("👍", [.character("👍")]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]),
        ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]), ("\u{0E}", [.control("n")]),
        ("\u{05}", [.control("e")]), ("\u{0}", [.control(" ")]), ("\u{1F}", [.control("_")]),
        ("\u{1B}[A", [.up]), ("\u{1B}OA", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]),
        ("\u{1B}[D", [.left]), ("\u{1B}[1;5B", [.down]), ("\u{1B}[H", [.home]),
        ("\u{1B}OF", [.end]),
        ("\u{1B}[1~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[7~", [.home]),
        ("\u{1B}[8~", [.end]), ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]),
        ("\u{1B}[6;2~", [.pageDown]), ("\u{1B}[3~", [.delete]), ("\u{1B}[2~", [.insert]),
        ("\u{1B}[Z", [.backTab]), ("\u{1B}OM", [.enter]), ("\u{1B}x", [.alternate("x")]),
        ("\u{1B}ü", [.alternate("ü")]), ("\u{1B}[15~", []), ("\u{1B}[<0;3;4M", [.enter]),
        ("\u{1B}[?1;2c", []), ("\u{1B}[200~a\nb\u{1B}[A\u{1B}[201~", [.paste("a\nb\u{1B}[A")]),
        ("\u{1B}[200~\u{1B}[201~", [.paste("")]), ("\u{1B}\r", [.escape, .enter]),
    ]

    /// What comes out when the bytes arrive in these pieces, without a pause.
    private static func keys(_ pieces: [ArraySlice<UInt8>]) -> [Keystroke] {
        var decoder = KeyDecoder()
        return pieces.flatMap { decoder.take($0, atMilliseconds: 0) }
    }

    @Test(arguments: sequences.indices)
    func `each key is known, however its bytes arrive`(index: Int) {
        let (text, wanted) = Self.sequences[index]
        let bytes = Array(text.utf8) + [UInt8(ascii: "z")]
        for cut in bytes.indices {
            let keys = Self.keys([bytes[..<cut], bytes[cut...]])
            #expect(keys == wanted + [.character("z")], "cut at \(cut)")
        }
        #expect(Self.keys(bytes.map { [$0] }) == wanted + [.character("z")])
    }

    @Test
    func `keys that are typed fast are all there`() {
        let bytes = Array(Self.sequences.map(\.0).joined().utf8)
        #expect(Self.keys([bytes[...]]) == Self.sequences.flatMap(\.1))
    }

    @Test
    func `an Esc is alone once its time is over`() {
        var decoder = KeyDecoder(escapeMilliseconds: 50)
        #expect(decoder.deadlineMilliseconds == nil)
        #expect(decoder.take([0x1B], atMilliseconds: 1000) == [])
        #expect(decoder.deadlineMilliseconds == 1050)
        #expect(decoder.timeOut(atMilliseconds: 1049) == [])
        #expect(decoder.timeOut(atMilliseconds: 1050) == [.escape])
        #expect(decoder.deadlineMilliseconds == nil)
        // A key that comes later than that is a key of its own.
        #expect(decoder.take([0x1B], atMilliseconds: 2000) == [])
        #expect(
            decoder.take(Array("[A".utf8), atMilliseconds: 2050)
                == [.escape, .character("["), .character("A")]
        )
        #expect(decoder.take([0x1B, 0x1B], atMilliseconds: 3000) == [.escape])
        #expect(decoder.timeOut(atMilliseconds: 3050) == [.escape])
        // A sequence that stays incomplete is no key.
        #expect(decoder.take(Array("\u{1B}[1;".utf8), atMilliseconds: 4000) == [])
        #expect(decoder.timeOut(atMilliseconds: 4050) == [])
        #expect(decoder.take([0x61], atMilliseconds: 4051) == [.character("a")])
    }

    @Test
    func `bytes that are not UTF-8 are dropped`() {
        let bytes: [UInt8] = [
            0xFF, 0x61, 0xC3, 0x62, 0x80, 0xE2, 0x82, 0x63, 0xED, 0xA0, 0x80, 0x64,
        ]
        #expect(Self.keys([bytes[...]]) == ["a", "b", "c", "d"].map(Keystroke.character))
    }

    @Test
    func `a pasted text over the limit is refused, and keys follow it`() {
        var decoder = KeyDecoder(pasteBytesMax: 4)
        let paste = { (text: String) in Array("\u{1B}[200~\(text)\u{1B}[201~".utf8) }
        #expect(decoder.take(paste("abcd"), atMilliseconds: 0) == [.paste("abcd")])
        #expect(
            decoder.take(paste("abcde") + [0x61], atMilliseconds: 0)
                == [.pasteTooLong, .character("a")]
        )
        #expect(decoder.take(paste("e"), atMilliseconds: 0) == [.paste("e")])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `no bytes make the decoder stop`(seed: UInt64) {
        var random = Generator(state: seed)
        var decoder = KeyDecoder()
        for step in 0..<50 {
            let count = Int.random(in: 0...6, using: &random)
            let bytes =
                (0..<count).map { _ in
                    [0x1B, 0x5B, 0x4F, 0x7E, 0x32, 0x30, 0x31, 0xC3, 0xA4, 0x61].randomElement(
                        using: &random
                    ) ?? 0
                } as [UInt8]
            _ = decoder.take(bytes, atMilliseconds: Int64(step * 10))
        }
        let rest = Array("\u{1B}[201~".utf8)
        _ = decoder.take(rest + rest, atMilliseconds: 10_000)
        _ = decoder.timeOut(atMilliseconds: 20_000)
        #expect(decoder.take([0x7A], atMilliseconds: 30_000).last == .character("z"))
    }
}

/// SplitMix64 (Steele et al., 2014).
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
