import Foundation
import KSKeyValues
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// The store of a program, with a daemon of its own.
struct KeyValueStoreTests {
    @Test
    func `values of every type are read back from memory and from the disk`() async throws {
        try await StoreHome.with { home in
            do {
                let store = home.store
                try store.set(true, forKey: "bool")
                try store.set(Int64.min, forKey: "least")
                try store.set(UInt64.max, forKey: "most")
                try store.set(-0.0, forKey: "zero")
                try store.set("text", forKey: "string")
                try store.set(Data([0, 255]), forKey: "data")
                try store.set(Date(timeIntervalSinceReferenceDate: 0.1), forKey: "date")
                try store.set(["a": [1, 2]], forKey: "nested")
                #expect(store.value(forKey: "string") == "text")
                #expect(store.synchronize())
                #expect(store.lastChange(forKey: "string") != nil)
            }
            try home.stopDaemon()
            let store = home.store
            #expect(store.value(forKey: "bool") == true)
            #expect(store.value(Int64.self, forKey: "least") == .min)
            #expect(store.value(UInt64.self, forKey: "most") == .max)
            #expect(store.value(Double.self, forKey: "zero")?.sign == .minus)
            #expect(store.value(forKey: "data") == Data([0, 255]))
            #expect(store.value(forKey: "date") == Date(timeIntervalSinceReferenceDate: 0.1))
            #expect(store.value(forKey: "nested") == ["a": [1, 2]])
            #expect(store.value(String.self, forKey: "bool") == nil)
            store.removeValue(forKey: "bool")
            #expect(store.keys == ["data", "date", "least", "most", "nested", "string", "zero"])
        }
    }

    @Test
    func `two spellings of a letter are two keys, also on the disk`() async throws {
        try await StoreHome.with { home in
            let (short, long) = ("caf\u{E9}", "cafe\u{301}")
            do {
                let store = home.store
                try store.set(1, forKey: short)
                try store.set(2, forKey: long)
                #expect(store.synchronize())
            }
            try home.stopDaemon()
            let store = home.store
            #expect(store.value(forKey: short) == 1 && store.value(forKey: long) == 2)
            store.removeValue(forKey: short)
            #expect(store.synchronize() && store.value(Int.self, forKey: short) == nil)
            #expect(try home.stored(long) == .integer(2))
        }
    }

