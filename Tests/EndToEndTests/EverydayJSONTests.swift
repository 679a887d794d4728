import Foundation
import KSTestPrograms
import KSTestTerminals
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
        func `copy says in JSON what is where, and until when, but not the secret`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let listed = try await device.run(["list", "--json"]).output.dropFirst().dropLast(2)
                for (words, field) in [
                    (["Mail"], "password"), (["Mail", "user name"], "user name"),
                ] {
                    let copy = try PseudoTerminal(
                        Programs.path("keychain"),
                        ["copy", "--seconds", "2", "--json"] + words,
                        environment: [
                            "HOME": world.folder, "PATH": "/usr/bin:/bin", "TERM": "xterm",
                            "KEYCHAIN_SYNC_HOME": device.home,
                        ]
                    )
                    #expect(await copy.end() == 0, "\(copy.text)")
                    let answer =
                        "{\"item\":\(listed),\"field\":\"\(field)\",\"seconds\":2,"
                        + "\"way\":\"osc52\",\"certain\":false}"
                    #expect(copy.text.contains(answer), "\(copy.text)")
                    #expect(!copy.text.contains("geheim") && !copy.text.contains("clipboard for"))
                }
                let none = ["copy", "Mail", "--json"]
                try await expectFailure(device, none, 1, "failed", saying: "clipboard")
            }
        }

        @Test
        func `qr has the rows of its code in JSON, and inject counts its references`() async throws
        {
            struct Code: Decodable {
                let version: Int
                let size: Int
                let rows: [String]
            }
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let qr = try await device.run(["qr", "Mail", "--json"])
                let code = try JSONDecoder().decode(Code.self, from: Data(qr.output.utf8))
                #expect(code.size == 17 + 4 * code.version && code.rows.count == code.size)
                #expect(code.rows.allSatisfy { $0.count == code.size }, "\(qr)")
                // The marks in three corners (ISO 18004, 6.3.3).
                let mark = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001"]
                for (row, bits) in mark.enumerated() {
                    #expect(code.rows[row].hasPrefix(bits) && code.rows[row].hasSuffix(bits))
                }

                let template = try world.write(
                    "{{ keychain://Mail/ann }} {{ keychain://Mail }} {{ keychain://Mail/ann }}",
                    to: "template"
                )
                let file = world.path("filled")
                let inject = ["inject", "-i", template, "-o", file, "--json"]
                try await device.expect(
                    inject,
                    output: "{\"file\":\"\(file)\",\"references\":3}\n",
                    errors: ""
                )
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text == "geheim-Mail geheim-Mail geheim-Mail")
                let shown = ["inject", "-i", template, "--json"]
                try await expectFailure(device, shown, 2, "wrong_usage", saying: "--json needs -o")
            }
        }

        /// A reference that a failure names.
        private struct Refused: Decodable, Equatable {
            let place: String?
            let reference: String
            let reason: String
            let references: [String]
        }

        private static func refused(_ result: ProgramResult) throws -> [Refused] {
            struct Failure: Decodable { let refused: [Refused] }
            return try JSONDecoder().decode(Failure.self, from: Data(result.errors.utf8)).refused
        }

        @Test
        func `run says in JSON why it starts nothing, and otherwise nothing at all`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let other = try await device.run(
                    ["new", "--title", "Mail", "--user", "bob", "--password-file", "-"],
                    input: "geheim\n"
                )
                #expect(other.status == 0, "\(other)")
                let missing = "keychain://none/ann"
                let options = ["-e", "A=keychain://Mail/ann", "-e", "B=\(missing)", "-e"]
                let run = ["run"] + options + ["C=keychain://Mail", "--json", "--", "true"]
                try await expectFailure(
                    device,
                    run,
                    44,
                    "no_such_item",
                    saying: "nothing was started"
                )
                let refused = try Self.refused(try await device.run(run))
                #expect(refused.map(\.place) == ["B", "C"], "\(refused)")
                #expect(refused.map(\.reference) == [missing, "keychain://Mail"], "\(refused)")
                #expect(refused[0].reason.hasPrefix("there is no such item"), "\(refused)")
                #expect(
                    Set(refused[1].references) == ["keychain://Mail/ann", "keychain://Mail/bob"],
                    "\(refused)"
                )
                let template = try world.write("{{ \(missing) }}", to: "template")
                let inject = ["inject", "-i", template, "-o", world.path("filled"), "--json"]
                #expect(
                    try Self.refused(try await device.run(inject)).map(\.place)
                        == ["line 1, column 4"]
                )
                let read = try Self.refused(try await device.run(["read", missing, "--json"]))
                #expect(read.map(\.reference) == [missing] && read[0].place == nil, "\(read)")

                let program = ["--json", "--", "/bin/sh", "-c", "echo \"$A\"; exit 9"]
                try await device.expect(
                    ["run", "-e", "A=keychain://Mail/ann"] + program,
                    status: 9,
                    output: "<concealed by keychain>\n",
                    errors: ""
                )
                let unknown = ["run", "--json", "--", "no-such-program"]
                try await expectFailure(device, unknown, 127, "failed", saying: "no-such-program")
                // Behind the hyphens the words are the program's.
                try await device.expect(["run", "--", "echo", "--json"], output: "--json\n")
                let names = ["names", "--json"]
                try await expectFailure(
                    device,
                    names,
                    2,
                    "wrong_usage",
                    saying: "does not take --json"
                )
            }
        }

        @Test
        func `pick prints in JSON what was chosen, once the screen is as before`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", "Shop", to: device)
                let listed = try await device.run(["list", "Mail", "--json"]).output
                func pick() throws -> PseudoTerminal {
                    try PseudoTerminal(
                        "/bin/sh",
                        [
                            "-c",
                            "\(Programs.path("keychain")) pick --json >\(world.path("chosen"))",
                        ],
                        environment: [
                            "HOME": world.folder, "PATH": "/usr/bin:/bin", "TERM": "xterm",
                            "KEYCHAIN_SYNC_HOME": device.home,
                        ]
                    )
                }
                func chosen() throws -> String {
                    try String(contentsOfFile: world.path("chosen"), encoding: .utf8)
                }
                for (keys, field) in [("\r", "null"), ("\t\r", "\"password\"")] {
                    let terminal = try pick()
                    #expect(
                        await terminal.waits(forText: "Enter choose"),
                        "\(terminal.screen.text)"
                    )
                    terminal.type("mai")
                    #expect(await terminal.waits(forText: "1/2"))
                    terminal.type(String(keys.prefix(1)))
                    if keys.count > 1 {
                        #expect(await terminal.waits(forText: "user name"))
                        terminal.type("\r")
                    }
                    #expect(await terminal.end() == 0, "\(terminal.screen.text)")
                    let item = listed.dropFirst().dropLast(2)
                    #expect(try chosen() == "{\"item\":\(item),\"field\":\(field)}\n")
                    #expect(!terminal.text.contains("geheim") && terminal.isRestored)
                }
                let left = try pick()
                #expect(await left.waits(forText: "2/2"))
                left.type("\u{1B}")
                #expect(await left.end() == 1)
                #expect(left.screen.text.contains("{\"code\":1,\"message\":\"no item was chosen"))
                #expect(try chosen().isEmpty)
            }
        }

        @Test
        func `one field is shown in JSON with its name, or the file that has it`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let show = ["show", "Mail", "--field", "password", "--json"]
                try await device.expect(
                    show,
                    output: "{\"field\":\"password\",\"value\":\"geheim-Mail\"}\n"
                )
                let file = world.path("value")
                try await device.expect(
                    show + ["-o", file],
                    output: "{\"field\":\"password\",\"file\":\"\(file)\",\"bytes\":11}\n"
                )
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "geheim-Mail")
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
