import KSMasking
import KSTestSupport
import Testing

struct MaskingFilterTests {
    private let mask = String(decoding: MaskingFilter.replacement, as: UTF8.self)

    private func filter(_ secrets: String...) -> MaskingFilter {
        MaskingFilter(MaskingPatterns(secrets: secrets.map { Array($0.utf8) }))
    }

    private func take(_ text: String, _ filter: inout MaskingFilter, now: Int = 0) -> String {
        String(decoding: filter.take(Array(text.utf8), now: now), as: UTF8.self)
    }

    private func flush(_ filter: inout MaskingFilter) -> String {
        String(decoding: filter.flush(), as: UTF8.self)
    }

    private func masked(_ text: String, _ secrets: String...) -> String {
        var filter = MaskingFilter(MaskingPatterns(secrets: secrets.map { Array($0.utf8) }))
        return take(text, &filter) + flush(&filter)
    }

    @Test(
        arguments: [
            ("my hunter2 and hunter2", "my # and #"), ("hunter2hunter2", "##"),
            ("hunter", "hunter"), ("hunterhunter2", "hunter#"), ("", ""), ("hunter22", "#2"),
        ]
    )
    func `each occurrence is replaced`(text: String, result: String) {
        #expect(masked(text, "hunter2") == result.replacing("#", with: mask))
    }

    @Test(
        arguments: [
            ("abcdef", "#"), ("abcd", "#"), ("xcdefx", "x#x"), ("abcdabcdef", "##"),
            ("abcdefgh", "#"), ("abcdefghabcdefg", "##g"), ("abcdefgabcd", "#g#"),
        ]
    )
    func `secrets that overlap are replaced together`(text: String, result: String) {
        #expect(masked(text, "abcd", "cdef", "bcdefgh") == result.replacing("#", with: mask))
    }

    @Test
    func `a secret below four bytes is not masked`() {
        #expect(masked("abc ", "abc", "", "ab\n") == "abc ")
        #expect(masked("abcd", "abcd") == mask)
        #expect(MaskingPatterns(secrets: [[], [1, 2, 3]]).isEmpty)
        #expect(!MaskingPatterns(secrets: [[1, 2, 3, 4]]).isEmpty)
    }

    @Test
    func `a secret over several writes is found`() {
        var filter = filter("hunter2")
        #expect(take("a hun", &filter) == "a ")
        #expect(take("ter", &filter) == "")
        #expect(take("2 b", &filter) == mask + " b")
    }

    @Test
    func `a complete secret is replaced at once`() {
        var filter = filter("hunter2")
        #expect(take("is hunter2", &filter) == "is " + mask)
        #expect(filter.deadlineMilliseconds == nil)
    }

    @Test
    func `nothing is held back where no secret can begin`() {
        var filter = filter("hunter2")
        for step in ["\r 10%", "\r 50%", "\r100%\n", "hunter3", "hunters"] {
            #expect(take(step, &filter) == step)
            #expect(filter.deadlineMilliseconds == nil)
        }
    }

    @Test
    func `nothing is held back for longer than 100 ms`() {
        var filter = filter("hunter2", "unterholz")
        #expect(take("-hun", &filter, now: 1_000) == "-")
        #expect(filter.deadlineMilliseconds == 1_100)
        #expect(take("ter", &filter, now: 1_050) == "")
        #expect(filter.deadlineMilliseconds == 1_100)
        // The h is released; what was held with it keeps its deadline.
        #expect(take("h", &filter, now: 1_080) == "h")
        #expect(filter.deadlineMilliseconds == 1_100)
        #expect(flush(&filter) == "unterh")
        #expect(filter.deadlineMilliseconds == nil)
        #expect(take("x hu", &filter, now: 1_200) == "x ")
        #expect(take("mmh", &filter, now: 1_290) == "humm")
        #expect(filter.deadlineMilliseconds == 1_390)
    }

    @Test
    func `the rest of a secret after a pause is replaced too`() {
        var filter = filter("hunter2", "r2d2c3")
        #expect(take("-hun", &filter) == "-")
        #expect(flush(&filter) == "hun")
        #expect(take("ter2", &filter) == mask)
        // It overlaps the last one.
        #expect(take("d2c3.", &filter) == ".")
        #expect(take("hunt", &filter) == "")
        #expect(flush(&filter) == "hunt")
        #expect(take("ing", &filter) == "ing")
    }

