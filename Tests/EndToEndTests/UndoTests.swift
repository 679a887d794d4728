import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Earlier values and deleted items come back, on all devices.
    struct UndoTests {
        /// What `history --json` prints of a value.
        private struct Version: Decodable {
            let version: Int?
            let standing: String
            let device: String?
            let kind: String
            let name: String
        }

        private struct History: Decodable {
            let versions: [Version]
        }

        /// What `deleted --json` prints of an item.
        private struct Deletion: Decodable {
            let code: String
            let title: String
            let device: String?
            let deleted: String?
        }

        private static func withBank(
            _ body: (World, Device, Device) async throws -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let password = try world.write("one\n", to: "password")
                try await devices[0].expect([
                    "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                    "--password-file", password, "--field", "branch=Nord", "--secret", "PIN=1111",
                    "--note", "first", "--tag", "money", "--address", "https://pay.example=exact",
                ])
                try await sync(devices)
                try await body(world, devices[0], devices[1])
            }
        }

        /// Syncs until each device has what the others sent.
        private static func sync(_ devices: [Device]) async throws {
            for device in devices { _ = try await device.sync() }
            for device in devices {
                let result = try await device.sync()
                try #require(result.status == 0, "\(result)")
            }
        }

        private static func history(_ device: Device, _ name: String) async throws -> [Version] {
            let result = try await device.run(["history", name, "--json"])
            try #require(result.status == 0, "\(result)")
            return try JSONDecoder().decode(History.self, from: Data(result.output.utf8)).versions
        }

        /// The number of the newest earlier value of a name.
        private static func number(
            _ name: String,
            of item: String,
            on device: Device
        ) async throws -> String {
            let versions = try await history(device, item)
            let found = versions.first { $0.name == name && $0.version != nil }?.version
            return String(try #require(found, "\(versions)"))
        }

        private static func deleted(_ device: Device) async throws -> [Deletion] {
            let result = try await device.run(["deleted", "--json"])
            try #require(result.status == 0, "\(result)")
            return try JSONDecoder().decode([Deletion].self, from: Data(result.output.utf8))
        }

        private static func setPassword(
            _ password: String,
            of item: String = "Bank",
            on device: Device
        ) async throws {
            try await device.expect(["edit", item, "--set", "password=\(password)"])
        }

        // MARK: Earlier values

        @Test
        func `an earlier password is put back on all devices, and the present one is kept`()
            async throws
        {
            try await Self.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: phone)
                try await Self.sync([phone, laptop])
                try await Self.setPassword("three", on: laptop)
                try await Self.sync([laptop, phone])
                let versions = try await Self.history(phone, "Bank")
                let secrets = versions.filter { $0.name == "password" }
                #expect(secrets.map(\.version) == [nil, 1, 2])
                #expect(secrets.map(\.device) == ["laptop", "phone", "laptop"])
                #expect(secrets.map(\.standing) == ["current", "superseded", "superseded"])
                let restored = try await phone.run(["restore", "Bank", "2"])
                #expect(restored.status == 0 && restored.output.hasPrefix("Bank: password of "))
                #expect(restored.output.hasSuffix(", set on laptop, is current again\n"))
                try await Self.sync([phone, laptop])
                for device in [phone, laptop] {
                    #expect(try await device.item("Bank").password == "one")
                    let page = try await device.run(["history", "Bank", "--secrets"])
                    for secret in ["one", "two", "three"] {
                        #expect(page.output.contains("password: \(secret)\n"), "\(page)")
                    }
                    let hidden = try await device.run(["history", "Bank"])
                    #expect(!hidden.output.contains("three") && hidden.output.contains("(hidden)"))
                }
                // The list was shown once more: the restored one is current, three is 1.
                try await phone.expect(["restore", "Bank", "2"])
                #expect(try await phone.item("Bank").password == "two")
                try await Self.sync([phone, laptop])
                #expect(try await laptop.item("Bank").password == "two")
            }
        }

        @Test
        func `a number means what was shown, though a sync brings further versions`() async throws {
            try await Self.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: laptop)
                try await Self.sync([laptop, phone])
                let number = try await Self.number("password", of: "Bank", on: laptop)
                try await Self.setPassword("three", on: phone)
                try await Self.sync([phone, laptop])
                try await laptop.expect(["restore", "Bank", number])
                #expect(try await laptop.item("Bank").password == "one")
                // Again: nothing is left to do.
                let again = try await laptop.run(["restore", "Bank", number])
                #expect(again.status == 0 && again.output.contains("is current already"))
                // A daemon that has shown nothing cannot know what a number meant.
                try await laptop.restartDaemonAfterKill()
                let blind = try await laptop.run(["restore", "Bank", "1"])
                #expect(blind.status == 1 && blind.errors.contains("look at it first"), "\(blind)")
                #expect(try await laptop.item("Bank").password == "one")
                _ = try await Self.history(laptop, "Bank")
                let high = try await laptop.run(["restore", "Bank", "99"])
                #expect(high.status == 44 && high.errors.contains("no version 99"), "\(high)")
                let word = try await laptop.run(["restore", "Bank", "first"])
                #expect(word.status == 2 && word.errors.contains("no version"), "\(word)")
            }
        }

        @Test
        func `a removed field, tag, address, attachment, title and note come back`() async throws {
            try await Self.withBank { world, laptop, phone in
                let file = try world.writeBytes(1 << 20, to: "contract")
                try await laptop.expect(["attach", "Bank", file])
                try await Self.sync([laptop, phone])
                try await laptop.expect([
                    "edit", "Bank", "--remove", "PIN", "--remove", "branch", "--set", "note=other",
                    "--remove-address", "https://pay.example", "--set", "title=Savings",
                ])
                try await laptop.expect(["tag", "Savings", "--remove", "money"])
                try await laptop.expect(["detach", "Savings", "contract", "--yes"])
                try await Self.sync([laptop, phone])
                #expect(try await phone.item("Savings").fields.isEmpty)
                let names = [
                    "PIN", "branch", "note", "https://pay.example", "money", "contract", "title",
                ]
                let versions = try await Self.history(phone, "Savings")
                let numbers = try names.map { name in
                    String(try #require(versions.first { $0.name == name }?.version, "\(name)"))
                }
                try await phone.expect(["restore", "Savings"] + numbers)
                try await Self.sync([phone, laptop])
                for device in [phone, laptop] {
                    let item = try await device.item("Bank")
                    #expect(item["PIN"] == "1111" && item["branch"] == "Nord")
                    #expect(item.note == "first" && item.tags == ["money"])
                    #expect(item.addresses == [.init(url: "https://pay.example", match: "exact")])
                    let copy = try await device.bytes(
                        of: "contract",
                        in: "Bank",
                        to: world.path("copy")
                    )
                    #expect(try copy == Data(contentsOf: URL(filePath: file)))
                }
            }
        }

        @Test
        func `different versions restored on two offline devices are a conflict that is shown`()
            async throws
        {
            try await Self.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: laptop)
                try await Self.setPassword("three", on: laptop)
                try await Self.sync([laptop, phone])
                for device in [laptop, phone] { _ = try await Self.history(device, "Bank") }
                try await world.server.kill()
                try await laptop.expect(["restore", "Bank", "1"])
                try await phone.expect(["restore", "Bank", "2"])
                try await world.server.start()
                try await Self.sync([laptop, phone])
                for device in [laptop, phone] {
                    let item = try await device.item("Bank")
                    #expect(item.password == "one" && item.conflicts == ["password"])
                    let page = try await device.run(["history", "Bank", "--secrets"])
                    #expect(page.output.contains("conflict"), "\(page)")
                    for secret in ["one", "two", "three"] {
                        #expect(page.output.contains("password: \(secret)\n"), "\(page)")
                    }
                }
                // The same version on both is no conflict.
                let number = try await Self.number("password", of: "Bank", on: laptop)
                try await laptop.expect(["restore", "Bank", number])
                try await Self.sync([laptop, phone])
                #expect(try await phone.item("Bank").password == "two")
                for device in [laptop, phone] {
                    #expect(try await device.item("Bank").conflicts.isEmpty)
                }
            }
        }

        @Test
        func `a rename of the user keeps the dates and devices of earlier values`() async throws {
            try await Self.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: phone)
                try await Self.sync([phone, laptop])
                let before = try await laptop.client("history", "Bank", "--json")
                try await laptop.expect(["edit", "Bank", "--set", "user=eve"])
                try await Self.sync([laptop, phone])
                for device in [laptop, phone] {
                    let after = try await device.client("history", "Bank", "--json")
                    #expect(try Self.times(after.output) == Self.times(before.output), "\(after)")
                    let versions = try await Self.history(device, "Bank")
                    #expect(versions.map(\.device) == ["phone", "laptop"])
                    // The old name is no deleted item.
                    #expect(try await Self.deleted(device).isEmpty)
                }
            }
        }

        /// The times of all secrets in what `sync-client history --json` prints.
        private static func times(_ json: String) throws -> [String] {
            struct Listed: Decodable {
                struct Secret: Decodable { let time: String? }
                let versions: [Secret]
            }
            return try JSONDecoder().decode([Listed].self, from: Data(json.utf8))
                .flatMap(\.versions).compactMap(\.time)
        }

        // MARK: Deleted items

        @Test
        func `a deleted item is restored on another device with all that it had`() async throws {
            try await Self.withBank { world, laptop, phone in
                let file = try world.writeBytes(100_000, to: "contract")
                try await laptop.expect(["attach", "Bank", file])
                try await Self.sync([laptop, phone])
                try await laptop.expect(["rm", "Bank", "--yes"])
                try await Self.sync([laptop, phone])
                for device in [laptop, phone] {
                    let deleted = try await Self.deleted(device)
                    #expect(deleted.map(\.title) == ["Bank"] && deleted.map(\.device) == ["laptop"])
                    #expect(try await device.itemNames() == [])
                }
                let restored = try await phone.run(["restore", "Bank"])
                #expect(restored.output == "restored Bank  ada  bank.example\n", "\(restored)")
                try await Self.sync([phone, laptop])
                for device in [laptop, phone] {
                    let item = try await device.item("Bank")
                    #expect(item.password == "one" && item["PIN"] == "1111")
                    #expect(item["branch"] == "Nord" && item.note == "first")
                    #expect(item.tags == ["money"] && item.addresses.count == 1)
                    let copy = try await device.bytes(
                        of: "contract",
                        in: "Bank",
                        to: world.path("copy")
                    )
                    #expect(try copy == Data(contentsOf: URL(filePath: file)))
                    #expect(try await Self.deleted(device).isEmpty)
                }
                // It is deleted and restored as often as one likes.
                try await phone.expect(["rm", "Bank", "--yes"])
                try await Self.sync([phone, laptop])
                #expect(try await Self.deleted(laptop).map(\.device) == ["phone"])
                try await laptop.expect(["restore", "bank.example"])
                try await Self.sync([laptop, phone])
                #expect(try await phone.item("Bank").password == "one")
            }
        }

        @Test
        func `two offline devices restore one item, and there is one without a conflict`()
            async throws
        {
            try await Self.withBank { world, laptop, phone in
                try await laptop.expect(["rm", "Bank", "--yes"])
                try await Self.sync([laptop, phone])
                try await world.server.kill()
                try await laptop.expect(["restore", "Bank"])
                try await phone.expect(["restore", "Bank"])
                try await world.server.start()
                try await Self.sync([laptop, phone])
                for device in [laptop, phone] {
                    #expect(try await device.itemNames() == ["ada@Bank"])
                    let item = try await device.item("Bank")
                    #expect(item.password == "one" && item.conflicts.isEmpty)
                    #expect(item["PIN"] == "1111")
                    #expect(try await Self.deleted(device).isEmpty)
                }
            }
        }

        @Test
        func `an item of the same key is in the way, and of several one is chosen by its code`()
            async throws
        {
            try await World.withDevice { world, device in
                for (number, note) in ["a", "b"].enumerated() {
                    let password = try world.write("pw \(number)\n", to: "password")
                    try await device.expect([
                        "new", "login", "--site", "shop.example", "--user", "ada",
                        "--password-file", password, "--note", note,
                    ])
                    if number == 0 { try await device.expect(["rm", "shop.example", "--yes"]) }
                }
                let refused = try await device.run(["restore", "shop.example"])
                #expect(refused.status == 1 && refused.errors.contains("there is an item for"))
                #expect(try await device.item("shop.example").note == "b")
                try await device.expect(["rm", "shop.example", "--yes"])
                let several = try await device.run(["restore", "shop.example"])
                #expect(several.status == 1 && several.errors.contains("give the code of one"))
                let deleted = try await Self.deleted(device)
                try #require(deleted.count == 2)
                try await device.expect(["restore", deleted[1].code])
                let item = try await device.item("shop.example")
                #expect(item.password == "pw 0" && item.note == "a")
                try await device.expect(["restore", "nowhere"], status: 44)
                let present = try await device.run(["restore", "shop.exampl"])
                #expect(present.status == 1, "\(present)")
                // Without an account there are no earlier values.
                let history = try await device.run(["history", "shop.example"])
                #expect(history.status == 44 && history.errors.contains("has no history"))
                let value = try await device.run(["restore", "shop.example", "1"])
                #expect(value.status == 44 && value.errors.contains("has no history"))
            }
        }

        @Test
        func `a kill during a restore leaves the item deleted, or whole`() async throws {
            try await World.withDevice { world, device in
                let file = try world.writeBytes(900_000, to: "contract")
                try await device.expect(["new", "login", "--site", "a.example", "--no-password"])
                try await device.expect(["attach", "a.example", file])
                for milliseconds in [2, 5, 8, 12, 20, 40] {
                    try await device.expect(["rm", "a.example", "--yes"])
                    let restore = try await device.start("keychain", ["restore", "a.example"])
                    try await Task.sleep(for: .milliseconds(milliseconds))
                    await (try device.runningDaemon).kill()
                    _ = await restore.result()
                    // The command may have started another daemon.
                    for _ in 0..<30 {
                        _ = try await device.client("stop")
                        if await eventually(seconds: 3, { world.processIDs.isEmpty }) { break }
                    }
                    try await device.startDaemon()
                    let isThere = try await !device.itemNames().isEmpty
                    #expect(try await Self.deleted(device).isEmpty == isThere)
                    if !isThere { try await device.expect(["restore", "a.example"]) }
                    let copy = try await device.bytes(
                        of: "contract",
                        in: "a.example",
                        to: world.path("copy")
                    )
                    #expect(try copy == Data(contentsOf: URL(filePath: file)))
                }
            }
        }

        // MARK: sync-client

        @Test
        func `sync-client restores items and backups, and asks where a word is both`() async throws
        {
            try await Self.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: laptop)
                try await Self.sync([laptop, phone])
                let code = try #require(try await laptop.item("Bank").item)
                let history = try await laptop.client("history", code)
                #expect(history.output.contains("  1  superseded  "), "\(history)")
                let restored = try await laptop.client("restore", code, "1")
                #expect(restored.status == 0 && restored.output.hasSuffix("is current again.\n"))
                #expect(try await laptop.item("Bank").password == "one")
                let named = try await laptop.client("history", "bank.example")
                #expect(named.status == 0 && named.output.hasPrefix(code))
                #expect(try await laptop.client("restore", "nowhere", "1").status == 44)
                let nothing = try await laptop.client("restore", "nowhere")
                #expect(nothing.status == 44 && nothing.errors.contains("no file"), "\(nothing)")
                #expect(try await laptop.client("restore", "Bank", "first").status == 64)
                #expect(try await laptop.client("restore", "Bank", "99").status == 44)
                #expect(try await laptop.client("restore", "Bank").status == 44)

                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let options = ["--passphrase-file", passphrase]
                let backup = try await laptop.start(
                    "sync-client",
                    ["backup", world.path("Bank")] + options
                ).result()
                try #require(backup.status == 0, "\(backup)")
                // The word is a file beside the command, and nothing else yet.
                let file = try await laptop.start("sync-client", ["restore", "Bank"] + options)
                    .result()
                #expect(file.status == 0 && file.output.contains("unchanged"), "\(file)")
                try await laptop.expect(["rm", "Bank", "--yes"])
                let both = try await laptop.start("sync-client", ["restore", "Bank"] + options)
                    .result()
                #expect(both.status == 64 && both.errors.contains("--file or --item"), "\(both)")
                let listed = try await laptop.client("deleted")
                #expect(listed.output.contains("\tBank\tada\tbank.example\t"), "\(listed)")
                let item = try await laptop.client("restore", "Bank", "--item")
                #expect(item.status == 0 && item.output == "Restored Bank  ada  bank.example.\n")
                try await Self.sync([laptop, phone])
                #expect(try await phone.item("Bank").password == "one")
                let again = try await laptop.start(
                    "sync-client",
                    ["restore", "Bank", "--file"] + options
                ).result()
                #expect(again.status == 0, "\(again)")
            }
        }
    }
}
