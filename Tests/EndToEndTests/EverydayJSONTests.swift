import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The commands for people with `--json`.
    struct EverydayJSONTests {
        /// Expects one line with an object of these members on standard error.
        private func expectFailure(
            _ device: Device,
            _ words: [String],
            _ status: Int32,
            _ code: String,
            saying part: String,
            output: String = ""
        ) async throws {
            let result = try await device.run(words)
            #expect(result.output == output, "\(words): \(result)")
            let failure = try PrintedFailure(of: result, words, status: status)
            #expect(failure.next.code == code && failure.message.contains(part), "\(failure)")
            #expect(failure.next.command == (status == 36 ? "sync-client unlock" : nil))
        }

        private static func add(_ titles: String..., to device: Device) async throws {
            for title in titles {
                let line = ["new", "--title", title, "--user", "ann", "--password-file", "-"]
                let result = try await device.run(line, input: "geheim-\(title)\n")
                #expect(result.status == 0, "\(result)")
            }
        }

        @Test
        func `an error is JSON where JSON is asked for`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", "Mail2", to: device)
                for words in [
                    ["show", "nobody"], ["rename", "nobody", "x"], ["read", "keychain://x/ann"],
                ] {
                    let json = words + ["--json"]
                    try await expectFailure(device, json, 44, "no_such_item", saying: "there is no")
                    let text = try await device.run(words)
                    #expect(text.status == 44 && text.errors.hasPrefix("keychain: "), "\(text)")
                }
                let part = ["show", "ai", "--json"]
                try await expectFailure(device, part, 1, "failed", saying: "may be any of these")
                let unknown = ["show", "Mail", "--json", "--nonsense"]
                try await expectFailure(device, unknown, 2, "wrong_usage", saying: "--nonsense")
                let field = ["show", "Mail", "--field", "password", "--json"]
                try await expectFailure(device, field, 2, "wrong_usage", saying: "--field")
                let mistyped = ["lst", "--json"]
                try await expectFailure(device, mistyped, 1, "failed", saying: "keychain list")
                let home = ["list", "--home", world.path("mistyped"), "--json"]
                try await expectFailure(device, home, 44, "no_such_item", saying: "no keychain at")
                let empty = ["list", "--home", "", "--json"]
                try await expectFailure(device, empty, 53, "home_empty", saying: "is empty")

                let passcode = try world.write("1234\n", to: "passcode")
                let set = try await device.client("passcode", "set", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                #expect(try await device.client("lock").status == 0)
                let locked = ["list", "--json"]
                try await expectFailure(device, locked, 36, "item_locked", saying: "is locked")
            }
        }

        @Test
        func `a command without an answer in JSON refuses to give one`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let template = try world.write("{{ keychain://Mail/ann }}", to: "template")
                for words in [
                    ["copy", "Mail", "--json"], ["qr", "Mail", "--json"], ["pick", "--json"],
                    ["inject", "-i", template, "--json"], ["names", "--json"],
                    ["run", "--json", "--", "true"],
                ] {
                    try await expectFailure(
                        device,
                        words,
                        2,
                        "wrong_usage",
                        saying: "\"keychain \(words[0])\" does not take --json"
                    )
                }
                try await device.expect(["run", "--", "echo", "--json"], output: "--json\n")
            }
        }

        @Test
        func `read and rm answer in JSON`() async throws {
            try await World.withDevice { _, device in
                try await Self.add("Mail", "Bank", "Shop", to: device)
                try await device.expect(
                    ["read", "keychain://Mail/ann", "keychain://Bank", "--json"],
                    output: "[{\"reference\":\"keychain://Mail/ann\",\"value\":\"geheim-Mail\"},"
                        + "{\"reference\":\"keychain://Bank\",\"value\":\"geheim-Bank\"}]\n"
                )
                let listed = try await device.run(["list", "Mail", "--json"]).output
                #expect(listed.hasPrefix("[{\"reference\":"))
                try await device.expect(["rm", "Mail", "--yes", "--json"], output: listed)
                try await expectFailure(
                    device,
                    ["rm", "Bank", "--json"],
                    1,
                    "failed",
                    saying: "--yes",
                    output: "[]\n"
                )
                #expect(try await device.itemNames() == ["ann@Bank", "ann@Shop"])
            }
        }
    }
}
