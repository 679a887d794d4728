import Foundation
import KSTestPrograms
import KeyValueStore
import Testing

extension EndToEndTests {
    /// A store of an account that is full on the server.
    struct QuotaTests {
        /// It is sealed in half a mebibyte, so there is no room for two of them.
        private static let large = String(repeating: "x", count: 300_000)
        private static let problem = "The account is full on the server"

        /// Two devices whose account has room for one large value; the laptop has set another one,
        /// and counted, since.
        private func withFullAccount(
            _ body: (World, _ laptop: Device, _ phone: Device, KeyValueStore) async throws -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let laptop = devices[0]
                try await world.server.stop()
                try await world.server.start(["--quota", "1"])
                let store = KeyValueStore(home: laptop.home)
                try store.set(Self.large, forKey: "old")
                #expect(store.synchronize())
                for device in devices { #expect(try await device.sync().status == 0) }
                try store.set(Self.large, forKey: "new")
                try store.counter("visits").increment(by: 5)
                #expect(store.synchronize())
                try await expectFull(laptop, store)
                try await body(world, laptop, devices[1], store)
            }
        }

        /// Checks that the device says so, and loses nothing.
        private func expectFull(_ device: Device, _ store: KeyValueStore) async throws {
            let sync = try await device.sync()
            #expect(sync.status == 1, "\(sync)")
            expectOneSentence(sync, saying: Self.problem, "nothing is lost here")
            // The counter needs little room, so it is sent.
            #expect(try store.status().unsentChanges == 1)
            #expect(try store.status().problem?.contains(Self.problem) == true)
            #expect(store.value(forKey: "new") == Self.large && store.counter("visits").value == 5)
            let name = try store.status().name
            let status = try await device.client("kv", "status", name)
            #expect(status.output.contains("unsent  1 item or value,"), "\(status)")
            #expect(status.output.contains(Self.problem), "\(status)")
            let all = try await device.client("status")
            #expect(all.output.contains(Self.problem), "\(all)")
            let room = /\non server +[0-9.]+ KiB of 1 MiB \([0-9]+%\), too little room for what/
            #expect(all.output.contains(room))
            let needed = /up to 51[0-9.]+ KiB, and [0-9.]+ KiB are left/
            #expect(sync.errors.contains(needed), "\(sync)")
            let waiting = all.output.split(separator: "\n").filter { $0.hasPrefix("not sent") }
            #expect(waiting.count == 1 && waiting.allSatisfy { $0.contains(needed) }, "\(all)")
            #expect(all.output.contains(/\nnot sent +[a-z2-7]{8}: the account has no room for it/))
            #expect(!all.output.contains("key-value stores"), "\(all)")
            let check = try await device.client("status", "--check")
            #expect(all.status == 0 && check.status == 1, "\(check)")
            expectOneSentence(check, saying: Self.problem)
        }

        private func expectSent(_ devices: [Device], old: String?) async throws {
            for device in devices {
                let result = try await device.sync()
                #expect(result.status == 0, "\(result)")
            }
            for device in devices {
                let store = KeyValueStore(home: device.home)
                #expect(await eventually { store.value(forKey: "new") == Self.large })
                #expect(await eventually { store.counter("visits").value == 5 })
                #expect(await eventually { store.value(forKey: "old") == old })
                #expect(try store.status().unsentChanges == 0)
            }
        }

        @Test
        func `what an account has no room for is kept, and sent once it has more room`()
            async throws
        {
            try await withFullAccount { world, laptop, phone, store in
                try await laptop.restartDaemonAfterKill()
                #expect(await eventually { store.synchronize() })
                try await expectFull(laptop, store)
                try await world.server.stop()
                try await world.server.start(["--quota", "4"])
                try await expectSent([laptop, phone], old: Self.large)
            }
        }

        @Test
        func `a deletion on the device whose changes wait makes room for them`() async throws {
            try await withFullAccount { _, laptop, phone, store in
                store.removeValue(forKey: "old")
                #expect(store.synchronize())
                try await expectSent([laptop, phone], old: nil)
                let status = try await laptop.client("kv", "status", try store.status().name)
                #expect(!status.output.contains(Self.problem), "\(status)")
            }
        }

        @Test
        func `a smaller value on the device whose changes wait makes room for them`() async throws {
            try await withFullAccount { _, laptop, phone, store in
                try store.set("small", forKey: "old")
                #expect(store.synchronize())
                try await expectSent([laptop, phone], old: "small")
            }
        }

        @Test
        func `a deletion on another device makes room for them`() async throws {
            try await withFullAccount { _, laptop, phone, _ in
                let other = KeyValueStore(home: phone.home)
                other.removeValue(forKey: "old")
                #expect(other.synchronize())
                #expect(try await phone.sync().status == 0)
                try await expectSent([laptop, phone], old: nil)
            }
        }

        @Test
        func `a quota that the operator changes is in the status after the next sync`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                try await devices[0].save("mail", "one")
                try await devices.exchange()
                func line(_ device: Device) async throws -> String {
                    let status = try await device.client("status").output
                    let found = try #require(
                        status.firstMatch(of: /\non server +(.+)/),
                        "\(status)"
                    )
                    return String(found.1)
                }
                for (quota, shown) in [
                    ("5", " of 5 MiB ("), ("1", " of 1 MiB ("), ("3", " of 3 MiB ("),
                    ("none", nil),
                ] as [(String, String?)] {
                    let set = try await world.server.command(
                        "accounts",
                        "quota",
                        World.account,
                        quota
                    )
                    #expect(set.status == 0, "\(set)")
                    for device in devices {
                        #expect(try await device.sync().status == 0)
                        let line = try await line(device)
                        #expect(line.contains(shown ?? "KiB"), "\(quota) \(device.name): \(line)")
                        #expect(line.contains(" of ") == (shown != nil), "\(quota): \(line)")
                    }
                }
            }
        }

        @Test
        func `what a device sends by itself counts in its status at once`() async throws {
            try await World.withDevices("laptop") { _, devices in
                let laptop = devices[0]
                let small = String(repeating: "x", count: 1000)
                try await laptop.save("first", small)
                #expect(try await laptop.sync().status == 0)
                struct State: Decodable { let accountBytes: Int }
                func bytes() async throws -> Int {
                    let status = try await laptop.client("status", "--json")
                    let json = Data(status.output.utf8)
                    let state = try JSONDecoder().decode(State.self, from: json)
                    return state.accountBytes
                }
                let before = try await bytes()
                try await laptop.save("second", small)
                // The next page comes an hour later.
                #expect(try await eventually { try await bytes() >= before + 1000 })
            }
        }

        @Test
        func `what a device sends by itself is the last sync of its status`() async throws {
            try await World.withDevices("laptop") { _, devices in
                let laptop = devices[0]
                #expect(try await laptop.sync().status == 0)
                func lastSync() async throws -> String {
                    let status = try await laptop.client("status").output
                    return String(try #require(status.firstMatch(of: /\nlast sync +(.+)/)).1)
                }
                let before = try await lastSync()
                try await laptop.save("mail", "one")
                #expect(try await eventually { try await lastSync() > before })
            }
        }
    }
}
