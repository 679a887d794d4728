import Foundation
import KSAgent
import KSKeyValues
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// The property lists that Apple's class accepts, and the objects that it returns.
struct PropertyListTests {
    private let store = NSUbiquitousKeyValueStore(
        store: KeyValueStore(home: "/dev/null/lists-\(UUID())")
    )

    private func roundTrip(_ value: Any?) -> Any? {
        store.set(value, forKey: "key")
        return store.object(forKey: "key")
    }

    private func isNumber(_ object: Any?) -> Bool {
        object.map { type(of: $0) is NSNumber.Type } ?? false
    }

    // MARK: Objects

    @Test
    func `every number and boolean is an NSNumber, also inside of collections`() throws {
        for value in [true, false, 5, Int64.min, UInt64.max, 2.5, Float(0.1), UInt8(1)] as [Any] {
            #expect(isNumber(roundTrip(value)), "\(type(of: value))")
        }
        store.set(["list": [1, true, 0.5], "flag": false] as [String: Any], forKey: "nested")
        let dictionary = try #require(store.dictionary(forKey: "nested"))
        let list = try #require(dictionary["list"] as? [Any])
        #expect(list.allSatisfy { isNumber($0) } && isNumber(dictionary["flag"]))
        let shown = try #require(store.dictionaryRepresentation["nested"] as? [String: Any])
        #expect(isNumber(shown["flag"]))
        store.set(list, forKey: "list")
        #expect(store.array(forKey: "list")?.allSatisfy { isNumber($0) } == true)
        #expect(JSONSerialization.isValidJSONObject(store.dictionaryRepresentation))
    }

    @Test
    func `the casts that work on Apple systems work`() {
        let yes = roundTrip(true)
        #expect(yes as? Bool == true && yes as? Int == 1 && yes as? Int64 == 1)
        #expect(yes as? Double == 1 && yes as? NSNumber == 1)
        let five = roundTrip(5)
        #expect(five as? Int == 5 && five as? Int64 == 5 && five as? UInt8 == 5)
        #expect(five as? Double == 5 && five as? Float == 5)
        let real = roundTrip(2.5)
        #expect(real as? Int == nil && real as? Double == 2.5 && real as? Float == 2.5)
        #expect(roundTrip(1.0) as? Float == 1 && roundTrip(Float(0.1)) as? Float == 0.1)
        #expect(roundTrip(["a", "b"]) as? [String] == ["a", "b"])
        #expect(roundTrip(["a": 1]) as? [String: Int] == ["a": 1])
        #expect(roundTrip([["a": [1.5]]]) as? [[String: [Double]]] == [["a": [1.5]]])
        let date = Date(timeIntervalSinceReferenceDate: 0.123456789)
        let stamped = roundTrip([date, "v"] as [Any])
        #expect((stamped as? [Any])?.first as? Date == date)
    }

