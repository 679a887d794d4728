import Foundation
import KSKeyValues
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// Programs that write back what they read before another program's change came.
struct OldViewTests {
    private typealias Reports = AsyncStream<KeyValueChange>.AsyncIterator

    /// Runs a test with a store that hears of all changes from now on.
    private func withStore(
        _ body: (StoreHome, NSUbiquitousKeyValueStore, inout Reports) async throws -> Void
    ) async throws {
        try await StoreHome.with { home in
            let store = home.store
            #expect(store.synchronize())
            var reports = store.changes.makeAsyncIterator()
            try home.set("first", .bool(true))
            #expect(await reports.next()?.keys == ["first"])
            try await body(home, NSUbiquitousKeyValueStore(store: store), &reports)
        }
    }

    /// Another program writes; no getter has read it when its report has come.
    private func write(
        _ writes: EntryWrite...,
        to key: String,
        in home: StoreHome,
        _ reports: inout Reports
    ) async throws {
        try home.write(writes.map { KeyWrite(key: key, .write($0)) })
        let change = await reports.next(isolation: #isolation)
        #expect(change?.keys == [key])
    }

    private func texts(_ texts: String...) -> [PropertyValue] { texts.map { .string($0) } }

    @Test
    func `a counter of Apple's class that is read and set loses no increment`() async throws {
        try await withStore { home, store, reports in
            try await write(.increment(by: 4), to: "n", in: home, &reports)
            let read = store.longLong(forKey: "n")
            #expect(read == 4 && store.object(forKey: "n") is NSNumber)
            try await write(.increment(by: 5), to: "n", in: home, &reports)
            store.set(read + 1, forKey: "n")
            store.set(read + 2, forKey: "n")
            #expect(store.synchronize() && store.longLong(forKey: "n") == 11)
            #expect(try home.stored("n") == .integer(11))
            // All values are read at once, and then an increment comes.
            let all = store.dictionaryRepresentation["n"] as? Int64
            try await write(.increment(by: 9), to: "n", in: home, &reports)
            store.set(try #require(all) + 1, forKey: "n")
            #expect(store.synchronize())
            #expect(try home.stored("n") == .integer(21))
        }
    }

    @Test
    func `a counter that was not there when it was read keeps what came since`() async throws {
        try await withStore { home, store, reports in
            let read = store.longLong(forKey: "n")
            try await write(.increment(by: 9), to: "n", in: home, &reports)
            store.set(read + 1, forKey: "n")
            #expect(store.synchronize() && store.longLong(forKey: "n") == 10)
            #expect(try home.stored("n") == .integer(10))
        }
    }

    @Test
    func `an old array written back removes nothing that came since`() async throws {
        try await withStore { home, store, reports in
            try await write(.insert(texts("b", "a")), to: "ids", in: home, &reports)
            let ids = try #require(store.array(forKey: "ids") as? [String])
            #expect(ids == ["a", "b"])
            try await write(.insert(texts("theirs")), to: "ids", in: home, &reports)
            store.set(Array(Set(ids).union(["mine"])), forKey: "ids")
            #expect(store.synchronize())
            #expect(store.array(forKey: "ids") as? [String] == ["a", "b", "mine", "theirs"])

            try await write(.append(texts("a", "b")), to: "tasks", in: home, &reports)
            var tasks = try #require(store.array(forKey: "tasks") as? [String])
            try await write(.insertAt(0, texts("x")), to: "tasks", in: home, &reports)
            tasks.removeFirst()
            tasks.append("c")
            store.set(tasks, forKey: "tasks")
            #expect(store.synchronize())
            #expect(store.array(forKey: "tasks") as? [String] == ["x", "b", "c"])
            #expect(try home.stored("tasks") == .array(texts("x", "b", "c")))
        }
    }

    @Test
    func `an old dictionary written back keeps the fields that came since`() async throws {
        try await withStore { home, store, reports in
            try await write(
                .setField("theme", .string("dark")),
                .incrementField("opened", by: 4),
                to: "map",
                in: home,
                &reports
            )
            var fields = try #require(store.dictionary(forKey: "map"))
            try await write(
                .setField("size", .integer(12)),
                .incrementField("opened", by: 5),
                to: "map",
                in: home,
                &reports
            )
            fields["opened"] = 5
            fields["theme"] = nil
            store.set(fields, forKey: "map")
            #expect(store.synchronize())
            let merged = store.dictionary(forKey: "map") as? [String: Int]
            #expect(merged == ["size": 12, "opened": 10])
        }
    }

    @Test
    func `an operation on a list means the element that the program saw`() async throws {
        try await withStore { home, store, reports in
            let list = store.typedStore.list(of: String.self, "tasks")
            try list.append("a", "b", "c")
            #expect(store.synchronize() && list.elements == ["a", "b", "c"])
            try await write(.insertAt(0, texts("x")), to: "tasks", in: home, &reports)
            try list.remove(at: 0)
            #expect(store.synchronize() && list.elements == ["x", "b", "c"])
            try await write(.removeAt(2), to: "tasks", in: home, &reports)
            // Another program has removed it already.
            try list.remove(at: 2)
            try list.append("d")
            #expect(throws: KeyValueStoreError.self) { try list.remove(at: 9) }
            #expect(store.synchronize() && list.elements == ["x", "b", "d"])
            #expect(try home.stored("tasks") == .array(texts("x", "b", "d")))
        }
    }

    @Test
    func `a field that counts gets the difference from what was read`() async throws {
        try await withStore { home, store, reports in
            let map = store.typedStore.map("map")
            try map.increment("opened", by: 4)
            #expect(store.synchronize() && map.fields == ["opened": .integer(4)])
            try await write(.incrementField("opened", by: 5), to: "map", in: home, &reports)
            try map.set(5, forField: "opened")
            #expect(store.synchronize() && map.fields == ["opened": .integer(10)])
        }
    }
}
