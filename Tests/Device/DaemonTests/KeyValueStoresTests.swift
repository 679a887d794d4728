import GRDB
import KSKeyValueRecords
import KSKeyValues
import KSResolution
import Synchronization
import Testing

/// Key-value stores of a device without an account: what a batch of writes changes, and what a
/// failure leaves.
struct KeyValueStoresTests {
    @Test
    func `a transaction that fails changes nothing in memory either`() throws {
        let (store, database) = try KeyValueStores.inMemory()
        let app = try #require(StoreIdentifier("app"))
        #expect(try store.write([KeyWrite.set("a", .integer(1))], to: app).isEmpty)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON key_value_entry WHEN NEW.id = 3
                    BEGIN SELECT RAISE(ABORT, 'disk full'); END
                    """
            )
        }
        let writes = [KeyWrite.set("b", .integer(2)), KeyWrite.set("c", .integer(3))]
        #expect(throws: DatabaseError.self) { try store.write(writes, to: app) }
        #expect(try store.entries(of: app).map(\.name.key) == ["a"])
    }

    @Test
    func `a transaction that a full disk undoes changes nothing in memory either`() throws {
        let (store, database) = try KeyValueStores.inMemory()
        let reported = Mutex<[String]>([])
        store.whenChanged = { changes in reported.withLock { $0 += changes.flatMap(\.keys) } }
        let app = try #require(StoreIdentifier("app"))
        #expect(try store.write([KeyWrite.set("a", .integer(1))], to: app).isEmpty)
        try database.write { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        let writes = [
            KeyWrite.set("b", .integer(2)),
            KeyWrite.set("c", .data([UInt8](repeating: 1, count: 100_000))),
        ]
        let failure = #expect(throws: DatabaseError.self) { try store.write(writes, to: app) }
        #expect(failure?.resultCode == .SQLITE_FULL)
        // The next transaction does not touch the store.
        try database.write { try $0.execute(sql: "PRAGMA user_version = 1") }
        #expect(try store.entries(of: app).map(\.name.key) == ["a"])
        #expect(throws: DatabaseError.self) { try store.write(writes, to: app) }
        #expect(try store.write([KeyWrite.set("d", .integer(4))], to: app).isEmpty)
        #expect(try store.entries(of: app).map(\.name.key) == ["a", "d"])
        #expect(reported.withLock(\.self) == ["a", "d"])
    }

    /// Each command is a writer of its own, a program that runs for long is one.
    @Test
    func `a program that writes is remembered, however many commands write meanwhile`() throws {
        let (stores, _) = try KeyValueStores.inMemory()
        let app = try #require(StoreIdentifier("app"))
        let increment = [KeyWrite(key: "count", .write(.increment(by: 1)))]
        func write(_ writer: Int, _ number: Int64) throws {
            let bytes =
                [UInt8](repeating: 0, count: 14) + [UInt8(writer >> 8), UInt8(writer & 255)]
            let batch = try #require(WriteBatchID(writer: bytes, number: number))
            #expect(try stores.write(increment, to: app, batch: batch).isEmpty)
        }
        try write(0, 1)
        for other in 1...600 { try write(other, 1) }
        try write(0, 2)
        for other in 601...1500 { try write(other, 1) }
        try write(0, 2)
        #expect(try stores.entries(of: app).first?.value == .integer(1502))
    }

    @Test
    func `a repeated batch is not carried out twice`() throws {
        let (stores, _) = try KeyValueStores.inMemory()
        let app = try #require(StoreIdentifier("app"))
        let increment = [KeyWrite(key: "n", .write(.increment(by: 1)))]
        let writer = [UInt8](repeating: 1, count: 16)
        func value() throws -> PropertyValue? { try stores.entries(of: app).first?.value }
        for number in [1, 1, 2, 1, 2] as [Int64] {
            let batch = try #require(WriteBatchID(writer: writer, number: number))
            #expect(try stores.write(increment, to: app, batch: batch).isEmpty)
        }
        #expect(try value() == .integer(2))
        let other = [UInt8](repeating: 2, count: 16)
        let batch = try #require(WriteBatchID(writer: other, number: 1))
        #expect(try stores.write(increment, to: app, batch: batch).isEmpty)
        #expect(try value() == .integer(3))
        #expect(WriteBatchID(writer: [1], number: 1) == nil)
    }

    @Test
    func `a list that others have changed loses no other element than the program saw`() throws {
        let (stores, _) = try KeyValueStores.inMemory()
        let app = try #require(StoreIdentifier("app"))
        func texts(_ texts: String) -> [PropertyValue] { texts.map { .string(String($0)) } }
        func write(_ writes: EntryWrite...) throws -> [PropertyValue]? {
            let writes = writes.map { KeyWrite(key: "list", .write($0)) }
            #expect(try stores.write(writes, to: app).isEmpty)
            guard case .array(let list)? = try stores.entries(of: app).first?.value else {
                return nil
            }
            return list
        }
        let read = texts("abc").map(\.encoded)
        func seen(_ index: Int) -> ListPlace { .seen(SeenPlace(index, in: read)) }
        _ = try write(.append(texts("abc")))
        #expect(try write(.insertAt(0, texts("x")), .removeAt(2)) == texts("xac"))
        #expect(try write(.removeAt(seen(0))) == texts("xc"))
        #expect(try write(.removeAt(seen(0)), .removeAt(seen(1))) == texts("xc"))
        #expect(try write(.insertAt(seen(2), texts("n"))) == texts("xnc"))
        #expect(try write(.setAt(seen(1), .string("B"))) == texts("xnBc"))
        #expect(try write(.removeAt(0), .removeAt(0), .removeAt(0), .removeAt(0)) == [])
        #expect(try write(.append(texts("d"))) == texts("d"))
    }

    @Test
    func `a removal of an element does not bring a deleted key back`() throws {
        let (stores, _) = try KeyValueStores.inMemory()
        let app = try #require(StoreIdentifier("app"))
        let place = ListPlace.seen(SeenPlace(0, in: [PropertyValue.string("a").encoded]))
        let writes = [EntryWrite.removeAt(place), .move(from: place, to: place)]
        #expect(try stores.write(writes.map { KeyWrite(key: "l", .write($0)) }, to: app).isEmpty)
        #expect(try stores.entries(of: app).isEmpty)
    }

    @Test
    func `an atomic batch with a refused write writes nothing, and may be repeated`() throws {
        let (stores, _) = try KeyValueStores.inMemory()
        let app = try #require(StoreIdentifier("app"))
        #expect(try stores.write([KeyWrite.set("t", .string("x"))], to: app).isEmpty)
        let writes = [
            KeyWrite.set("a", .integer(1)), KeyWrite(key: "t", .write(.increment(by: 1))),
        ]
        let batch = try #require(
            WriteBatchID(writer: [UInt8](repeating: 1, count: 16), number: 1)
        )
        let refusals = try stores.write(writes, to: app, batch: batch, isAtomic: true)
        #expect(refusals.keys.sorted() == [1])
        #expect(try stores.entries(of: app).map(\.name.key) == ["t"])
        #expect(try stores.write([writes[0]], to: app, batch: batch, isAtomic: true).isEmpty)
        #expect(try stores.entries(of: app).map(\.name.key) == ["a", "t"])
    }

    /// An account's records that remember which entries have to go together.
    private final class Recorder: EntryRecorder {
        let deviceName = "laptop"
        private(set) var together: [[String]] = []

        func mergeLimits(in database: Database) -> MergeLimits { MergeLimits() }

        func record(of name: EntryName, in database: Database) -> LocalRecord { LocalRecord() }

        func records(in database: Database) -> (readable: [LocalRecord], areAll: Bool) {
            ([], true)
        }

        func save(_ record: LocalRecord, of name: EntryName, in database: Database) {}

        func sendTogether(_ names: [EntryName], in database: Database) {
            together.append(names.map(\.key))
        }
    }

    @Test
    func `the keys of an atomic batch are sent together, and those of another are not`() throws {
        let (stores, _) = try KeyValueStores.inMemory()
        let recorder = Recorder()
        stores.recorder = recorder
        let app = try #require(StoreIdentifier("app"))
        let writes = [KeyWrite.set("a", .integer(1)), KeyWrite.set("b", .integer(2))]
        #expect(try stores.write(writes, to: app).isEmpty)
        #expect(recorder.together.isEmpty)
        #expect(try stores.write(writes, to: app, isAtomic: true).isEmpty)
        #expect(recorder.together == [["a", "b"]])
    }
}
