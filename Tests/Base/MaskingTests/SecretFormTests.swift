import Foundation
import KSMasking
import KSTestSupport
import Testing

struct SecretFormTests {
    private let mask = String(decoding: MaskingFilter.replacement, as: UTF8.self)

    private func masked(_ text: String, _ secret: String) -> String {
        var filter = MaskingFilter(MaskingPatterns(secrets: [Array(secret.utf8)]))
        let output = filter.take(Array(text.utf8), now: 0) + filter.flush()
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a secret inside of base64 is masked`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        let secret = bytes(Int.random(in: 4...40, using: &random))
        let before = bytes(Int.random(in: 0...5, using: &random))
        let after = bytes(Int.random(in: 0...5, using: &random))
        let standard = Data(before + secret + after).base64EncodedString()
        let urlSafe = standard.replacing("+", with: "-").replacing("/", with: "_")
        for text in [standard, urlSafe, urlSafe.replacing("=", with: "")] {
            var filter = MaskingFilter(MaskingPatterns(secrets: [secret]))
            let output = filter.take(Array(text.utf8), now: 0) + filter.flush()
            let shown = String(decoding: output, as: UTF8.self).replacing(mask, with: "")
            // Of the characters with bits of the secret, only those with others' bits are left.
            let own = (before.count * 8 + 5) / 6..<(before.count + secret.count) * 8 / 6
            let all = ((before + secret + after).count * 8 + 5) / 6
            let shared = all - own.count
            #expect(shown.replacing("=", with: "").count <= shared, "seed \(seed): \(shown)")
        }
    }

    @Test(arguments: [76, 64])
    func `a secret in lines of base64 is masked`(length: Int) {
        let secret = String(repeating: "a long secret ", count: 20)
        let options: Data.Base64EncodingOptions =
            length == 76 ? .lineLength76Characters : .lineLength64Characters
        for lineEnd in [options.union(.endLineWithLineFeed), options] {
            let text = Data(secret.utf8).base64EncodedString(options: lineEnd)
            #expect(masked(text, secret) == mask)
        }
    }

    /// Whatever stands before it, and wherever its lines end.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a secret is masked in base64 of a longer text, in lines of any length`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func letters(_ count: Int) -> String {
            String((0..<count).map { _ in "abcdefgh0123".randomElement(using: &random) ?? "a" })
        }
        let secret = letters(Int.random(in: 4...120, using: &random))
        let (before, after) = (letters(Int.random(in: 0...100, using: &random)), letters(20))
        let text = Data((before + secret + after).utf8).base64EncodedString()
        let length = Int.random(in: 1...80, using: &random)
        let lineEnd = seed % 2 == 0 ? "\n" : "\r\n"
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        var filter = MaskingFilter(MaskingPatterns(secrets: [Array(secret.utf8)]))
        var output: [UInt8] = []
        var pieces = Array(lines.joined(separator: lineEnd).utf8)[...]
        while !pieces.isEmpty {
            let piece = pieces.prefix(Int.random(in: 1...50, using: &random))
            pieces = pieces.dropFirst(piece.count)
            output += filter.take(Array(piece), now: 0)
        }
        let written = (output + filter.flush()).filter { !"\r\n".utf8.contains($0) }
        let parts = String(decoding: written, as: UTF8.self).split(separator: mask)
        #expect(parts.count == 2 || before.isEmpty && parts.count == 1, "seed \(seed): \(parts)")
        // What is left are the characters of the text around it; one that has bits of both may be
        // masked too.
        let own = ((before.utf8.count * 8 + 5) / 6)..<((before + secret).utf8.count * 8 / 6)
        let around = text.utf8.count - own.count
        #expect((around - 1...around).contains(parts.joined().utf8.count), "seed \(seed)")
        let secretPart = text.dropFirst(own.lowerBound).prefix(own.count)
        #expect(!parts.joined().contains(secretPart), "seed \(seed)")
    }

    @Test
    func `empty lines end base64, and stay`() {
        let text = Data("a secret text".utf8).base64EncodedString()
        let middle = text.index(text.startIndex, offsetBy: 8)
        let apart = text[..<middle] + "\n\n\n\n" + text[middle...]
        #expect(masked(String(apart), "a secret text") == apart)
        let lines = String(repeating: "\r\n", count: 1000)
        #expect(masked("YSBz" + lines, "a secret text") == "YSBz" + lines)
    }

    @Test(arguments: [
        "p%40s%20s%2Fw%C3%B6rd%21", "p%40s%20s%2fw%c3%b6rd%21", "p%40s+s%2Fw%C3%B6rd%21",
        "p%40s%20s%2Fw%C3%B6rd!", "p@s%20s/w%C3%B6rd!", "p%40s%20s/w%C3%B6rd%21", "p@s s/wörd!",
    ])
    func `a secret in an address is masked`(form: String) {
        #expect(masked("?q=\(form)&", "p@s s/wörd!") == "?q=\(mask)&")
    }

    @Test(arguments: [
        #"a\"\\\n<é/🙂\u0001"#, #"a\"\\\n\u003cé/🙂\u0001"#, #"a\"\\\n<\u00e9/\ud83d\ude42\u0001"#,
        #"a\"\\\n<\u00E9/\uD83D\uDE42\u0001"#, #"a\"\\\n<é\/🙂\u0001"#,
        #"a\"\\\n<\u00e9\/\ud83d\ude42\u0001"#,
    ])
    func `a secret in JSON is masked`(form: String) {
        #expect(masked("{\"\(form)\"}", "a\"\\\n<é/🙂\u{1}") == "{\"\(mask)\"}")
    }

    @Test
    func `each longer line of a secret is masked`() {
        let key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\n  kqhkiG9w0BAQ\n}\n-----END KEY-----\n"
        #expect(
            masked("MIIEvQIBADANBg kqhkiG9w0BAQ } -----BEGIN KEY-----", key)
                == "\(mask) \(mask) } -----BEGIN KEY-----"
        )
        #expect(masked("<\(key)>", key) == "<\(mask)>")
    }

    @Test
    func `a secret is masked with and without its line end, and as a terminal writes it`() {
        #expect(masked("<hunter2>", "hunter2\n") == "<\(mask)>")
        #expect(masked("<hunter2\n>", "hunter2\n") == "<\(mask)>")
        #expect(masked("<one\r\ntwo>", "one\ntwo") == "<\(mask)>")
    }
}
