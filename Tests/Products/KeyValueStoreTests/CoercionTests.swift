import Foundation
import KSKeyValues
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// Apple's getters and setters, over a store without a daemon.
struct CoercionTests {
    private let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: "/dev/null/coercion"))

    private func key(_ function: String = #function) -> String { "\(function) \(UUID())" }

    @Test(arguments: [
        ("T", true), ("Y", true), ("yes", true), ("tRue", true), ("10", true), ("-1", true),
        ("01", true), ("1", true), (" 1", true), ("true", true), ("YES", true), ("0", false),
        ("no", false), ("abc", false), ("0x10", false),
    ])
    func `texts as booleans`(text: String, expected: Bool) {
        let key = key()
        store.set(text, forKey: key)
        #expect(store.bool(forKey: key) == expected)
    }

    @Test(arguments: [
        ("123", 123), ("123.4", 123), (" 77x", 77), ("1e3", 1), ("0x10", 0), ("abc", 0),
        ("9223372036854775808", Int64.max), ("-9223372036854775809", Int64.min),
    ])
    func `texts as integers`(text: String, expected: Int64) {
        let key = key()
        store.set(text, forKey: key)
        #expect(store.longLong(forKey: key) == expected)
    }

    @Test(arguments: [("123.4", 123.4), ("1e3", 1000), ("abc", 0), (" 7.5x", 7.5)])
    func `texts as real numbers`(text: String, expected: Double) {
        let key = key()
        store.set(text, forKey: key)
        #expect(store.double(forKey: key) == expected)
    }

    @Test(
        arguments: [
            (true, "1"), (false, "0"), (12.34, "12.34"), (1.0, "1"), (-2.67, "-2.67"), (123, "123"),
            (UInt64.max, "18446744073709551615"), (0.1, "0.1"), ("as it is", "as it is"),
        ] as [(any Sendable, String)]
    )
    func `numbers as texts`(number: any Sendable, expected: String) {
        let key = key()
        store.set(number, forKey: key)
        #expect(store.string(forKey: key) == expected)
    }

    @Test
    func `data, dates and collections are no numbers, texts or booleans`() {
        let key = key()
        for value in [Data("1".utf8), Date(), [1], ["a": 1]] as [Any] {
            store.set(value, forKey: key)
            #expect(store.string(forKey: key) == nil && !store.bool(forKey: key))
            #expect(store.longLong(forKey: key) == 0 && store.double(forKey: key) == 0)
        }
        store.set(0.5, forKey: key)
        #expect(store.bool(forKey: key) && store.longLong(forKey: key) == 0)
        store.set(9_223_372_036_854_775_808.0, forKey: key)
        #expect(store.longLong(forKey: key) == .max)
        store.set(2, forKey: key)
        #expect(store.double(forKey: key) == 2 && store.data(forKey: key) == nil)
        #expect(store.array(forKey: key) == nil && store.dictionary(forKey: key) == nil)
    }

    @Test
    func `numbers and booleans in each other's getters`() {
        let key = key()
        store.set(2.67, forKey: key)
        #expect(store.longLong(forKey: key) == 2 && store.string(forKey: key) == "2.67")
        store.set(-2.67, forKey: key)
        #expect(store.longLong(forKey: key) == -2 && store.bool(forKey: key))
        store.set(1.0, forKey: key)
        #expect(store.string(forKey: key) == "1" && store.bool(forKey: key))
        store.set(Double.nan, forKey: key)
        #expect(store.longLong(forKey: key) == 0)
        store.set(1e300, forKey: key)
        #expect(store.longLong(forKey: key) == .max)
        store.set(true, forKey: key)
        #expect(store.longLong(forKey: key) == 1 && store.double(forKey: key) == 1)
        #expect(store.string(forKey: key) == "1")
        store.set(Int64(123), forKey: key)
        #expect(store.string(forKey: key) == "123" && store.double(forKey: key) == 123)
        store.set("1e3", forKey: key)
        #expect(store.double(forKey: key) == 1000)
        store.set(Data([1]), forKey: key)
        #expect(store.longLong(forKey: key) == 0 && store.string(forKey: key) == nil)
        #expect(store.array(forKey: key) == nil && store.dictionary(forKey: key) == nil)
        store.set(Date(), forKey: key)
        #expect(store.longLong(forKey: key) == 0 && store.data(forKey: key) == nil)
    }

    @Test
    func `a missing key is nil, 0 or false`() {
        let key = key()
        #expect(store.object(forKey: key) == nil && store.string(forKey: key) == nil)
        #expect(store.array(forKey: key) == nil && store.data(forKey: key) == nil)
        #expect(store.dictionary(forKey: key) == nil && !store.bool(forKey: key))
        #expect(store.longLong(forKey: key) == 0 && store.double(forKey: key) == 0)
    }

    @Test
    func `objects are returned with the types of usual casts`() throws {
        let key = key()
        store.set(5, forKey: key)
        #expect(store.object(forKey: key) as? Int == 5 && store.object(forKey: key) as? Int64 == 5)
        #expect(store.object(forKey: key) as? Double == 5)
        store.set(true, forKey: key)
        #expect(store.object(forKey: key) as? Bool == true)
        #expect(store.object(forKey: key) as? Int == 1)
        store.set(2.5, forKey: key)
        #expect(store.object(forKey: key) as? Double == 2.5)
        store.set([1, 2], forKey: key)
        #expect(store.array(forKey: key) as? [Int] == [1, 2])
        store.set(["a": [true]], forKey: key)
        #expect(store.dictionary(forKey: key)?["a"] as? [Bool] == [true])
        let date = Date(timeIntervalSinceReferenceDate: 1.25)
        store.set(date, forKey: key)
        #expect(store.object(forKey: key) as? Date == date)
        store.set(UInt64.max, forKey: key)
        #expect((store.object(forKey: key) as? NSNumber)?.uint64Value == .max)
        for value in [UInt8(9), Int16(9), Float(9)] as [Any] {
            store.set(value, forKey: key)
            #expect(store.longLong(forKey: key) == 9, "\(type(of: value))")
        }
        for number in [7, 1, 0] {
            store.set(NSNumber(value: number), forKey: key)
            #expect(store.typedStore.value(KeyValue.self, forKey: key) == .integer(Int64(number)))
            store.set(Int64(number), forKey: key)
            #expect(store.typedStore.value(KeyValue.self, forKey: key) == .integer(Int64(number)))
        }
        store.set(NSNumber(value: true), forKey: key)
        #expect(store.typedStore.value(forKey: key) == true)
        store.set(NSNumber(value: 1.5), forKey: key)
        #expect(store.typedStore.value(forKey: key) == 1.5)
    }

    @Test
    func `nil removes a key, also inside an optional, and invalid values are dropped`() {
        struct Point {}
        let key = key()
        for unset in 0..<5 {
            store.set("x", forKey: key)
            switch unset {
            case 0: store.set(nil as String?, forKey: key)
            case 1: store.set(nil as Any?, forKey: key)
            case 2: store.set(nil as Data?, forKey: key)
            case 3: store.set(nil as Int? as Any, forKey: key)
            default: store.removeObject(forKey: key)
            }
            #expect(store.object(forKey: key) == nil, "\(unset)")
        }
        store.set("x", forKey: key)
        for value in [Point(), URL(filePath: "/"), NSNull(), [Point()], [1: 2]] as [Any] {
            store.set(value, forKey: key)
            #expect(store.string(forKey: key) == "x", "\(type(of: value))")
        }
        #expect(store.dictionaryRepresentation[key] as? String == "x")
        [key].forEach(store.removeObject)
        #expect(store.dictionaryRepresentation[key] == nil)
    }
}
