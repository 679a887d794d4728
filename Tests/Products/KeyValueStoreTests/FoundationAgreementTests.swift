import Foundation
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// The class agrees with Foundation: with the getters of `UserDefaults`, whose conversions Apple's
/// documentation repeats, and with what `PropertyListSerialization` accepts and returns.
struct FoundationAgreementTests {
    private let store = NSUbiquitousKeyValueStore(
        store: KeyValueStore(home: "/dev/null/agreement-\(UUID())")
    )

    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123456789)

    @Test
    func `each getter agrees with UserDefaults`() throws {
        let name = "keychain-sync-tests-\(UUID())"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        let values: [any Sendable] =
            [
                true, false, 0, 1, 10, -1, 2.67, -2.67, 12.34, 0.5, Int.max - 1, Data("1".utf8),
                Self.date, ["1"], ["a": 1],
            ] + [
                "T", "Y", "yes", "tRue", "10", "-1", "01", " 1", "0", "no", "abc", "0x10", "YES",
                "123", "123.4", " 77x", "1e3", "9223372036854775808", "",
            ]
        for value in values {
            defaults.set(value, forKey: "key")
            store.set(value, forKey: "key")
            #expect(store.bool(forKey: "key") == defaults.bool(forKey: "key"), "\(value)")
            #expect(
                store.longLong(forKey: "key") == Int64(defaults.integer(forKey: "key")),
                "\(value)"
            )
            #expect(store.double(forKey: "key") == defaults.double(forKey: "key"), "\(value)")
            #expect(store.data(forKey: "key") == defaults.data(forKey: "key"), "\(value)")
            #expect(
                store.array(forKey: "key")?.count == defaults.array(forKey: "key")?.count,
                "\(value)"
            )
            #expect(
                store.dictionary(forKey: "key")?.count == defaults.dictionary(forKey: "key")?.count,
                "\(value)"
            )
            // Foundation on Linux gives a date as text here; Apple's documentation says nil.
            guard !(value is Date) else { continue }
            #expect(store.string(forKey: "key") == defaults.string(forKey: "key"), "\(value)")
        }
    }

    /// `UserDefaults` on Linux returns `[Any?]`, whose elements print as `Optional(1)`.
    @Test
    func `elements of collections are no optionals`() throws {
        store.set([1, "x", [2]] as [Any], forKey: "list")
        store.set(["a": 1, "b": ["c": "d"]] as [String: Any], forKey: "fields")
        let list = try #require(store.array(forKey: "list"))
        let fields = try #require(store.dictionary(forKey: "fields"))
        for object in [list, fields, store.dictionaryRepresentation] as [Any] {
            #expect(!String(describing: object).contains("Optional("), "\(object)")
            #expect(JSONSerialization.isValidJSONObject(object))
        }
        #expect(list.first as? NSNumber == 1 && fields["a"] as? NSNumber == 1)
    }

    @Test
    func `a value that Foundation takes for a property list is taken, and no other but CGFloat`()
        throws
    {
        struct Point { let x = 1 }
        let text = "abcdef"
        let values: [Any] = [
            text, text.dropFirst(), NSString("x"), 1, Int8(1), Int16(1), Int32(1), Int64.min,
            UInt(1), UInt8(1), UInt16(1), UInt32(1), UInt64.max, Float(0.1), 0.1, Decimal(1.5),
            true, Self.date, Data([1]), NSArray(array: [1]), [[1]], ["a": ["b": [1]]],
            Point(), NSNull(), URL(filePath: "/"), UUID(), Set([1]), [1: 2],
            [nil] as [Int?], [Point()], ["a": NSNull()],
        ]
        for (number, value) in values.enumerated() {
            store.set(value, forKey: "\(number)")
            #expect(
                (store.object(forKey: "\(number)") != nil)
                    == PropertyListSerialization.propertyList(value, isValidFor: .binary),
                "\(type(of: value))"
            )
        }
        #expect(!PropertyListSerialization.propertyList(CGFloat(0.5), isValidFor: .binary))
        store.set(CGFloat(0.5), forKey: "graphics")
        #expect(store.double(forKey: "graphics") == 0.5)
    }

    private func decoded(_ data: Data) throws -> Any {
        // Safety: nil asks for no format.
        try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
    }

    /// Decoding gives other types than were encoded: `[AnyHashable: Any]`, and booleans of Swift.
    @Test
    func `what the store returns survives a binary property list, and is taken back unchanged`()
        throws
    {
        let values: [String: Any] = [
            "flag": true, "least": Int64.min, "most": UInt64.max, "real": 0.1, "zero": -0.0,
            "infinite": Double.infinity, "text": "a\0\u{1}b", "data": Data([0, 255]),
            "date": Self.date, "list": [1, true, 1.5, [Self.date]] as [Any],
            "fields": ["a": ["b": false]],
        ]
        for (key, value) in values { store.set(value, forKey: key) }
        let before = store.typedStore.values
        let data = try PropertyListSerialization.data(
            fromPropertyList: store.dictionaryRepresentation,
            format: .binary,
            options: 0
        )
        let decoded = try decoded(data)
        let fields = try #require(decoded as? [AnyHashable: Any])
        for (key, value) in fields { store.set(value, forKey: try #require(key as? String)) }
        #expect(store.typedStore.values == before && before.count == values.count)
        // A dictionary of such keys, too.
        store.set(decoded, forKey: "all")
        #expect(store.typedStore.value(KeyValue.self, forKey: "all") == .dictionary(before))
    }

    @Test
    func `a date keeps the fractions that a property list of XML loses`() throws {
        let stamped: [Any] = [Self.date, 1]
        store.set(stamped, forKey: "stamped")
        let read = try #require(store.array(forKey: "stamped"))
        #expect(read.first as? Date == Self.date)
        let data = try PropertyListSerialization.data(
            fromPropertyList: read,
            format: .xml,
            options: 0
        )
        let decoded = try decoded(data) as? [Any]
        #expect(decoded?.first as? Date != Self.date)
    }
}
