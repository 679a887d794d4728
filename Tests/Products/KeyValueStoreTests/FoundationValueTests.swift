import Foundation
import KSKeyValues
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// Code for Apple systems works with the objects that it reads.
struct FoundationValueTests {
    private let store = NSUbiquitousKeyValueStore(
        store: KeyValueStore(home: "/dev/null/objects-\(UUID())")
    )

    /// One value, read in each of the possible ways.
    private func everyWay(_ value: Any) throws -> [Any] {
        store.set(value, forKey: "plain")
        store.set([value], forKey: "array")
        store.set(["a": value], forKey: "dictionary")
        store.set(["a": [value]], forKey: "nested")
        let all = store.dictionaryRepresentation
        let objects: [Any?] = [
            store.object(forKey: "plain"), all["plain"],
            store.array(forKey: "array")?.first,
            (store.object(forKey: "array") as? [Any])?.first,
            (all["array"] as? [Any])?.first,
            store.dictionary(forKey: "dictionary")?["a"],
            (store.object(forKey: "dictionary") as? [String: Any])?["a"],
            (all["dictionary"] as? [String: Any])?["a"],
            (store.dictionary(forKey: "nested")?["a"] as? [Any])?.first,
            (all["nested"] as? [String: [Any]])?["a"]?.first,
        ]
        let found = objects.compactMap { $0 }
        try #require(found.count == objects.count)
        return found
    }

    @Test
    func `a boolean casts to booleans and numbers, wherever it is read`() throws {
        for object in try everyWay(true) {
            #expect(object as? Bool == true && object as? NSNumber == 1)
            #expect(object as? Int == 1 && object as? Int64 == 1 && object as? Double == 1)
        }
        for object in try everyWay(false) {
            #expect(object as? Bool == false && object as? Int == 0)
        }
    }