    @Test
    func `merge types have an API of their own, and refuse another type`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            try store.counter("visits").increment()
            try store.counter("visits").increment(by: 4)
            try store.set(7, forKey: "visits")
            #expect(store.counter("visits").value == 7)
            let tags = store.set(of: String.self, "tags")
            try tags.insert("a", "b")
            try tags.remove("a")
            #expect(tags.elements == ["b"])
            let todo = store.list(of: String.self, "todo")
            try todo.append("milk", "bread")
            try todo.insert("tea", at: 0)
            try todo.move(from: 2, to: 0)
            #expect(todo.elements == ["bread", "tea", "milk"])
            try store.map("settings").set("dark", forField: "theme")
            try store.map("settings").increment("opened")
            try store.raise("best", to: 5)
            try store.raise("best", to: 3)
            #expect(store.value(forKey: "best") == 5)
            let refusal = KeyValueStoreError.refused(
                key: "visits",
                sentence: "The key is a counter, not a set."
            )
            #expect(throws: refusal) {
                try store.set(of: Int.self, "visits").insert(1)
            }
            #expect(store.synchronize())
            #expect(try home.stored("visits") == .integer(7))
            #expect(try home.stored("best") == .integer(5))
            let fields = store.map("settings").fields
            #expect(fields == ["theme": .string("dark"), "opened": .integer(1)])
        }
    }

    @Test
    func `parts of merged values are read, replaced and removed`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            let counter = store.counter("visits")
            try counter.increment(by: .max)
            #expect(!counter.overflows)
            try counter.increment()
            #expect(counter.overflows)
            try counter.reset(to: 3)
            #expect(counter.value == 3 && !counter.overflows)
            try store.lower("least", to: 5)
            try store.lower("least", to: 7)
            #expect(store.value(forKey: "least") == 5)
            let todo = store.list(of: String.self, "todo")
            try todo.append("milk", "bread", "tea")
            try todo.set("rolls", at: 1)
            try todo.remove(at: 0)
            #expect(todo.elements == ["rolls", "tea"])
            try store.map("settings").set("dark", forField: "theme")
            try store.map("settings").set(12, forField: "size")
            try store.map("settings").remove("theme")
            #expect(store.map("settings").fields == ["size": .integer(12)])
            let tags = store.set(of: String.self, "tags")
            try tags.insert("a", "b")
            #expect(tags.contains("a") && !tags.contains("c"))
            try store.set("gone", forKey: "plain")
            try store.transaction { transaction in
                transaction.remove("a", from: "tags")
                transaction.removeValue(forKey: "plain")
            }
            #expect(tags.elements == ["b"] && !store.keys.contains("plain"))
            #expect(await store.waitUntilSynchronized())
            #expect(try home.stored("visits") == .integer(3))
            #expect(try home.stored("plain") == nil)
        }
    }

    @Test
    func `a transaction is carried out whole or not at all`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            try store.transaction { transaction in
                transaction.set("Ann", forKey: "name")
                transaction.increment("count", by: 2)
                transaction.insert("x", into: "set")
            }
            #expect(store.synchronize())
            #expect(try home.stored("count") == .integer(2))
            let tooLong = String(repeating: "k", count: 129)
            let refusal = KeyValueStoreError.refused(
                key: tooLong,
                sentence: "The limit is 128 UTF-16 units in a key; this write needs 129."
                    + " To change it: sync-client kv limits."
            )
            #expect(throws: refusal) {
                try store.transaction { transaction in
                    transaction.set("Ben", forKey: "name")
                    transaction.set(1, forKey: tooLong)
                }
            }
            #expect(store.value(forKey: "name") == "Ann")
        }
    }

    @Test
    func `a transaction has the writes of every merge type`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            try store.counter("count").increment(by: 5)
            try store.list(of: String.self, "list").append("a", "b", "c")
            try store.map("map").set("old", forField: "gone")
            try store.set(3, forKey: "plain")
            try store.transaction { transaction in
                transaction.reset("count", to: 100)
                transaction.increment("count")
                transaction.raise("most", to: 7)
                transaction.raise("most", to: 5)
                transaction.lower("least", to: 7)
                transaction.lower("least", to: 5)
                transaction.raise("plain", to: 2)
                transaction.remove("absent", from: "set")
                transaction.insert("x", into: "set")
                transaction.set("new", forField: "text", of: "map")
                transaction.increment(field: "number", of: "map", by: 2)
                transaction.remove(field: "gone", of: "map")
                transaction.append("d", to: "list")
                transaction.insert("first", at: 0, into: "list")
                transaction.set("B", at: 2, of: "list")
                transaction.remove(at: 1, from: "list")
                transaction.move(from: 3, to: 0, of: "list")
            }
            let list: KeyValue = .array(["d", "first", "B", "c"].map(KeyValue.string))
            let map: KeyValue = .dictionary(["text": .string("new"), "number": .integer(2)])
            let numbers = ["count": 101, "most": 7, "least": 5, "plain": 3] as [String: Int64]
            var expected = numbers.mapValues(KeyValue.integer)
            expected["set"] = .array([.string("x")])
            (expected["list"], expected["map"]) = (list, map)
            #expect(store.values == expected)
            #expect(store.synchronize() && store.values == expected)
            for (key, number) in numbers { #expect(try home.stored(key) == .integer(number)) }
            // A place that is not there refuses all.
            #expect(throws: KeyValueStoreError.self) {
                try store.transaction { transaction in
                    transaction.increment("count")
                    transaction.remove(at: 9, from: "list")
                }
            }
            #expect(store.values == expected)
            try home.stopDaemon()
            #expect(home.store.values == expected)
        }
    }

    @Test
    func `another program's changes arrive, one's own are not reported`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            try store.set(1, forKey: "mine")
            #expect(store.synchronize())
            var changes = store.changes.makeAsyncIterator()
            // After this report, every change is reported as it happens.
            try home.set("first", .integer(1))
            #expect(await changes.next()?.keys == ["first"])
            try home.set("theirs", .integer(2))
            let change = try #require(await changes.next())
            #expect(change.keys == ["theirs"] && change.source == .device)
            #expect(store.value(forKey: "theirs") == 2)
            try store.set(3, forKey: "mine")
            try home.write([KeyWrite(key: "theirs", .delete)])
            #expect(await changes.next()?.keys == ["theirs"])
            #expect(store.keys == ["first", "mine"])
        }
    }

    @Test
    func `writes survive the end of the daemon, and changes made meanwhile arrive`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            try store.counter("n").increment()
            #expect(store.synchronize())
            var changes = store.changes.makeAsyncIterator()
            try home.stopDaemon()
            // The next call of any program starts the daemon again.
            try store.counter("n").increment()
            #expect(store.synchronize())
            #expect(try home.stored("n") == .integer(2))
            try home.set("other", .bool(true))
            var seen: Set<String> = []
            while !seen.contains("other"), let change = await changes.next() {
                seen.formUnion(change.keys)
            }
            #expect(store.value(forKey: "other") == true)
        }
    }

    @Test
    func `without a daemon synchronize says so, and the writes are kept`() async throws {
        let store = KeyValueStore(home: "/dev/null/none")
        try store.set(1, forKey: "a")
        #expect(!store.synchronize())
        #expect(await !store.waitUntilSynchronized())
        #expect(store.value(forKey: "a") == 1)
        #expect(throws: KeyValueStoreError.self) { try store.status() }
        #expect(!store.isFirstSyncComplete)
    }

    @Test
    func `default values are read and never written`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            store.register(defaults: ["theme": "light", "size": 12])
            #expect(store.value(forKey: "theme") == "light")
            try store.set("dark", forKey: "theme")
            #expect(store.value(forKey: "theme") == "dark" && store.value(forKey: "size") == 12)
            #expect(store.keys == ["theme"])
            store.removeValue(forKey: "theme")
            #expect(store.value(forKey: "theme") == "light")
        }
    }

    @Test
    func `Apple's getters read default values, and the store's contents lack them`() async throws {
        try await StoreHome.with { home in
            let store = NSUbiquitousKeyValueStore(store: home.store)
            store.typedStore.register(defaults: ["theme": "light", "size": 12, "is on": true])
            #expect(store.string(forKey: "theme") == "light")
            #expect(store.object(forKey: "size") as? Int == 12 && store.bool(forKey: "is on"))
            store.set("dark", forKey: "theme")
            #expect(store.string(forKey: "theme") == "dark")
            #expect(store.dictionaryRepresentation as? [String: String] == ["theme": "dark"])
            // Its result may go unused, as on Apple systems.
            store.synchronize()
            let (theme, size) = (try home.stored("theme"), try home.stored("size"))
            #expect(theme == .string("dark") && size == nil)
        }
    }

    @Test
    func `the status has the limits and no account`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            try store.set("x", forKey: "a")
            store.synchronize()
            let status = try store.status()
            #expect(status.keyCount == 1 && status.keyCountMax == 1024)
            #expect(status.keyLengthMax == 128 && status.totalBytesMax == 1 << 20)
            #expect(status.elementCountMax == 4096 && status.mergedBytesMax == 256 << 10)
            #expect(status.counterDeviceCountMax == 1024 && status.positionBytesMax == 64)
            #expect(status.accountToken == nil && !status.isFirstSyncComplete)
            #expect(status.name.hasPrefix("exe:"))
        }
    }

    @Test
    func `stores of different names are apart, and others than allowed are refused`() async throws {
        try await StoreHome.with(stores: ["mine", "team"]) { home in
            let (mine, team) = (
                KeyValueStore(named: "mine", home: home.path),
                KeyValueStore(named: "team", home: home.path)
            )
            try mine.set(1, forKey: "a")
            try team.set(2, forKey: "a")
            #expect(mine.synchronize() && team.synchronize())
            #expect(mine.value(forKey: "a") == 1 && team.value(forKey: "a") == 2)
            let foreign = KeyValueStore(named: "foreign", home: home.path)
            try foreign.set(3, forKey: "a")
            #expect(!foreign.synchronize())
            #expect(throws: KeyValueStoreError.self) { try foreign.status() }
        }
    }

    @Test
    func `a thousand values set one by one are all on the disk`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            for number in 0..<1000 { try store.set(number, forKey: "key \(number)") }
            #expect(store.synchronize())
            #expect(try store.status().keyCount == 1000)
        }
    }

    @Test
    func `many threads count without losing a step`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        // A step that throws is missing from the count below.
                        for _ in 0..<100 { try? store.counter("n").increment() }
                    }
                }
            }
            #expect(store.counter("n").value == 800)
            #expect(store.synchronize())
            let stored = try home.stored("n")
            #expect(stored == .integer(800))
        }
    }
}
