import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSKeyValueRecords
import KSKeyValues
import KSResolution
import KSTestPrograms
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

extension EndToEndTests {
    /// A running program, and `sync-client kv` beside it, where entries are damaged, of a newer
    /// program, or too large.
    struct KeyValueProgramTests {
        private func kv(_ device: Device, _ arguments: String...) async throws -> ProgramResult {
            try await device.start("sync-client", ["kv"] + arguments).result()
        }

        // MARK: Damage

        /// Changes the database while no daemon has it open.
        private func change(_ device: Device, _ statements: String...) async throws {
            #expect(try await device.client("stop").status == 0)
            let queue = try DatabaseQueue(path: device.home + "/keychain.db")
            try await queue.write { database in
                for sql in statements {
                    try database.execute(sql: sql)
                    try #require(database.changesCount > 0)
                }
            }
            try queue.close()
            try await device.startDaemon()
        }

        @Test
        func `a damaged entry is missing until it is repaired, and hides no other`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: laptop.home))
                store.set("one", forKey: "damaged")
                #expect(store.synchronize())
                store.set("two", forKey: "whole")
                #expect(store.synchronize())
                #expect(try await laptop.sync().status == 0)
                let damage = "UPDATE key_value_entry SET entry = zeroblob(length(entry))"
                let posts = UbiquitousStoreTests.Posts(of: store)

                // The account's record has the value: the program does not notice.
                try await change(laptop, damage + " WHERE id = 1")
                #expect(store.synchronize() && store.string(forKey: "damaged") == "one")
                #expect(!posts.contains(0, "damaged"))

                // Without the record the value is on the server alone.
                try await world.server.stop()
                try await change(
                    laptop,
                    damage + " WHERE id = (SELECT max(id) FROM key_value_entry)",
                    "UPDATE mirror SET state = zeroblob(length(state)) WHERE kind = 2"
                )
                #expect(await eventually { store.object(forKey: "damaged") == nil })
                #expect(await eventually { posts.contains(0, "damaged") })
                #expect(store.string(forKey: "whole") == "two")
                #expect(store.dictionaryRepresentation as? [String: String] == ["whole": "two"])
                #expect(try store.typedStore.status().keyCount == 1)
                let doctor = try await laptop.client("doctor")
                #expect(doctor.output.contains("that cannot be read: 1 "), "\(doctor)")
                store.set("three", forKey: "written")
                #expect(store.synchronize() && store.string(forKey: "written") == "three")

                let before = posts.count(0)
                try await world.server.start()
                _ = try await laptop.sync()
                #expect(await eventually { store.string(forKey: "damaged") == "one" })
                #expect(await eventually { posts.count(0) > before })
                #expect(try store.typedStore.status().keyCount == 3)
                #expect(store.string(forKey: "whole") == "two")
            }
        }

        // MARK: A newer program

        private static let newerValues: [(key: String, values: [ValueName: [UInt8]])] = [
            ("type", [.field("type"): [200]]),
            ("value", [.field("type"): [1], .secret: [99, 1, 2]]),
        ]

        /// Runs `body` with the device's stores, while no daemon has them open.
        private func withStores<Value: Sendable>(
            _ device: Device,
            _ body: @Sendable (KeyValueStores, DeviceFiles) throws -> Value
        ) async throws -> Value {
            #expect(try await device.client("stop").status == 0)
            let files = try DeviceFiles(home: AgentHome(argument: device.home))
            let owner = try KeychainOwner(files: files)
            try #require(await owner.resume() != nil)
            let value = try await owner.withKeyValues { try body($0, files) }
            files.close()
            try await device.startDaemon()
            return value
        }

        /// Changes a store as a newer program on that device would.
        private func writeNewer(_ device: Device, to store: StoreIdentifier) async throws {
            try await withStores(device) { stores, files in
                try files.database.write { database in
                    let recorder = try #require(stores.recorder)
                    for (key, values) in Self.newerValues {
                        let identity: [ValueName: [UInt8]] = [
                            .field("store"): Array(store.text.utf8),
                            .field("key"): Array(key.utf8),
                        ]
                        var record = LocalRecord()
                        record.create(identity.merging(values) { $1 }, atMilliseconds: 1000)
                        let name = EntryName(store: store, key: key)
                        try recorder.save(record, of: name, in: database)
                    }
                }
            }
        }

        /// What the account has of the newer entries, as the device holds it.
        private func states(
            _ device: Device,
            of store: StoreIdentifier
        ) async throws -> [[UInt8]?] {
            try await withStores(device) { stores, files in
                try files.database.read { database in
                    let recorder = try #require(stores.recorder)
                    return try Self.newerValues.map { key, _ in
                        let name = EntryName(store: store, key: key)
                        return try recorder.record(of: name, in: database).mirror?.encoded
                    }
                }
            }
        }

        @Test
        func `a newer program's entry is kept, passed on, and only deleted`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: phone.home))
                let posts = UbiquitousStoreTests.Posts(of: store)
                let name = try store.typedStore.status().name
                let identifier = try #require(StoreIdentifier(name))
                try await writeNewer(laptop, to: identifier)
                for device in devices { #expect(try await device.sync().status == 0) }
                #expect(
                    await eventually { posts.contains(0, "type") && posts.contains(0, "value") }
                )

                let sentence = "A newer version of this program wrote this key's value"
                for key in ["type", "value"] {
                    #expect(store.object(forKey: key) == nil && store.longLong(forKey: key) == 0)
                    store.set("mine", forKey: key)
                    #expect(posts.contains(2, key) && store.object(forKey: key) == nil)
                    for line in [["get", name, key], ["set", name, key, "1"]] {
                        let refused = try await phone.start("sync-client", ["kv"] + line).result()
                        #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
                        #expect(refused.errors.contains(sentence), "\(refused)")
                    }
                }
                #expect(store.dictionaryRepresentation.isEmpty)
                let list = try await kv(phone, "list", name)
                #expect(list.output.contains(#""type"  of a newer version"#), "\(list)")
                let export = try await phone.start("sync-client", ["kv", "export", name]).result()
                #expect(export.status == 0 && export.output == "{}\n", "\(export)")
                for key in ["type", "value"] {
                    #expect(export.errors.contains("Left out"), "\(export)")
                    #expect(export.errors.contains(": \(key)\n"), "\(export)")
                }
                store.set(5, forKey: "other")
                #expect(store.synchronize())
                #expect(try await phone.sync().status == 0)

                let tablet = world.device("tablet")
                try await tablet.startDaemon()
                #expect(try await tablet.logIn().status == 0)
                for device in [tablet, laptop] { #expect(try await device.sync().status == 0) }
                let original = try await states(laptop, of: identifier)
                #expect(original.allSatisfy { $0 != nil })
                for device in [phone, tablet] {
                    let held = try await states(device, of: identifier)
                    #expect(held == original)
                }

                #expect(try await kv(phone, "delete", name, "type").status == 0)
                for device in [phone, laptop] { #expect(try await device.sync().status == 0) }
                let got = try await kv(laptop, "get", name, "type")
                #expect(got.status == 1, "\(got)")
            }
        }

        // MARK: Limits

        @Test
        func `the limit of a store's bytes is its own, for programs and commands`() async throws {
            try await World.withDevice { _, device in
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: device.home))
                let posts = UbiquitousStoreTests.Posts(of: store)
                let name = try store.typedStore.status().name
                // A text of this length takes two bytes more.
                func text(_ excess: Int) -> String { String(repeating: "x", count: 10 + excess) }
                store.set(text(0), forKey: "a")
                #expect(store.synchronize())
                #expect(try await kv(device, "limits", name, "--total", "24").status == 0)
                let sentence = """
                    The limit is 24 bytes in a store; this write needs 25. To change it: \
                    sync-client kv limits.
                    """
                for excess in [-1, 0] {
                    let set = try await kv(device, "set", name, "b", text(excess), "--text")
                    #expect(set.status == 0, "\(set)")
                    #expect(try await kv(device, "delete", name, "b").status == 0)
                }
                let refused = try await kv(device, "set", name, "b", text(1), "--text")
                #expect(refused.status == 77, "\(refused)")
                #expect(
                    refused.errors.contains(#""b" was not changed. \#(sentence)"#),
                    "\(refused)"
                )

                let isRefused = await eventually {
                    defer { store.removeObject(forKey: "b") }
                    // Until the program has the limit, only the device refuses the write.
                    return (try? store.typedStore.set(text(1), forKey: "b")) == nil
                }
                #expect(isRefused && store.synchronize())
                #expect(throws: KeyValueStoreError.refused(key: "b", sentence: sentence)) {
                    try store.typedStore.set(text(1), forKey: "b")
                }
                let before = posts.count(2)
                store.set(text(1), forKey: "b")
                #expect(posts.count(2) == before + 1 && posts.contains(2, "b"))
                #expect(store.object(forKey: "b") == nil)
                #expect(store.dictionaryRepresentation as? [String: String] == ["a": text(0)])
                for excess in [-1, 0] {
                    store.set(text(excess), forKey: "b")
                    #expect(store.synchronize() && store.string(forKey: "b") == text(excess))
                    store.removeObject(forKey: "b")
                }
                #expect(store.synchronize())
                #expect(try await kv(device, "get", name, "b").status == 1)
                let kept = try await kv(device, "get", name, "a", "--text")
                #expect(kept.output == text(0) + "\n")
            }
        }
    }
}
