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
