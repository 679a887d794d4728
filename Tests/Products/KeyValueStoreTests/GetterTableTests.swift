import Foundation
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// Every getter of Apple's class over every kind of value.
struct GetterTableTests {
    /// A value, and the result of each getter for it.
    private struct Row {
        let value: any Sendable
        var bool = false
        var integer: Int64 = 0
        var real = 0.0
        var text: String?
        var data: Data?
        var count: Int?
        var names: [String]?
    }

    private let store = NSUbiquitousKeyValueStore(
        store: KeyValueStore(home: "/dev/null/table-\(UUID())")
    )

    private static let rows: [Row] = [
        Row(value: true, bool: true, integer: 1, real: 1, text: "1"),
        Row(value: false, text: "0"),
        Row(value: 0, text: "0"),
        Row(value: 1, bool: true, integer: 1, real: 1, text: "1"),
        Row(value: 123, bool: true, integer: 123, real: 123, text: "123"),
        Row(value: -1, bool: true, integer: -1, real: -1, text: "-1"),
        Row(value: Int64.min, bool: true, integer: .min, real: -0x1p63, text: "\(Int64.min)"),
        Row(value: Int64.max, bool: true, integer: .max, real: 0x1p63, text: "\(Int64.max)"),
        Row(value: UInt64.max, bool: true, integer: .max, real: 0x1p64, text: "\(UInt64.max)"),
        Row(value: 0.0, text: "0"),
        Row(value: 0.5, bool: true, real: 0.5, text: "0.5"),
        // On Linux, Foundation writes the number 1.0 as "1.0", Apple's Foundation as "1".
        Row(value: 1.0, bool: true, integer: 1, real: 1, text: "1"),
        Row(value: 2.67, bool: true, integer: 2, real: 2.67, text: "2.67"),
        Row(value: -2.67, bool: true, integer: -2, real: -2.67, text: "-2.67"),
        Row(value: 12.34, bool: true, integer: 12, real: 12.34, text: "12.34"),
        Row(value: "YES", bool: true, text: "YES"),
        Row(value: "true", bool: true, text: "true"),
        Row(value: "", text: ""),
        Row(value: "123.4", bool: true, integer: 123, real: 123.4, text: "123.4"),
        Row(value: "-5", bool: true, integer: -5, real: -5, text: "-5"),
        Row(value: "1e3", bool: true, integer: 1, real: 1000, text: "1e3"),
        Row(value: Data("1".utf8), data: Data("1".utf8)),
        Row(value: Data(), data: Data()),
        Row(value: Date(timeIntervalSinceReferenceDate: 1)),
        Row(value: ["1", "2"], count: 2),
        Row(value: [String](), count: 0),
        Row(value: ["1": 1], names: ["1"]),
        Row(value: [String: Int](), names: []),
    ]

    @Test
    func `each getter converts each type of value as Apple's documentation says`() {
        for row in Self.rows {
            store.set(row.value, forKey: "key")
            #expect(store.object(forKey: "key") != nil, "\(row)")
            #expect(store.bool(forKey: "key") == row.bool, "\(row)")
            #expect(store.longLong(forKey: "key") == row.integer, "\(row)")
            #expect(store.double(forKey: "key") == row.real, "\(row)")
            #expect(store.string(forKey: "key") == row.text, "\(row)")
            #expect(store.data(forKey: "key") == row.data, "\(row)")
            #expect(store.array(forKey: "key")?.count == row.count, "\(row)")
            #expect(store.dictionary(forKey: "key")?.keys.sorted() == row.names, "\(row)")
        }
    }

    @Test(
        arguments: [
            (Double.infinity, Int64.max), (-Double.infinity, .min), (1e300, .max), (-1e300, .min),
            (0x1p63, .max), (-0x1p63, .min), (0x1p53, 1 << 53), (Double.nan, 0), (-0.0, 0),
        ] as [(Double, Int64)]
    )
    func `a real number beyond 64 bits is the nearest integer`(real: Double, expected: Int64) {
        store.set(real, forKey: "key")
        #expect(store.longLong(forKey: "key") == expected)
    }

    @Test(arguments: [false, 0, 0.0, "", Data(), [String](), [String: Int]()] as [any Sendable])
    func `an object distinguishes empty values from missing ones`(value: any Sendable) {
        #expect(store.object(forKey: "key") == nil)
        store.set(value, forKey: "key")
        #expect(store.object(forKey: "key") != nil)
        #expect(store.dictionaryRepresentation["key"] != nil)
        store.removeObject(forKey: "key")
        #expect(store.object(forKey: "key") == nil)
        #expect(store.dictionaryRepresentation["key"] == nil)
    }

    @Test
    func `a dictionary of all values is a copy that later writes leave alone`() {
        store.set("before", forKey: "text")
        store.set([1], forKey: "list")
        var copy = store.dictionaryRepresentation
        store.set("after", forKey: "text")
        store.removeObject(forKey: "list")
        #expect(copy["text"] as? String == "before" && copy["list"] as? [Int] == [1])
        copy["text"] = "mine"
        #expect(store.string(forKey: "text") == "after" && store.array(forKey: "list") == nil)
    }
}