    @Test
    func `an integer casts to every type that holds it, wherever it is read`() throws {
        for object in try everyWay(5) {
            #expect(object as? Int == 5 && object as? Int64 == 5 && object as? Int32 == 5)
            #expect(object as? UInt8 == 5 && object as? UInt == 5 && object as? NSNumber == 5)
            #expect(object as? Double == 5 && object as? Float == 5)
            #expect(object as? String == nil && object as? Date == nil && object as? Data == nil)
        }
        for object in try everyWay(300) { #expect(object as? UInt8 == nil && object is Int) }
        for object in try everyWay(Int64.min) { #expect(object as? Int64 == .min) }
        for object in try everyWay(Int64.max) { #expect(object as? Int64 == .max) }
        for object in try everyWay(UInt64.max) { #expect(object as? UInt64 == .max) }
    }

    @Test
    func `a real number casts to an integer only without a fraction`() throws {
        for object in try everyWay(2.5) {
            #expect(object as? Double == 2.5 && object as? Float == 2.5 && object as? Int == nil)
        }
        for object in try everyWay(1.0) {
            #expect(object as? Double == 1 && object as? Float == 1 && object as? Int == 1)
        }
        for object in try everyWay(Float(0.1)) {
            #expect(object as? Float == 0.1 && object as? Double == Double(Float(0.1)))
        }
    }

    @Test
    func `texts, data and dates keep their bits, wherever they are read`() throws {
        let codes: Range<UInt32> = 0..<0xA0
        let controls = String(String.UnicodeScalarView(codes.compactMap { Unicode.Scalar($0) }))
        for text in ["", controls, "e\u{301}", "\u{E9}", "\u{FEFF}\u{10FFFF}", "a\r\nb"] {
            for object in try everyWay(text) {
                let read = try #require(object as? String)
                // Swift considers two spellings of a letter equal.
                #expect(read.utf8.elementsEqual(text.utf8))
            }
        }
        for data in [Data(), Data([0]), Data([UInt8](0...255))] {
            for object in try everyWay(data) { #expect(object as? Data == data) }
        }
        let moments: [Double] = [
            0, -0.0, 0.1, 0.123456789, 700_000_000.123456789, -63_114_076_800.5,
            .leastNonzeroMagnitude,
        ]
        for seconds in moments {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            for object in try everyWay(date) {
                let read = try #require(object as? Date)
                #expect(read.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
            }
        }
    }

    @Test
    func `collections cast to the types that code declares`() throws {
        let list = try everyWay([1, 2])
        #expect(list.allSatisfy { $0 as? [Int] == [1, 2] && $0 as? [Double] == [1, 2] })
        #expect(list.allSatisfy { $0 as? [NSNumber] == [1, 2] && $0 as? [String] == nil })
        let names = try everyWay(["a", "b"])
        #expect(names.allSatisfy { $0 as? [String] == ["a", "b"] })
        let flags = try everyWay(["x": true])
        #expect(flags.allSatisfy { $0 as? [String: Bool] == ["x": true] })
        #expect(flags.allSatisfy { ($0 as? [String: Any])?.count == 1 })
        let nested = try everyWay(["x": [["y": 1.5]]])
        #expect(nested.allSatisfy { $0 as? [String: [[String: Double]]] == ["x": [["y": 1.5]]] })
        // A date and a value, as some packages store them to stamp their writes.
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123456789)
        for object in try everyWay([date, 7] as [Any]) {
            let pair = try #require(object as? [Any])
            #expect(pair.first as? Date == date && pair.last as? Int == 7)
        }
    }

    @Test
    func `every type of value and of key is read back from the disk`() async throws {
        let values: [String: Any] = [
            "nul\0key": "a\0b", "line\nbreak": "\u{1}\u{7F}\u{85}", " ": " ", "🗝️": "\u{10FFFF}",
            "decimal": Decimal(0.5), "float": Float(0.1), "least": Int64.min, "most": UInt64.max,
            "zero": -0.0, "infinite": -Double.infinity, "no": false, "empty": Data(),
            "date": Date(timeIntervalSinceReferenceDate: -0.1), "list": [[Any]()],
            "fields": ["\0": ["": 1]], String(repeating: "\u{1F600}", count: 64): 1,
        ]
        try await StoreHome.with { home in
            do {
                let store = NSUbiquitousKeyValueStore(store: home.store)
                for (key, value) in values { store.set(value, forKey: key) }
                #expect(store.synchronize())
            }
            try home.stopDaemon()
            let store = NSUbiquitousKeyValueStore(store: home.store)
            #expect(Set(store.dictionaryRepresentation.keys) == Set(values.keys))
            #expect(store.string(forKey: "nul\0key") == "a\0b")
            #expect(store.string(forKey: "line\nbreak") == "\u{1}\u{7F}\u{85}")
            #expect(store.string(forKey: "🗝️") == "\u{10FFFF}" && store.string(forKey: " ") == " ")
            #expect(store.object(forKey: "decimal") as? Double == 0.5)
            #expect(store.object(forKey: "float") as? Float == 0.1)
            #expect(store.longLong(forKey: "least") == .min)
            #expect(store.object(forKey: "most") as? UInt64 == .max)
            #expect(store.double(forKey: "zero").sign == .minus)
            #expect(store.double(forKey: "infinite") == -.infinity)
            #expect(store.object(forKey: "no") as? Bool == false)
            #expect(store.data(forKey: "empty") == Data())
            let date = store.object(forKey: "date") as? Date
            #expect(date?.timeIntervalSinceReferenceDate == -0.1)
            #expect((store.array(forKey: "list")?.first as? [Any])?.isEmpty == true)
            let fields = store.dictionary(forKey: "fields") as? [String: [String: Int]]
            #expect(fields == ["\0": ["": 1]])
        }
    }

    @Test
    func `a synchronize after each write of many threads keeps all writes`() async throws {
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            await withTaskGroup(of: Bool.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        (0..<50).allSatisfy { number in
                            store.set(Int64(number), forKey: "\(thread)")
                            return store.synchronize()
                        }
                    }
                }
                for await isSynchronized in group { #expect(isSynchronized) }
            }
            for thread in 0..<4 {
                let stored = try home.stored("\(thread)")
                #expect(stored == .integer(49))
            }
        }
    }

    @Test
    func `keys count against no quota, and a full store takes changes of its keys`() {
        let keys = (1000..<2023).map { "\($0)" + String(repeating: "k", count: 124) }
        // The values and 128 KiB of keys would exceed 1 MiB.
        store.set(Data(count: (1 << 20) - 4096), forKey: "large")
        for key in keys { store.set(true, forKey: key) }
        store.set(true, forKey: "one more")
        store.set("changed", forKey: keys[0])
        #expect(store.dictionaryRepresentation.count == 1024)
        #expect(store.object(forKey: "one more") == nil && store.data(forKey: "large") != nil)
        #expect(store.string(forKey: keys[0]) == "changed")
        store.removeObject(forKey: keys[1])
        store.set(true, forKey: "one more")
        #expect(store.bool(forKey: "one more"))
    }
}