    @Test
    func `bytes that are not text are masked`() {
        let secret: [UInt8] = [0, 0xFF, 0x0A, 0xFE]
        var filter = MaskingFilter(MaskingPatterns(secrets: [secret]))
        let output = filter.take([0x61, 0] + secret + [0xFF], now: 0) + filter.flush()
        #expect(output == [0x61, 0] + MaskingFilter.replacement + [0xFF])
    }

    @Test
    func `a long stream takes time in proportion`() {
        let secret = [UInt8](repeating: 0x61, count: 200) + [0x62]
        let patterns = MaskingPatterns(secrets: [secret])
        let growth = growth(of: 4, from: 20_000) { count in
            var filter = MaskingFilter(patterns)
            for _ in 0..<count / 100 {
                _ = filter.take([UInt8](repeating: 0x61, count: 100), now: 0)
            }
        }
        #expect(growth < 8)
    }
}

/// Random streams of few letters, so that secrets occur often, whole and in part.
struct MaskingPropertyTests {
    private struct Stream {
        let secrets: [[UInt8]]
        let text: [UInt8]
        var random: SeededGenerator

        init(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            func letters(_ count: ClosedRange<Int>) -> [UInt8] {
                let count = Int.random(in: count, using: &random)
                return (0..<count).map { _ in UInt8.random(in: 0x30...0x33, using: &random) }
            }
            let secrets = (0...Int.random(in: 0...4, using: &random)).map { _ in letters(4...9) }
            text = (0..<30).flatMap { _ in
                let secret = secrets[Int.random(in: 0..<secrets.count, using: &random)]
                let part = secret.prefix(Int.random(in: 0...secret.count, using: &random))
                return Bool.random(using: &random) ? part + letters(0...4) : secret
            }
            self.secrets = secrets
            self.random = random
        }

        /// The masked stream, taken in random pieces.
        mutating func masked(flushes: Bool = false) -> [UInt8] {
            var filter = MaskingFilter(MaskingPatterns(secrets: secrets))
            var output: [UInt8] = []
            var rest = text[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...12, using: &random))
                rest = rest.dropFirst(piece.count)
                output += filter.take(Array(piece), now: 0)
                if flushes, Int.random(in: 0..<4, using: &random) == 0 { output += filter.flush() }
            }
            return output + filter.flush()
        }

        /// What the definition says: all bytes of all occurrences, joined where they overlap.
        var maskedByDefinition: [UInt8] {
            var output: [UInt8] = []
            var end = 0
            for index in text.indices {
                let longest = secrets.filter { text[index...].starts(with: $0) }.map(\.count).max()
                if let longest {
                    if index >= end { output += MaskingFilter.replacement }
                    end = max(end, index + longest)
                }
                if index >= end { output.append(text[index]) }
            }
            return output
        }
    }

    private func contains(_ text: [UInt8], _ secret: [UInt8]) -> Bool {
        text.indices.contains { text[$0...].starts(with: secret) }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `the pieces of a stream do not matter`(seed: UInt64) {
        var stream = Stream(seed: seed)
        #expect(stream.masked() == stream.maskedByDefinition, "seed \(seed)")
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `the output contains no secret, with flushes too`(seed: UInt64) {
        var stream = Stream(seed: seed)
        for flushes in [false, true] {
            let output = stream.masked(flushes: flushes)
            for secret in stream.secrets {
                #expect(!contains(output, secret), "seed \(seed), flushes \(flushes)")
            }
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `text without secrets is unchanged`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = (0..<2_000).map { _ in UInt8.random(in: 0x30...0x33, using: &random) }
        var filter = MaskingFilter(MaskingPatterns(secrets: [Array("0123x".utf8), [1, 2, 3, 4]]))
        var output: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 7) {
            output += filter.take(Array(text[start..<min(start + 7, text.count)]), now: 0)
            if Int.random(in: 0..<9, using: &random) == 0 { output += filter.flush() }
        }
        #expect(output + filter.flush() == text)
    }
}
