import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A device's own backup, restored at any moment.
    struct RestoreFileTests {
        /// A passphrase, and the files under it.
        private struct Backups {
            let world: World
            let passphrase: String

            init(_ world: World) throws {
                self.world = world
                passphrase = try world.write("correct horse\n", to: "passphrase")
            }

            func backUp(_ device: Device, _ name: String = "backup") async throws {
                let result = try await run(device, "backup", name)
                #expect(result.status == 0, "\(result)")
            }

            func restore(
                _ device: Device,
                _ name: String = "backup",
                _ options: [String] = []
            ) async throws -> ProgramResult {
                try await run(device, "restore", name, options)
            }

            private func run(
                _ device: Device,
                _ command: String,
                _ name: String,
                _ options: [String] = []
            ) async throws -> ProgramResult {
                try await device.start(
                    "sync-client",
                    [command, world.path(name), "--passphrase-file", passphrase] + options
                ).result()
            }
        }

        private func value(_ device: Device, _ key: String) async throws -> String {
            let result = try await device.client("kv", "get", "app", key)
            return result.status == 0 ? result.output.trimmingCharacters(in: .newlines) : "none"
        }

        private func run(_ device: Device, _ words: String...) async throws {
            let result = try await device.start("sync-client", words).result()
            #expect(result.status == 0, "\(result)")
        }

        private func delete(_ device: Device, _ service: String) async throws {
            let line = ["delete-generic-password", "--sync", "-s", service, "-a", "ada"]
            #expect(try await device.start("keychain", line).result().status == 0)
        }

        /// What a new user does after a mistake.
        @Test
        func `a backup brings back what was deleted since, once its user says so`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let backups = try Backups(world)
                for service in ["a", "b", "c", "d", "e"] {
                    try await laptop.save(service, "secret of \(service)")
                }
                try await backups.backUp(laptop)
                for service in ["a", "b", "c"] { try await delete(laptop, service) }
                for device in devices { #expect(try await device.sync().status == 0) }

                // A script reads the count, and asks for them.
                let left = try await backups.restore(laptop)
                #expect(left.status == 1, "\(left)")
                #expect(
                    left.output == """
                        Items: 0 added, 0 joined, 2 unchanged, 3 left out
                          3 left out: deleted in the account since the backup

                        """
                )
                expectOneSentence(left, saying: "3 items and values", "--undelete")
                let declined = try await backups.restore(laptop, "backup", ["--no-undelete"])
                #expect(declined.status == 0 && declined.errors.isEmpty, "\(declined)")
                #expect(try await laptop.shows("a", nil))

                let restored = try await backups.restore(laptop, "backup", ["--undelete"])
                #expect(restored.status == 0, "\(restored)")
                #expect(
                    restored.output == "Items: 3 added, 0 joined, 2 unchanged, 0 left out\n",
                    "\(restored)"
                )
                for device in devices { #expect(try await device.sync().status == 0) }
                for service in ["a", "b", "c", "d", "e"] {
                    #expect(try await phone.shows(service, "secret of \(service)"))
                }
                let json = try await backups.restore(phone, "backup", ["--json"])
                #expect(json.status == 0, "\(json)")
                #expect(json.output.contains(#""unchanged":5"#), "\(json)")
                #expect(json.output.contains(#""leftOut":{"#), "\(json)")
                #expect(json.output.contains(#""deleted":0"#), "\(json)")
            }
        }

        @Test
        func `a backup brings everything back after a logout, and a login adds nothing`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let backups = try Backups(world)
                for service in ["a", "b", "c", "d"] {
                    try await laptop.save(service, "older")
                    try await laptop.save(service, "newer")
                }
                let own = ["add-generic-password", "-s", "own", "-a", "ada", "-w", "of the laptop"]
                #expect(try await laptop.start("keychain", own).result().status == 0)
                try await run(laptop, "kv", "increment", "app", "visits", "--by", "4")
                for device in devices { #expect(try await device.sync().status == 0) }
                try await backups.backUp(laptop)
                try await run(laptop, "logout")
                #expect(try await laptop.shows("a", nil))

                let restored = try await backups.restore(laptop)
                #expect(
                    restored.output == """
                        Items: 4 added, 0 joined, 1 unchanged, 0 left out
                        Key-value entries: 1 added, 0 joined, 0 unchanged, 0 left out

                        """,
                    "\(restored)"
                )
                #expect(restored.status == 0)
                #expect(try await laptop.shows("a", "newer"))
                #expect(try await value(laptop, "visits") == "4")
                try await delete(phone, "d")
                try await run(phone, "kv", "increment", "app", "visits")
                #expect(try await phone.sync().status == 0)

                let login = try await laptop.logIn()
                #expect(login.status == 0, "\(login)")
                for device in devices { #expect(try await device.sync().status == 0) }
                for device in devices {
                    #expect(try await device.shows("a", "newer"))
                    #expect(try await device.shows("d", nil))
                    #expect(try await value(device, "visits") == "5")
                }
                let history = try await laptop.client(
                    "history",
                    "-s",
                    "a",
                    "-a",
                    "ada",
                    "--show-secrets"
                )
                #expect(history.output.components(separatedBy: "newer").count == 2, "\(history)")
                #expect(history.output.components(separatedBy: "older").count == 2, "\(history)")
                let conflicts = try await laptop.client("conflicts")
                #expect(conflicts.output.isEmpty, "\(conflicts)")
            }
        }

        @Test
        func `a backup restored on a new device before its login doubles nothing`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let backups = try Backups(world)
                let other = world.device("other")
                try await other.startDaemon()
                // Written without an account, backed up, and counted on.
                try await run(other, "kv", "increment", "app", "visits", "--by", "4")
                try await run(other, "kv", "add", "app", "list", "--type", "list", "1", "2")
                try await backups.backUp(other)
                try await run(other, "kv", "increment", "app", "visits")
                try await backups.backUp(other, "later")

                let phone = world.device("phone")
                try await phone.startDaemon()
                for name in ["backup", "backup", "later"] {
                    #expect(try await backups.restore(phone, name).status == 0)
                }
                #expect(try await value(phone, "visits") == "5")
                try await run(phone, "kv", "increment", "app", "visits", "--by", "10")
                for device in [phone, other] {
                    #expect(try await device.logIn().status == 0)
                    #expect(try await device.sync().status == 0)
                }
                #expect(try await backups.restore(laptop).status == 0)
                for device in [laptop, phone, other] {
                    #expect(try await device.sync().status == 0)
                }
                for device in [laptop, phone, other] {
                    #expect(try await value(device, "visits") == "15")
                    #expect(try await value(device, "list") == "[1,2]")
                }
            }
        }

        @Test
        func `the account's value comes before what a new device has set, which is kept`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                try await run(laptop, "kv", "set", "app", "theme", #""dark""#)
                try await run(laptop, "kv", "increment", "app", "visits", "--by", "4")
                #expect(try await laptop.sync().status == 0)

                let phone = world.device("phone")
                try await phone.startDaemon()
                try await run(phone, "kv", "set", "app", "theme", #""default""#)
                try await run(phone, "kv", "set", "app", "size", "12")
                try await run(phone, "kv", "increment", "app", "visits")
                #expect(try await phone.logIn().status == 0)
                for device in [phone, laptop] { #expect(try await device.sync().status == 0) }
                for device in [phone, laptop] {
                    #expect(try await value(device, "theme") == #""dark""#)
                    #expect(try await value(device, "visits") == "5")
                    #expect(try await value(device, "size") == "12")
                    let conflicts = try await device.client("conflicts")
                    #expect(conflicts.output.contains(#""theme""#), "\(conflicts)")
                    let kept = try await device.client(
                        "kv",
                        "get",
                        "app",
                        "theme",
                        "--conflicts"
                    )
                    #expect(kept.output == "\"default\"\n", "\(kept)")
                    let list = try await device.client("kv", "list", "app")
                    #expect(
                        list.output == """
                            "size"  register  changed on phone
                            "theme"  register  changed on laptop
                            "visits"  counter  changed on laptop

                            """,
                        "\(list)"
                    )
                    let json = try await device.client("kv", "list", "app", "--json")
                    #expect(json.output.contains(#""device":"phone""#), "\(json)")
                }
                let seen = try await laptop.client("conflicts")
                #expect(seen.output.isEmpty, "\(seen)")
            }
        }
    }
}