    @Test
    func `extreme values keep every bit`() {
        for value in [Int64.min, Int64.max] { #expect(roundTrip(value) as? Int64 == value) }
        #expect(roundTrip(UInt64.max) as? UInt64 == .max && roundTrip(UInt.max) as? UInt == .max)
        for value in [Double.infinity, -.infinity, .leastNonzeroMagnitude, 0.1, -0.0] {
            #expect((roundTrip(value) as? NSNumber)?.doubleValue.bitPattern == value.bitPattern)
        }
        #expect((roundTrip(Double.nan) as? NSNumber)?.doubleValue.isNaN == true)
        // A signaling NaN with a payload: a conversion would make it quiet.
        let strange = Double(bitPattern: 0x7FF0_0000_0000_0001)
        for value in [strange, .nan, -.nan] {
            store.set(value, forKey: "real")
            let stored = store.typedStore.value(Double.self, forKey: "real")
            #expect(stored?.bitPattern == value.bitPattern)
        }
        #expect(roundTrip("a\0b\u{1}\u{7F}") as? String == "a\0b\u{1}\u{7F}")
        store.set("x", forKey: "k\0\u{1}")
        #expect(store.string(forKey: "k\0\u{1}") == "x")
    }

    @Test
    func `everything that Foundation takes for a property list is one`() {
        let text = "abcdef"
        let values: [(Any, KeyValue)] = [
            (text.dropFirst(), .string("bcdef")), (NSString("x"), .string("x")),
            (NSMutableString("y"), .string("y")), (Int8(-3), .integer(-3)),
            (Int16(-3), .integer(-3)), (Int32(-3), .integer(-3)), (UInt16(3), .integer(3)),
            (UInt32.max, .integer(Int64(UInt32.max))), (Decimal(string: "1.5") as Any, .real(1.5)),
            (NSDecimalNumber(value: 2.5), .real(2.5)), (Float(0.5), .real(0.5)),
            (CGFloat(0.5), .real(0.5)), (NSNumber(value: 1.0), .real(1)),
            (NSNumber(value: Int8(1)), .integer(1)), (NSNumber(value: UInt8(0)), .integer(0)),
            (NSNumber(value: false), .bool(false)), (NSNumber(value: UInt64.max), .unsigned(.max)),
            (NSData(data: Data([1, 2])), .data(Data([1, 2]))),
            (
                NSDate(timeIntervalSinceReferenceDate: 7),
                .date(Date(timeIntervalSinceReferenceDate: 7))
            ),
            (NSArray(array: [1, "x"]), .array([.integer(1), .string("x")])),
            (NSMutableArray(array: [true]), .array([.bool(true)])),
            (NSDictionary(dictionary: ["a": 1]), .dictionary(["a": .integer(1)])),
            ([AnyHashable("a"): 1], .dictionary(["a": .integer(1)])), ([Any](), .array([])),
            (AnyHashable("x"), .string("x")), (AnyHashable(true), .bool(true)),
            ([AnyHashable(1), AnyHashable(1.5)], .array([.integer(1), .real(1.5)])),
            ([String: Any](), .dictionary([:])), ([Int?.some(1)] as [Int?], .array([.integer(1)])),
        ]
        for (value, expected) in values {
            _ = roundTrip(value)
            let stored = store.typedStore.value(KeyValue.self, forKey: "key")
            #expect(stored == expected, "\(type(of: value))")
        }
    }

    // MARK: Values that are no property list

    private struct Point { let x = 1 }
    private enum Direction { case up }

    @Test(arguments: 0..<18)
    func `a value that is no property list changes nothing`(number: Int) throws {
        let values: [Any] = [
            Point(), Direction.up, NSNull(), try #require(URL(string: "https://example.org")),
            UUID(), Set([1]), NSSet(array: [1]), [1: 2], [Point()], ["a": Point()],
            [NSNull()], ["a": ["b": NSNull()]], [Int?.none], ["a": String?.none],
            ["a": [1: 2]], NSObject(), { () in }, (1, 2),
        ]
        let key = "key \(number)"
        store.set("before", forKey: key)
        store.set(values[number], forKey: key)
        #expect(store.string(forKey: key) == "before")
        store.set([values[number]], forKey: key)
        #expect(store.string(forKey: key) == "before")
        store.set(["a": values[number]], forKey: key)
        #expect(store.string(forKey: key) == "before")
    }

    @Test
    func `a nil at any depth of optionals removes the key`() {
        let nested: Int?? = .some(nil)
        for unset in 0..<8 {
            store.set("x", forKey: "key")
            switch unset {
            case 0: store.set(nil as [Any]?, forKey: "key")
            case 1: store.set(nil as [String: Any]?, forKey: "key")
            case 2: store.set(nil as String?, forKey: "key")
            case 3: store.set(nil as Data?, forKey: "key")
            case 4: store.set(nil as Any?, forKey: "key")
            case 5: store.set(nil as Int? as Any, forKey: "key")
            case 6: store.set(nested as Any, forKey: "key")
            default: store.set(Bool?.none, forKey: "key")
            }
            #expect(store.object(forKey: "key") == nil, "\(unset)")
        }
    }

    @Test
    func `a dropped value leaves one line with its key and its type`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let store = NSUbiquitousKeyValueStore(
                    store: KeyValueStore(home: "/dev/null/log")
                )
                for _ in 0..<3 {
                    store.set(UUID(), forKey: "launch id")
                    store.set(["secret": NSNull()], forKey: "nested")
                    store.set(UUID(), forKey: "two\nlines\0")
                    store.set("secret", forKey: String(repeating: "k", count: 100_000))
                    store.set("secret", forKey: "")
                    store.set(String(repeating: "secret", count: 350_000), forKey: "large")
                }
            }
        )
        let log = String(decoding: result.standardErrorContent, as: UTF8.self)
        let lines = log.split(separator: "\n").filter { $0.contains("NSUbiquitousKeyValueStore") }
        // Each key is written once, and a line break in a key starts no second line.
        try #require(lines.count == 6 && !log.contains("\nlines"), "\(log)")
        #expect(lines[0].contains("\"launch id\"") && lines[0].contains("UUID"), "\(log)")
        #expect(lines[1].contains("\"nested\"") && lines[1].contains("NSNull"), "\(log)")
        #expect(lines[2].contains(#""two\nlines\0""#) && lines[2].contains("UUID"), "\(log)")
        #expect(lines[3].contains("100000") && lines[3].utf8.count < 500, "\(lines[3].utf8.count)")
        #expect(lines[4].contains("\"\""), "\(log)")
        let limit = "key \"large\": The limit is 1048576 bytes in a value;"
        #expect(lines[5].contains(limit) && lines[5].utf8.count < 300, "\(lines[5].utf8.count)")
        #expect(!log.contains("secret"))
    }

    @Test(arguments: ["UUID", "units", "bytes"])
    func `in the debug mode a dropped value stops the program`(fault: String) async throws {
        let ended = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [fault = fault as String] in
            unsafe setenv("KEYCHAIN_SYNC_STORE_DEBUG", "1", 1)
            let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: "/dev/null/debug"))
            store.set("secret", forKey: "launch id")
            store.removeObject(forKey: "launch id")
            switch fault {
            case "UUID": store.set(UUID(), forKey: "launch id")
            case "units": store.set("secret", forKey: String(repeating: "k", count: 129))
            default: store.set(Data(count: 1 << 20), forKey: "launch id")
            }
            _exit(0)
        }
        let result = try #require(ended)
        let log = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(log.contains("NSUbiquitousKeyValueStore: key \"") && log.contains(fault), "\(log)")
        #expect(!log.contains("secret"))
    }

    // MARK: Limits

    @Test(arguments: [("k", 127), ("k", 128), ("k", 129), ("\u{1F600}", 64), ("\u{1F600}", 65)])
    func `a key has at most 128 UTF-16 units`(character: String, count: Int) {
        let key = String(repeating: character, count: count)
        store.set("x", forKey: key)
        #expect((store.object(forKey: key) == nil) == (key.utf16.count > 128))
        store.set("x", forKey: "")
        #expect(store.object(forKey: "") == nil)
    }

    @Test(arguments: [-1, 0, 1])
    func `a store has at most 1,024 keys`(excess: Int) {
        for number in 0..<1024 + excess { store.set(true, forKey: "\(number)") }
        #expect(store.dictionaryRepresentation.count == 1024 + min(excess, 0))
    }

    @Test(arguments: [-1, 0, 1])
    func `all values together have at most so many bytes`(excess: Int) async throws {
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            let status = try store.typedStore.status()
            let max = min(status.valueBytesMax, status.totalBytesMax)
            let frame = PropertyValue.data([UInt8](repeating: 0, count: max)).encoded.count - max
            store.set(Data(count: max - frame + excess), forKey: "large")
            #expect((store.object(forKey: "large") == nil) == (excess > 0))
            #expect(store.synchronize())
            let stored = try home.stored("large")
            #expect((stored == nil) == (excess > 0))
        }
    }

    /// None of the values is near the limit of one value.
    @Test(arguments: [-1, 0, 1])
    func `many small values have the limit of the whole store`(excess: Int) async throws {
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            let max = try store.typedStore.status().totalBytesMax
            let frame = PropertyValue.data([UInt8](repeating: 0, count: 65_000)).encoded.count
            let each = max / 16
            for number in 0..<15 {
                store.set(Data(count: each - (frame - 65_000)), forKey: "\(number)")
            }
            #expect(store.synchronize())
            #expect(try store.typedStore.status().byteCount == 15 * each)
            store.set(Data(count: each - (frame - 65_000) + excess), forKey: "last")
            #expect((store.object(forKey: "last") == nil) == (excess > 0))
            #expect(store.synchronize())
            #expect((try home.stored("last") == nil) == (excess > 0))
            // The daemon counts too: a program whose memory is older than the store's contents.
            let larger = PropertyValue.data([UInt8](repeating: 0, count: each))
            let refusals = try home.client().call(
                WriteKeyValues(
                    store: nil,
                    writes: [KeyWrite(key: "other", .write(.set(larger, base: nil))).encoded]
                )
            ).refusals
            #expect(refusals.count == 1)
            #expect(try home.stored("other") == nil)
        }
    }

    @Test(arguments: [63, 64, 65, 300])
    func `a value has at most 64 arrays around it`(depth: Int) async throws {
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            var value: [Any] = []
            for _ in 0..<depth { value = [value] }
            store.set(value, forKey: "deep")
            store.set("after", forKey: "other")
            #expect((store.object(forKey: "deep") == nil) == (depth > 64))
            // One value that is refused must not hold up the others.
            #expect(store.synchronize())
            let (deep, other) = (try home.stored("deep"), try home.stored("other"))
            #expect((deep == nil) == (depth > 64) && other == .string("after"))
        }
    }
}
