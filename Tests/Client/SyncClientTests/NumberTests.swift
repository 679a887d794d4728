import KSKeyValues
import KSRPC
import Testing

/// Numbers typed as JSON become values unchanged, or are refused.
struct NumberTests {
    @Test(arguments: [
        ("18446744073709551615", PropertyValue.integer(of: UInt64.max)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9007199254740993", .integer(9_007_199_254_740_993)),
        ("9007199254740993.0", .integer(9_007_199_254_740_993)),
        ("12345678901234567890.0", .integer(of: 12_345_678_901_234_567_890)),
        ("1.0", .integer(1)), ("1e3", .integer(1000)), ("-0.0", .integer(0)), ("2.5", .real(2.5)),
        ("123456789012345678.5", .real(123_456_789_012_345_678.5)), ("1e300", .real(1e300)),
        ("-1.5E+200", .real(-1.5e200)),
        (
            "[18446744073709551615,{\"1e400\":\"1e400 \\\" 1e400\"}]",
            .array([
                .integer(of: UInt64.max),
                .dictionary(PropertyDictionary([("1e400", .string("1e400 \" 1e400"))])),
            ])
        ),
    ])
    func `a number is kept`(text: String, value: PropertyValue) throws {
        #expect(try PropertyValue(jsonText: text) == value)
    }

    @Test(arguments: [
        "18446744073709551616", "-9223372036854775809", "[1,99999999999999999999.0]",
    ])
    func `an integer of more than 64 bits is refused with the range`(text: String) throws {
        let error = try #require(throws: RPCError.self) { try PropertyValue(jsonText: text) }
        #expect(error.sentence.contains("from -9223372036854775808 to 18446744073709551615"))
    }

    @Test(arguments: ["1e400", "-1e309", "{\"a\":1.5e999}"])
    func `a number beyond the largest real one is refused`(text: String) throws {
        let error = try #require(throws: RPCError.self) { try PropertyValue(jsonText: text) }
        #expect(error.sentence.contains("beyond the largest real number"))
    }

    @Test(arguments: ["1.", "01", "--1", "1-1", "2026-01-01", "1e", ".5", "1.2.3", "-"])
    func `text that is not a JSON number is refused`(text: String) {
        #expect(throws: RPCError.self) { try PropertyValue(jsonText: text) }
    }

    @Test(arguments: [
        PropertyValue.integer(of: UInt64.max), .real(1e300), .real(.infinity), .real(1),
        .real(0x1p53), .integer(.min), .real(0.1), .real(-0.0), .date(1e9), .date(1e17),
        .date(-1e300), .date(1.5),
    ])
    func `a printed number is read as the same value`(value: PropertyValue) throws {
        #expect(try PropertyValue(jsonText: JSONText.text(value.json)) == value)
    }

    /// Dictionaries of a program, which are no other value in disguise.
    @Test(arguments: [
        ("$real", PropertyValue.string("1.0")), ("$integer", .string("18446744073709551615")),
        ("$data", .string("utf8:text")), ("$data", .integer(1)), ("$date", .integer(5)),
        ("$date", .real(0.5)), ("$dictionary", .dictionary(PropertyDictionary([]))),
        ("$dictionary", .bool(true)), ("$other", .integer(1)),
    ])
    func `a printed dictionary is read as the same value`(
        name: String,
        member: PropertyValue
    ) throws {
        let dictionary = PropertyValue.dictionary(PropertyDictionary([(name, member)]))
        let twice = PropertyValue.dictionary(PropertyDictionary([("$dictionary", dictionary)]))
        for value in [dictionary, twice, .array([dictionary])] {
            #expect(try PropertyValue(jsonText: JSONText.text(value.json)) == value)
        }
    }

    @Test
    func `only an object is a dictionary`() throws {
        let error = try #require(throws: RPCError.self) {
            try PropertyValue(jsonText: #"{"$dictionary":1}"#)
        }
        #expect(error.sentence == "$dictionary needs an object.")
    }
}
