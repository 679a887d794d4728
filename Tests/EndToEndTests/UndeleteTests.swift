import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Deleted items come back, on all devices.
    struct UndeleteTests {
        /// What `deleted --json` prints of an item.
        private struct Deletion: Decodable {
            let code: String
            let title: String
            let device: String?
            let deleted: String?
        }

        private static func deleted(_ device: Device) async throws -> [Deletion] {
            let result = try await device.run(["deleted", "--json"])
            try #require(result.status == 0, "\(result)")
            return try JSONDecoder().decode([Deletion].self, from: Data(result.output.utf8))
        }

        @Test
        func `a deleted item is restored on another device with all that it had`() async throws {
            try await World.withBank { world, laptop, phone in
                let file = try world.writeBytes(100_000, to: "contract")
                try await laptop.expect(["attach", "Bank", file])
                try await [laptop, phone].exchange()
                try await laptop.expect(["rm", "Bank", "--yes"])
                try await [laptop, phone].exchange()
                for device in [laptop, phone] {
                    let deleted = try await Self.deleted(device)
                    #expect(deleted.map(\.title) == ["Bank"] && deleted.map(\.device) == ["laptop"])
                    #expect(try await device.itemNames() == [])
                }
                let restored = try await phone.run(["restore", "Bank"])
                #expect(restored.output == "restored Bank  ada  bank.example\n", "\(restored)")
                try await [phone, laptop].exchange()
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
                try await [phone, laptop].exchange()
                #expect(try await Self.deleted(laptop).map(\.device) == ["phone"])
                try await laptop.expect(["restore", "bank.example"])
                try await [laptop, phone].exchange()
                #expect(try await phone.item("Bank").password == "one")
            }
        }

        @Test
        func `an item whose change outlives its deletion is not listed as deleted`() async throws {
            try await World.withBank { world, laptop, phone in
                try await world.server.stop()
                try await laptop.expect(["edit", "Bank", "--set", "note=second"])
                try await phone.expect(["rm", "Bank", "--yes"])
                #expect(try await Self.deleted(phone).map(\.title) == ["Bank"])
                try await world.server.start()
                try await [laptop, phone].exchange()
                for device in [laptop, phone] {
                    #expect(try await device.item("Bank").note == "second")
                    #expect(try await Self.deleted(device).map(\.title) == [])
                }
                // One that was made later is another item, and the deleted one stays in the list.
                try await phone.expect(["rm", "Bank", "--yes"])
                try await [phone, laptop].exchange()
                try await laptop.expect([
                    "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                    "--no-password",
                ])
                try await [laptop, phone].exchange()
                #expect(try await Self.deleted(phone).map(\.title) == ["Bank"])
            }
        }

        @Test
        func `an item that another device's new password brought back is not listed as deleted`()
            async throws
        {
            try await World.withBank { world, laptop, phone in
                try await world.server.stop()
                try await laptop.expect(["edit", "Bank", "--set", "password=two"])
                try await phone.expect(["rm", "Bank", "--yes"])
                try await world.server.start()
                try await [laptop, phone].exchange()
                for device in [laptop, phone] {
                    #expect(try await device.item("Bank").password == "two")
                    #expect(try await Self.deleted(device).map(\.title) == [], "\(device.name)")
                }
                // Nothing is lost: the deleted one is there again once the other has moved away.
                try await phone.expect(["edit", "Bank", "--set", "user name=eve"])
                #expect(try await Self.deleted(phone).map(\.title) == ["Bank"])
                try await phone.expect(["restore", "ada@bank.example"])
                #expect(try await phone.item("ada@bank.example").password == "one")
            }
        }

        /// The earlier passwords and values of a field, newest first.
        private static func earlier(_ name: String, on device: Device) async throws -> [String] {
            let page = try await device.run(["history", "Bank", "--secrets"])
            return page.output.split(separator: "\n").filter { $0.contains("superseded") }
                .compactMap { line in
                    line.firstRange(of: " \(name): ").map { String(line[$0.upperBound...]) }
                }
        }

        @Test
        func `an item comes back with its earlier values, whoever deletes and restores it`()
            async throws
        {
            try await World.withBank { world, laptop, phone in
                for password in ["two", "three"] {
                    let file = try world.write(password + "\n", to: "password")
                    try await laptop.expect([
                        "edit", "Bank", "--password-file", file, "--set", "PIN=\(password)",
                    ])
                    try await [laptop, phone].exchange()
                }
                for (deleting, restoring) in [(laptop, phone), (phone, phone), (phone, laptop)] {
                    try await deleting.expect(["rm", "Bank", "--yes"])
                    if deleting !== restoring { try await [laptop, phone].exchange() }
                    try await restoring.expect(["restore", "Bank"])
                    try await [restoring, laptop, phone].exchange()
                    for device in [laptop, phone] {
                        #expect(try await device.item("Bank").password == "three")
                        let passwords = try await Self.earlier("password", on: device)
                        #expect(passwords == ["two", "one"], "\(deleting.name) \(device.name)")
                        let pins = try await Self.earlier("PIN", on: device)
                        #expect(pins == ["two", "1111"], "\(deleting.name) \(device.name)")
                    }
                }
                try await laptop.expect(["restore", "Bank", "1"])
                #expect(try await laptop.item("Bank").password == "two")
                // A new item of the same key has nothing of the deleted one.
                try await laptop.expect(["rm", "Bank", "--yes"])
                let password = try world.write("fresh\n", to: "password")
                try await laptop.expect([
                    "new", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                    "--password-file", password,
                ])
                #expect(try await Self.earlier("password", on: laptop) == [])
            }
        }

        @Test
        func `two offline devices restore one item, and there is one without a conflict`()
            async throws
        {
            try await World.withBank { world, laptop, phone in
                try await laptop.expect(["rm", "Bank", "--yes"])
                try await [laptop, phone].exchange()
                try await world.server.kill()
                try await laptop.expect(["restore", "Bank"])
                try await phone.expect(["restore", "Bank"])
                try await world.server.start()
                try await [laptop, phone].exchange()
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

        @Test
        func `sync-client restores items and backups, and asks where a word is both`() async throws
        {
            try await World.withBank { world, laptop, phone in
                try await laptop.expect(["edit", "Bank", "--set", "password=two"])
                try await [laptop, phone].exchange()
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
                try await [laptop, phone].exchange()
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
