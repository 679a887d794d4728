import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Earlier values that a user has forgotten, on all devices.
    struct ForgettingTests {
        private static func withItem(
            _ body: (World, _ laptop: Device, _ phone: Device) async throws -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let password = try world.write("one\n", to: "password")
                try await devices[0].expect([
                    "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                    "--password-file", password, "--note", "first",
                ])
                for secret in ["two", "three"] {
                    try await devices.exchange()
                    try await devices[0].expect(["edit", "Bank", "--set", "password=\(secret)"])
                }
                try await devices.exchange()
                try await body(world, devices[0], devices[1])
            }
        }

        private static func history(_ device: Device) async throws -> String {
            let result = try await device.run(["history", "Bank", "--secrets"])
            try #require(result.status == 0, "\(result)")
            return result.output
        }

        @Test
        func `one earlier password is forgotten by its number, on all devices`() async throws {
            try await Self.withItem { _, laptop, phone in
                #expect(try await Self.history(phone).contains("  2  superseded  "))
                let asked = try await phone.run(["history", "Bank", "--clear", "2"])
                #expect(asked.status == 1 && asked.errors.contains("--yes"), "\(asked)")
                // As for rm: a part of a name may be another item's.
                let part = try await phone.run(["history", "Ban", "--clear", "--yes"])
                #expect(part.status == 1 && part.errors.contains("only a part of"), "\(part)")
                let cleared = try await phone.run(["history", "Bank", "--clear", "2", "--yes"])
                #expect(cleared.status == 0, "\(cleared)")
                #expect(cleared.output == "Bank: forgot 1 earlier value\n")
                try await [phone, laptop].exchange()
                for device in [laptop, phone] {
                    let page = try await Self.history(device)
                    #expect(page.contains("password: two\n") && !page.contains("password: one\n"))
                    #expect(try await device.item("Bank").password == "three")
                }
                let high = try await phone.run(["history", "Bank", "--clear", "9", "--yes"])
                #expect(high.status == 44 && high.errors.contains("no version 9"), "\(high)")
            }
        }

        @Test
        func `all earlier values are forgotten, also those of an edit that was not sent`()
            async throws
        {
            try await Self.withItem { world, laptop, phone in
                try await world.server.stop()
                try await laptop.expect(["edit", "Bank", "--set", "password=four"])
                try await laptop.expect(["edit", "Bank", "--set", "password=five"])
                let cleared = try await laptop.run([
                    "history", "Bank", "--clear", "--yes", "--json",
                ])
                #expect(cleared.status == 0, "\(cleared)")
                #expect(cleared.output.contains("\"forgotten\":4"), "\(cleared)")
                try await world.server.start()
                try await [laptop, phone].exchange()
                for device in [laptop, phone] {
                    let page = try await Self.history(device)
                    #expect(!page.contains("superseded") && page.contains("password: five\n"))
                    let again = try await device.run(["history", "Bank", "--clear", "--yes"])
                    #expect(again.status == 0 && again.output == "Bank has no earlier values\n")
                    // Nobody is asked whether to forget what is not there.
                    let unasked = try await device.run(["history", "Bank", "--clear"])
                    #expect(unasked.status == 0 && unasked.output == again.output, "\(unasked)")
                }
                try await phone.expect(["edit", "Bank", "--set", "password=six"])
                try await [phone, laptop].exchange()
                #expect(try await Self.history(laptop).contains("password: five\n"))
            }
        }

        @Test
        func `a cleared history does not come back with an item that was deleted before`()
            async throws
        {
            try await Self.withItem { world, laptop, phone in
                try await laptop.expect(["rm", "Bank", "--yes"])
                try await [laptop, phone].exchange()
                let password = try world.write("fresh\n", to: "password")
                let new = [
                    "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                    "--password-file", password,
                ]
                try await laptop.expect(new)
                try await laptop.expect(["edit", "Bank", "--set", "password=new"])
                try await [laptop, phone].exchange()
                let asked = try await laptop.run(["history", "Bank", "--clear"])
                #expect(asked.errors.contains("and 1 deleted item of its name on this one"))
                let cleared = try await laptop.run(["history", "Bank", "--clear", "--yes"])
                #expect(
                    cleared.output == """
                        Bank: forgot 1 earlier value
                        Bank: forgot 1 deleted item of the same place and user name; other devices \
                        keep theirs for up to 30 days

                        """,
                    "\(cleared)"
                )
                try await [laptop, phone].exchange()
                let deleted = try await laptop.run(["deleted"])
                #expect(deleted.output == "", "\(deleted)")
                let kept = try await phone.run(["deleted"])
                #expect(kept.output.contains("\tBank\t"), "\(kept)")
                // The item goes and comes back on each device, without what was cleared.
                for device in [laptop, phone] {
                    try await device.expect(["rm", "Bank", "--yes"])
                    try await [device, laptop, phone].exchange()
                    struct Deletion: Decodable { let code: String }
                    let list = try await device.run(["deleted", "--json"]).output
                    let newest = try #require(
                        try JSONDecoder().decode([Deletion].self, from: Data(list.utf8)).first
                    )
                    try await device.expect(["restore", newest.code])
                    try await [device, laptop, phone].exchange()
                    let page = try await Self.history(device)
                    #expect(page.contains("password: new\n") && !page.contains("superseded"))
                    #expect(
                        !["one", "two", "three", "fresh"].contains { page.contains(": \($0)") }
                    )
                }
                let again = try await phone.run(["history", "Bank", "--clear", "--yes", "--json"])
                #expect(again.output.contains("\"forgotten\":0,\"conflicts\":0,\"deletedItems\":1"))
            }
        }

        @Test
        func `in a full account a removed attachment makes room once its history is cleared`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await world.server.stop()
                try await world.server.start(["--quota", "2"])
                let file = try world.writeBytes(1_000_000, to: "scan.pdf")
                for title in ["Old", "New"] {
                    try await laptop.expect(["new", "login", "--title", title, "--no-password"])
                }
                try await laptop.expect(["attach", "Old", file])
                try await [laptop, phone].exchange()
                try await laptop.expect(["attach", "New", file])
                let full = try await laptop.sync()
                #expect(full.status == 1 && full.errors.contains("account is full"), "\(full)")
                // It stays in the history, so it is no room yet.
                try await laptop.expect(["detach", "Old", "scan.pdf", "--yes"])
                let still = try await laptop.sync()
                #expect(still.status == 1 && still.errors.contains("--clear"), "\(still)")
                try await laptop.expect(["history", "Old", "--clear", "--yes"])
                try await [laptop, phone].exchange()
                let copy = try await phone.bytes(of: "scan.pdf", in: "New", to: world.path("copy"))
                #expect(try copy == Data(contentsOf: URL(filePath: file)))
            }
        }

        @Test
        func `an attachment that was removed before it was ever sent can be restored`()
            async throws
        {
            try await Self.withItem { world, laptop, phone in
                let file = try world.writeBytes(1_000_000, to: "scan.pdf")
                try await world.server.stop()
                try await laptop.expect(["attach", "Bank", file])
                try await laptop.expect(["detach", "Bank", "scan.pdf", "--yes"])
                try await world.server.start()
                try await [laptop, phone].exchange()
                let page = try await Self.history(phone)
                #expect(page.contains("scan.pdf: file, "), "\(page)")
                let line = try #require(page.split(separator: "\n").first { $0.contains("scan") })
                let number = try #require(line.split(separator: " ").first)
                try await phone.expect(["restore", "Bank", String(number)])
                let copy = try await phone.bytes(of: "scan.pdf", in: "Bank", to: world.path("copy"))
                #expect(try copy == Data(contentsOf: URL(filePath: file)))
            }
        }
    }
}
