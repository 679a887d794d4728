import Foundation
import GRDB
import KSDaemon
import KSDigests
import KSKeychain
import KSKeyValueRecords
import KSKeyValues
import KSDeviceKeys
import Testing

/// The rows of key-value entries, as a daemon that has just started reads them.
struct EntryRowTests {
    private let keys: LocalKeyFile
    private let database: DatabaseQueue
    private let app: StoreIdentifier

    init() throws {
        keys = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: SystemRandomSource(),
            mayCreate: true
        )
        database = try KeychainDatabase.openInMemory()
        try KeyValueSchema.schema.apply(to: database)
        app = try #require(StoreIdentifier("app"))
    }

    @Test
    func `entries outlive their process, and one damaged row hides no other`() throws {
        let keys = ["a key", "b key", "c key"]
        try write(keys.map { ($0, .string("its value")) })
        #expect(try open().entries(of: app).map(\.name.key) == keys)
        let held = try database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM key_value_entry")
                .flatMap(\.databaseValues).compactMap { Data.fromDatabaseValue($0) }
        }
        #expect(held.count >= 3 && held.allSatisfy { !$0.isEmpty })
        for text in keys + ["its value"] {
            #expect(held.allSatisfy { $0.range(of: Data(text.utf8)) == nil }, "\(text)")
        }
        try damageRows(2)
        let damaged = open()
        #expect(try damaged.entries(of: app).map(\.name.key) == ["a key", "c key"])
        #expect(try damaged.unreadableRows() == 1)
        try write([("d", .bool(true))])
        #expect(try open().entries(of: app).map(\.name.key) == ["a key", "c key", "d"])
    }

    /// The rows of a large store are opened in parts, on all processors.
    @Test
    func `each row of a large store is opened, and a damaged one hides no other`() throws {
        let count: Int64 = 1003
        try write((0..<count).map { ("key \(1000 + $0)", .integer($0)) })
        // A new value replaces the row of its entry, and no other.
        try write([("key 1800", .integer(-1)), ("key 1800", .integer(800))])
        #expect(try open().entries(of: app).map(\.value) == (0..<count).map { .integer($0) })
        try damageRows(700, 1003)
        let damaged = open()
        #expect(try damaged.unreadableRows() == 2)
        #expect(
            try damaged.entries(of: app).map(\.value)
                == (0..<count - 1).filter { $0 != 699 }.map { .integer($0) }
        )
    }

    private func open() -> KeyValueStores {
        KeyValueStores(
            database: database,
            cipher: keys.rowCipher(random: SystemRandomSource()),
            clock: { 1000 },
            random: SystemRandomSource()
        )
    }

    private func write(_ values: [(key: String, value: PropertyValue)]) throws {
        let writes = values.map { KeyWrite(key: $0.key, .write(.set($0.value, base: nil))) }
        #expect(try open().write(writes, to: app).isEmpty)
    }

    private func damageRows(_ ids: Int64...) throws {
        try database.write { database in
            for id in ids {
                try database.execute(
                    sql: "UPDATE key_value_entry SET entry = zeroblob(80) WHERE id = ?",
                    arguments: [id]
                )
            }
        }
    }
}
