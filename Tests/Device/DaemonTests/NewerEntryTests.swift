import GRDB
import KSAgent
import KSDaemon
import KSKeyValueRecords
import KSKeyValues
import KSResolution
import KSSyncEngine
import Testing

/// Entries of a newer program, with a type or a value that this one does not know, on a device with
/// an account.
struct NewerEntryTests {
    private let device: EnrolledOwner
    private let world: HandlerWorld
    private let app: StoreIdentifier
    private static let sentence =
        "A newer version of this program wrote this key's value: update this device."

    init() async throws {
        device = try await EnrolledOwner()
        world = try HandlerWorld(files: device.files, owner: device.owner)
        app = try #require(StoreIdentifier("app"))
        try await save("type", [.field("type"): [200]])
        try await save("value", [.field("type"): [1], .secret: [99, 1, 2]])
    }

    private func record(_ key: String) async throws -> LocalRecord {
        let (name, files) = (EntryName(store: app, key: key), device.files)
        return try await device.owner.withKeyValues { stores in
            try files.database.read { database in
                try #require(stores.recorder).record(of: name, in: database)
            }
        }
    }

    /// Shows an entry with these values, and notes it in the entry's record unless only the row is
    /// to have it.
    private func save(
        _ key: String,
        _ values: [ValueName: [UInt8]],
        inRecord isInRecord: Bool = true
    ) async throws {
        let (name, files) = (EntryName(store: app, key: key), device.files)
        let identity: [ValueName: [UInt8]] = [
            .field("store"): Array("app".utf8), .field("key"): Array(key.utf8),
            .field("device"): Array("phone".utf8),
        ]
        try await device.owner.withKeyValues { stores in
            try files.database.write { database in
                var record = LocalRecord()
                record.create(identity.merging(values) { $1 }, atMilliseconds: 5000)
                if isInRecord {
                    try #require(stores.recorder).save(record, of: name, in: database)
                }
                let entry = try #require(SyncedKeyValues.entry(of: record.view))
                let change = try SyncedKeyValues(stores).show(entry, isAlive: true, in: database)
                try #require(change == .changed)
            }
        }
    }

    private func write(_ writes: [KeyWrite]) async throws -> WrittenKeyValues {
        let call = WriteKeyValues(store: "app", writes: writes.map(\.encoded))
        let arguments = call.agentValue.dictionary ?? [:]
        return try WrittenKeyValues(
            .dictionary(try await world.value(WriteKeyValues.name, arguments))
        )
    }

    private func set(_ key: String, _ value: PropertyValue) -> KeyWrite {
        KeyWrite(key: key, .write(.set(value, base: nil)))
    }

    @Test
    func `the daemon names it without a type and a value, and refuses to change it`() async throws {
        let arguments = ReadKeyValues(store: "app").agentValue.dictionary ?? [:]
        let reply = await world.answer("kv.read", arguments, of: HandlerWorld.keychain)
        guard case .result(.array(let entries)) = reply else {
            Issue.record("\(reply)")
            return
        }
        for (entry, key) in zip(entries, ["type", "value"]) {
            let members = entry.members
            #expect(members["key"]?.string == key && members["device"]?.string == "phone")
            #expect(members["type"] == nil && members["value"] == nil)
        }
        #expect(entries.count == 2)

        let before = (try await record("type"), try await record("value"))
        let answer = try await write([
            set("type", .integer(1)), set("mine", .integer(2)), set("value", .integer(3)),
            KeyWrite(key: "type", .write(.increment(by: 1))),
            KeyWrite(key: "value", .write(.declare(.set))),
        ])
        #expect(answer.refusals.map(\.place) == [0, 2, 3, 4])
        #expect(answer.refusals.allSatisfy { $0.sentence == Self.sentence })
        let after = (try await record("type"), try await record("value"))
        #expect(before == after)
        let shown = try await device.owner.keyValues(of: app)
        #expect(shown.map(\.name.key) == ["mine", "type", "value"])
        #expect(shown.map(\.value) == [.integer(2), nil, nil])
    }

    @Test
    func `its row comes back as it was`() async throws {
        let before = try await device.owner.keyValues(of: app)
        #expect(before.map(\.type) == [nil, nil] && before.map(\.value) == [nil, nil])
        #expect(before.map(\.changedMilliseconds) == [5000, 5000])
        let started = try KeychainOwner(files: device.files)
        #expect(try await started.keyValues(of: app) == before)
        #expect(try await started.resume() != nil)
        #expect(try await started.keyValues(of: app) == before)
        #expect(try await started.unreadableKeyValues() == 0)
        #expect(try await started.repairKeyValues() == 0)
    }

    @Test
    func `it counts as a key, and can be deleted`() async throws {
        let arguments = GetKeyValueStatus(store: "app").agentValue.dictionary ?? [:]
        let status = try await world.value(GetKeyValueStatus.name, arguments)
        #expect(status["keys"]?.integer == 2 && status["bytes"]?.integer == 0)
        let answer = try await write([KeyWrite(key: "type", .delete)])
        #expect(answer.refusals.isEmpty)
        #expect(try await device.owner.keyValues(of: app).map(\.name.key) == ["value"])
        #expect(try await !record("type").view.isAlive)
        // The name is free for any value.
        #expect(try await write([set("type", .bool(true))]).refusals.isEmpty)
        let values = try await device.owner.keyValues(of: app).map(\.value)
        #expect(values == [.bool(true), nil])
    }

    @Test
    func `a device that was updated can read it from its next start on`() async throws {
        #expect(try await write([set("theme", .string("dark"))]).refusals.isEmpty)
        // As the older program saved it.
        try await save("theme", [.field("type"): [200]], inRecord: false)
        #expect(try await device.owner.keyValues(of: app).map(\.value) == [nil, nil, nil])
        let started = try KeychainOwner(files: device.files)
        #expect(try await started.resume() != nil)
        let entries = try await started.keyValues(of: app)
        #expect(entries.map(\.value) == [.string("dark"), nil, nil])
        #expect(entries.first?.type == .register)
        let again = try KeychainOwner(files: device.files)
        #expect(try await again.keyValues(of: app).map(\.value) == entries.map(\.value))
    }
}
