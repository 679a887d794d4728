import GRDB
import KSDaemon
import KSKeyValueRecords
import KSKeyValues
import KSDeviceKeys
import Testing

/// What happens to damaged rows of key-value stores.
struct KeyValueRepairTests {
    private let app: StoreIdentifier

    init() throws {
        app = try #require(StoreIdentifier("app"))
    }

    private func write(_ owner: KeychainOwner) async throws {
        let writes = [
            KeyWrite(key: "theme", .write(.set(.string("dark"), base: nil))),
            KeyWrite(key: "visits", .write(.increment(by: 5))),
        ]
        let refusals = try await owner.withKeyValues {
            try $0.write(writes, to: app, isAtomic: true)
        }
        #expect(refusals.isEmpty)
    }

    private func values(of owner: KeychainOwner) async throws -> [String: PropertyValue?] {
        let entries = try await owner.keyValues(of: app)
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.name.key, $0.value) })
    }

    private func damage(_ columns: [(table: String, column: String)], _ files: DeviceFiles) throws {
        try files.database.write { database in
            for (table, column) in columns {
                try database.execute(sql: "UPDATE \(table) SET \(column) = zeroblob(80)")
            }
        }
    }

    @Test
    func `damaged rows are rebuilt from the account's records at the next start`() async throws {
        let device = try await EnrolledOwner()
        try await write(device.owner)
        let before = try await device.owner.keyValues(of: app)
        try damage([("key_value_entry", "entry")], device.files)

        let started = try KeychainOwner(files: device.files)
        #expect(try await started.unreadableKeyValues() == 2)
        #expect(try await started.resume() != nil)
        #expect(try await started.unreadableKeyValues() == 0)
        let after = try await started.keyValues(of: app)
        #expect(after.map(\.value) == before.map(\.value))
        #expect(after.map(\.type) == before.map(\.type))
        #expect(after.map(\.isExternal) == [false, false])
        // The rows are whole too, and no damaged one is left.
        let again = try KeychainOwner(files: device.files)
        #expect(try await values(of: again) == ["theme": .string("dark"), "visits": .integer(5)])
        #expect(try await again.unreadableKeyValues() == 0)
        #expect(try await again.repairKeyValues() == 0)
    }

    @Test
    func `a row whose record is damaged too stays until it is discarded`() async throws {
        let device = try await EnrolledOwner()
        try await write(device.owner)
        try damage([("key_value_entry", "entry"), ("outbox", "edit")], device.files)

        let started = try KeychainOwner(files: device.files)
        #expect(try await started.resume() != nil)
        #expect(try await started.repairKeyValues() == 0)
        #expect(try await started.unreadableKeyValues() == 2)
        #expect(try await started.discardDamaged() == 2)
        #expect(try await started.unreadableKeyValues() == 0)
        #expect(try await KeychainOwner(files: device.files).unreadableKeyValues() == 0)
    }

    @Test
    func `without an account a damaged row stays, and the others are read and written`()
        async throws
    {
        let files = try DeviceFiles(storage: MemoryKeyFiles())
        let owner = try KeychainOwner(files: files)
        #expect(try await owner.resume() == nil)
        try await write(owner)
        try await files.database.write { database in
            try database.execute(
                sql: "UPDATE key_value_entry SET entry = zeroblob(80) WHERE id = 1"
            )
        }
        let started = try KeychainOwner(files: files)
        #expect(try await started.resume() == nil)
        #expect(try await started.repairKeyValues() == 0)
        #expect(try await started.unreadableKeyValues() == 1)
        #expect(try await values(of: started) == ["visits": .integer(5)])
    }
}
