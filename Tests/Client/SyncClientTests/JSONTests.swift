import Foundation
import KSKeyValues
import KSRPC
import Testing

/// JSON typed by people and printed by `kv export` is read exactly, or refused with its place.
struct JSONTests {
    private func refusal(_ bytes: [UInt8]) throws -> String {
        try #require(throws: RPCError.self) { try PropertyValue.json(bytes) }.sentence
    }

    private func refusal(_ text: String) throws -> String { try refusal(Array(text.utf8)) }

    @Test
    func `every real number that is printed is read with its bits`() throws {
        var random = SystemRandomNumberGenerator()
        let known: [Double] = [0.1, 0.1 + 0.2, .leastNonzeroMagnitude, 1e22]
        let random64 = (0..<20_000).map { _ in Double(bitPattern: random.next()) }
        let small = (0..<20_000).map { _ in Double.random(in: -1...1, using: &random) }
        for real in known + random64 + small {
            let read = try PropertyValue(jsonText: JSONText.text(PropertyValue.real(real).json))
            guard case .real(let number) = read else {
                Issue.record("\(real) became \(read)")
                continue
            }
            #expect(number.bitPattern == real.bitPattern)
        }
        #expect(try PropertyValue(jsonText: "0.30000000000000004") == .real(0.1 + 0.2))
        #expect(
            try PropertyValue(jsonText: "0.1000000000000000055511151231257827") == .real(0.1)
        )
    }

    @Test
    func `two spellings of a letter are two names`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        guard case .dictionary(let dictionary) = try PropertyValue(jsonText: text) else {
            Issue.record("no dictionary")
            return
        }
        #expect(dictionary.entries.map(\.value) == [.integer(2), .integer(1)])
    }

    @Test(arguments: [
        ("\"\\u00e9\\ud83d\\ude00\\n\\/\\\"\\\\\"", "\u{E9}\u{1F600}\n/\"\\"),
        ("\"\\b\\f\\r\\t\\u0000\"", "\u{8}\u{C}\r\t\0"), (" \t\r\n\"a\" \n", "a"),
        ("\u{FEFF}\"a\"", "a"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    ])
    func `texts have the escapes of JSON`(text: String, value: String) throws {
        #expect(try PropertyValue(jsonText: text) == .string(value))
    }

    @Test(arguments: [
        ("", 1), ("dark", 1), ("1],\"x\":[2", 2), ("[1,]", 4), ("{\"a\":1,}", 8), ("[1 2]", 4),
        ("{\"a\" 1}", 6), ("{a:1}", 2), ("'a'", 1), ("tru", 4), ("nul1", 4), ("[", 2), ("\"a", 3),
        ("\"a\nb\"", 3), ("\"\\x\"", 3), ("\"\\u12g4\"", 4), ("\"\\ud800\"", 8),
        ("\"\\ud800\\u0041\"", 14), ("\"\\udc00\"", 8), ("01", 2), ("1.", 3), ("+1", 1),
        ("\"\\", 3), ("\"\u{E9}\" 1", 5), ("1 /* one */", 3), ("NaN", 1),
    ])
    func `what is not JSON is refused with its place`(text: String, column: Int) throws {
        #expect(try refusal(text) == "The JSON is not valid at line 1, column \(column).")
    }

    @Test
    func `the place of a fault counts lines and characters`() throws {
        #expect(
            try refusal("{\n  \"\u{E9}\": 1,\n  \"b\": x\n}")
                == "The JSON is not valid at line 3, column 8."
        )
    }

    @Test
    func `bytes that are not UTF-8 are refused`() throws {
        let bytes = Array("[\"a".utf8) + [0xFF] + Array("\"]".utf8)
        #expect(try refusal(bytes).contains("line 1, column 3. The text that begins there is not"))
    }

    @Test(arguments: ["{\"a\":1,\"a\":2}", "[{\"b\":{},\"\\u0062\":1}]"])
    func `a name that stands twice is refused`(text: String) throws {
        #expect(try refusal(text).hasSuffix("The object has this name twice."))
    }

    @Test(arguments: [
        ("2026-02-28", true), ("2024-02-29", true), ("2026-02-29", false), ("2026-04-31", false),
        ("2026-12-31", true), ("2026-13-01", false),
    ])
    func `a date is one of the calendar`(day: String, isOne: Bool) throws {
        let text = "{\"$date\":\"\(day)T23:59:59Z\"}"
        if isOne {
            #expect(try PropertyValue(jsonText: text) == .date(try seconds(day)))
        } else {
            let error = try #require(throws: RPCError.self) { try PropertyValue(jsonText: text) }
            #expect(error.sentence.hasPrefix("$date "))
        }
    }

    @Test
    func `a date's fraction is kept, or the date is refused`() throws {
        #expect(
            try PropertyValue(jsonText: "{\"$date\":\"2001-01-01T00:00:01.500Z\"}") == .date(1.5)
        )
        for thousandth in 1..<1000 {
            let fraction = String(String(1000 + thousandth).dropFirst())
            let text = "{\"$date\":\"2001-01-01T00:00:00.\(fraction)Z\"}"
            #expect(try PropertyValue(jsonText: text) == .date(Double(thousandth) / 1000))
        }
        let others = [
            "01.Z", "01.5.5Z", "01.-5Z", "01.5e1Z", "01,5Z", "61Z", "01ZZ", "01z", "01+01:00", "01",
        ]
        for time in others {
            let text = "{\"$date\":\"2001-01-01T00:00:\(time)\"}"
            #expect(throws: RPCError.self) { try PropertyValue(jsonText: text) }
        }
    }

    private func seconds(_ day: String) throws -> Double {
        let parts = day.split(separator: "-").compactMap { Int($0) }
        let calendar = Calendar(identifier: .gregorian)
        let moment = DateComponents(
            timeZone: TimeZone(identifier: "UTC"),
            year: parts[0],
            month: parts[1],
            day: parts[2],
            hour: 23,
            minute: 59,
            second: 59
        )
        return try #require(calendar.date(from: moment)).timeIntervalSinceReferenceDate
    }

    @Test(arguments: [
        ("{\"$integer\":\"-5\"}", PropertyValue.integer(-5)),
        ("{\"$integer\":\"18446744073709551615\"}", .integer(of: .max)),
    ])
    func `an integer may be a text`(text: String, value: PropertyValue) throws {
        #expect(try PropertyValue(jsonText: text) == value)
    }

    @Test
    func `a value may be as deep as a store allows, and JSON only some way deeper`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let deepest = try PropertyValue(jsonText: nested(PropertyValue.depthMax + 1))
        #expect(deepest.depth == PropertyValue.depthMax)
        #expect(try refusal(nested(100_000)).contains("arrays and objects."))
    }
}
