import Foundation
import KSTestPrograms
import KeyValueStore
import Testing

extension EndToEndTests {
    /// What programs with a key-value store see of their device's account.
    struct StoreAccountTests {
        private func observe(_ device: Device, in world: World) async throws -> RunningProgram {
            try await RunningProgram(
                Programs.path("KSMainLoopProgram"),
                ["accounts"],
                folder: world.folder,
                environment: ["KEYCHAIN_SYNC_HOME": device.home]
            )
        }

        /// The accounts that a program has printed, once there are this many.
        private func accounts(_ program: RunningProgram, count: Int) async -> [String] {
            func printed() -> [String] {
                program.output.matches(of: /account (\S+)\n/).map { String($0.1) }
            }
            _ = await eventually { printed().count >= count }
            return printed()
        }

        @Test
        func `a program hears each time that its device joins or leaves an account`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let phone = world.device("phone")
                try await phone.startDaemon()
                let program = try await observe(phone, in: world)
                #expect(await accounts(program, count: 1) == ["none"])

                #expect(try await phone.logIn().status == 0)
                let joined = await accounts(program, count: 2)
                try #require(joined.count == 2, "\(joined) \(program.errors)")
                let same = await accounts(try observe(devices[0], in: world), count: 1)
                #expect(joined[1] != "none" && same == [joined[1]])

                #expect(try await phone.client("logout").status == 0)
                #expect(await accounts(program, count: 3) == ["none", joined[1], "none"])

                let signUp = try await phone.signUp(account: "another", kit: "another kit")
                try #require(signUp.status == 0, "\(signUp)")
                let last = await accounts(program, count: 4)
                try #require(last.count == 4, "\(last) \(program.errors)")
                #expect(last[3] != "none" && last[3] != joined[1])
            }
        }

        private static let storeCount = 8
        private static let keyCount = 1000

        /// Values for a first download of many pages.
        private func fill(_ device: Device, in world: World) async throws {
            let entries = (0..<Self.keyCount).map { #""key \#($0)":{"type":"register","value":1}"# }
            let file = try world.write(
                "{\(entries.joined(separator: ","))}",
                to: "entries.json"
            )
            for number in 0..<Self.storeCount {
                let filled = try await device.client("kv", "import", "store \(number)", file)
                try #require(filled.status == 0, "\(filled)")
            }
        }

        @Test
        func `what a program writes during the first download is joined with what arrives`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                try await fill(devices[0], in: world)
                let theirs = KeyValueStore(home: devices[0].home)
                try theirs.set("theirs", forKey: "theme")
                try theirs.counter("visits").increment(by: 1000)
                try theirs.set(of: String.self, "tags").insert("theirs")
                #expect(theirs.synchronize())
                #expect(try await devices[0].sync().status == 0)

                let phone = world.device("phone")
                try await phone.startDaemon()
                let store = KeyValueStore(home: phone.home)
                let login = Task { try await phone.logIn() }
                #expect(try await eventually { try store.status().accountToken != nil })
                var during: Int64 = 0
                while !store.isFirstSyncComplete {
                    during += 1
                    // Once: a later one might have seen the other value, and would replace it.
                    if during == 1 { try store.set("mine", forKey: "theme") }
                    try store.counter("visits").increment()
                    try store.set(of: String.self, "tags").insert("mine \(during)")
                    #expect(store.synchronize())
                }
                #expect(try await login.value.status == 0)
                #expect(during > 0, "the download was over before the first write")

                let tags = Set((1...max(1, during)).map { "mine \($0)" } + ["theirs"])
                for device in [phone, devices[0]] { #expect(try await device.sync().status == 0) }
                for store in [store, theirs] {
                    #expect(
                        await eventually { store.counter("visits").value == 1000 + during },
                        "\(store.counter("visits").value) of \(during)"
                    )
                    #expect(store.set(of: String.self, "tags").elements == tags)
                    let shown = try #require(store.value(KeyValue.self, forKey: "theme"))
                    let hidden = try store.conflictingVersions(of: "theme")
                    #expect(Set(hidden + [shown]) == [.string("mine"), .string("theirs")])
                }
                for number in 0..<Self.storeCount {
                    let list = try await phone.client("kv", "list", "store \(number)")
                    #expect(list.output.split(separator: "\n").count == Self.keyCount)
                }
            }
        }
    }
}
