import Foundation
import GRDB
import KSCausality
import KSKeyValueRecords
import KSKeyValues
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSSyncEngine
import KSTestSupport
import Testing

/// Entries that another device made, and for which a store has no room.
struct ReceivedEntryTests {
    private let stores: KeyValueStores
    private let database: DatabaseQueue

    init() throws {
        (stores, database) = try KeyValueStores.inMemory()
        try SyncSchema.schema.apply(to: database)
    }

    /// What another device's record holds after these writes.
    private func state(_ key: String, _ writes: [EntryWrite]) throws -> RecordState {
        var record = LocalRecord()
        let store = try #require(StoreIdentifier("app"))
        for write in writes {
            try write.apply(
                to: &record,
                of: EntryName(store: store, key: key),
                limits: .none,
                random: { [UInt8](repeating: 7, count: $0) },
                atMilliseconds: 1000
            )
        }
        let sealed = record.seal { _, _ in
            Stamp(time: HybridTime(rawValue: 1 << 30), actor: ActorID(rawValue: 5))
        }
        return try #require(sealed).state
    }

    private func hasRoom(_ key: String, _ writes: EntryWrite...) throws -> Bool {
        let entry = try #require(SyncedKeyValues.entry(of: try state(key, writes)))
        return try database.write { try SyncedKeyValues(stores).hasRoom(for: entry, in: $0) }
    }

    private func data(encodedBytes count: Int) -> PropertyValue {
        .data([UInt8](repeating: 1, count: count - 4))
    }

    @Test
    func `a value is taken up to the largest limit that an owner can set`() throws {
        let max = LimitSettings.Field.valueBytes.bounds.upperBound
        try #require(data(encodedBytes: max).encoded.count == max)
        #expect(try hasRoom("k", .set(data(encodedBytes: max), base: nil)))
        #expect(try !hasRoom("k", .set(data(encodedBytes: max + 1), base: nil)))
    }

    @Test
    func `a merged value is taken up to the size of a record`() throws {
        let elements = (0..<1000).map {
            PropertyValue.data([UInt8](repeating: UInt8($0 % 256), count: 3000) + [UInt8($0 / 256)])
        }
        #expect(try hasRoom("k", .insert(elements)))
    }

    @Test
    func `an element that is nested as deeply as a value is not taken`() throws {
        var value = PropertyValue.integer(1)
        for _ in 1..<PropertyValue.depthMax { value = .array([value]) }
        #expect(try hasRoom("k", .insert([value])))
        #expect(try !hasRoom("k", .insert([.array([value])])))
    }

    /// What this process has in memory; an array of 96 MiB is a mapping of its own.
    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * Int(getpagesize())
    }

    /// Decoded, each would take 96 MiB.
    @Test
    func `received entries of four million booleans take little more memory than their bytes`()
        throws
    {
        let booleans = [PropertyValue](repeating: .bool(true), count: (4 << 20) - 1024)
        let encoded = try state("k", [.set(.array(booleans), base: nil)]).encoded
        try #require(encoded.count > 4_190_000)
        let synced = SyncedKeyValues(stores)
        // Other tests allocate meanwhile, so the least of several tries counts.
        let grown = try (0..<3).map { _ in
            let before = try residentBytes()
            let entries = try (0..<5).map { _ in
                try #require(SyncedKeyValues.entry(of: try RecordState(decoding: encoded)))
            }
            for entry in entries {
                let fits = try database.write { try synced.hasRoom(for: entry, in: $0) }
                #expect(!fits)
            }
            return try withExtendedLifetime(entries) { try residentBytes() - before }
        }
        let least = try #require(grown.min())
        #expect(least < 100 << 20, "\(grown)")
    }

    @Test
    func
        `a store takes four times the largest limit from others, and no more`()
        throws
    {
        let synced = SyncedKeyValues(stores)
        let max = LimitSettings.Field.valueBytes.bounds.upperBound
        let large = try state("large", [.set(data(encodedBytes: max), base: nil)])
        let count = 4 * LimitSettings.Field.totalBytes.bounds.upperBound / max
        try database.write { database in
            for number in 0..<count {
                let entry = try state("\(number)", [.set(data(encodedBytes: max), base: nil)])
                let shown = try #require(SyncedKeyValues.entry(of: entry))
                #expect(try synced.hasRoom(for: shown, in: database))
                _ = try synced.show(shown, isAlive: true, in: database)
            }
        }
        let entry = try #require(SyncedKeyValues.entry(of: large))
        let takesMore = try database.write { try synced.hasRoom(for: entry, in: $0) }
        #expect(!takesMore)
        #expect(try hasRoom("small", .set(.bool(true), base: nil)))
        #expect(try hasRoom("0", .set(data(encodedBytes: max), base: nil)))
    }
}
