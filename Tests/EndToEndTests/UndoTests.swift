import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Earlier values come back, on all devices.
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

        private static func setPassword(
            _ password: String,
            of item: String = "Bank",
            on device: Device
        ) async throws {
            try await device.expect(["edit", item, "--set", "password=\(password)"])
        }

        @Test
        func `an earlier password is put back on all devices, and the present one is kept`()
            async throws
        {
            try await World.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: phone)
                try await [phone, laptop].exchange()
                try await Self.setPassword("three", on: laptop)
                try await [laptop, phone].exchange()
                let versions = try await Self.history(phone, "Bank")
                let secrets = versions.filter { $0.name == "password" }
                #expect(secrets.map(\.version) == [nil, 1, 2])
                #expect(secrets.map(\.device) == ["laptop", "phone", "laptop"])
                #expect(secrets.map(\.standing) == ["current", "superseded", "superseded"])
                let restored = try await phone.run(["restore", "Bank", "2"])
                #expect(restored.status == 0 && restored.output.hasPrefix("Bank: password of "))
                #expect(restored.output.hasSuffix(", set on laptop, is current again\n"))
                try await [phone, laptop].exchange()
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
                try await [phone, laptop].exchange()
                #expect(try await laptop.item("Bank").password == "two")
            }
        }

        @Test
        func `a number means what was shown, though a sync brings further versions`() async throws {
            try await World.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: laptop)
                try await [laptop, phone].exchange()
                let number = try await Self.number("password", of: "Bank", on: laptop)
                try await Self.setPassword("three", on: phone)
                try await [phone, laptop].exchange()
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
            try await World.withBank { world, laptop, phone in
                let file = try world.writeBytes(1 << 20, to: "contract")
                try await laptop.expect(["attach", "Bank", file])
                try await [laptop, phone].exchange()
                try await laptop.expect([
                    "edit", "Bank", "--remove", "PIN", "--remove", "branch", "--set", "note=other",
                    "--remove-address", "https://pay.example", "--set", "title=Savings",
                ])
                try await laptop.expect(["tag", "Savings", "--remove", "money"])
                try await laptop.expect(["detach", "Savings", "contract", "--yes"])
                try await [laptop, phone].exchange()
                #expect(try await phone.item("Savings").fields.isEmpty)
                let names = [
                    "PIN", "branch", "note", "https://pay.example", "money", "contract", "title",
                ]
                let versions = try await Self.history(phone, "Savings")
                let numbers = try names.map { name in
                    String(try #require(versions.first { $0.name == name }?.version, "\(name)"))
                }
                try await phone.expect(["restore", "Savings"] + numbers)
                try await [phone, laptop].exchange()
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
            try await World.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: laptop)
                try await Self.setPassword("three", on: laptop)
                try await [laptop, phone].exchange()
                for device in [laptop, phone] { _ = try await Self.history(device, "Bank") }
                try await world.server.kill()
                try await laptop.expect(["restore", "Bank", "1"])
                try await phone.expect(["restore", "Bank", "2"])
                try await world.server.start()
                try await [laptop, phone].exchange()
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
                try await [laptop, phone].exchange()
                #expect(try await phone.item("Bank").password == "two")
                for device in [laptop, phone] {
                    #expect(try await device.item("Bank").conflicts.isEmpty)
                }
            }
        }

        @Test
        func `a rename of the user keeps the dates and devices of earlier values`() async throws {
            try await World.withBank { world, laptop, phone in
                try await Self.setPassword("two", on: phone)
                try await [phone, laptop].exchange()
                let before = try await laptop.client("history", "Bank", "--json")
                try await laptop.expect(["edit", "Bank", "--set", "user=eve"])
                try await [laptop, phone].exchange()
                for device in [laptop, phone] {
                    let after = try await device.client("history", "Bank", "--json")
                    #expect(try Self.times(after.output) == Self.times(before.output), "\(after)")
                    let versions = try await Self.history(device, "Bank")
                    #expect(versions.map(\.device) == ["phone", "laptop"])
                    // The old name is no deleted item.
                    #expect(try await device.run(["deleted"]).output.isEmpty)
                }
            }
        }

        @Test
        func `a note that was renamed, and its title put back, is known by that title`()
            async throws
        {
            try await World.withBank { world, laptop, phone in
                let text = try world.write("four\n", to: "text")
                try await laptop.expect(["new", "note", "House", "--text-file", text])
                try await laptop.expect(["rename", "House", "Home"])
                try await [laptop, phone].exchange()
                try await phone.expect(["read", "keychain://Home"], output: "four\n")
                let number = try await Self.number("title", of: "Home", on: phone)
                try await phone.expect(["restore", "Home", number])
                try await [phone, laptop].exchange()
                #expect(try await laptop.item("House").place == "House")
                try await laptop.expect(["read", "keychain://House"], output: "four\n")
                try await laptop.expect(["read", "keychain://Home"], status: 44)
                #expect(try await laptop.run(["deleted"]).output.isEmpty)
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
    }
}
