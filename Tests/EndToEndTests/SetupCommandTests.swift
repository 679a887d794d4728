import Foundation
import KSTestPrograms
import KSTestTerminals
import Testing

extension EndToEndTests {
    /// `sync-client setup` on a terminal.
    struct SetupCommandTests {
        private static let secret = "a long password of ada"

        /// A terminal on which `setup` asks, for a device whose daemon the world ends.
        private struct Dialog {
            let terminal: PseudoTerminal

            init(_ device: Device, in world: World, _ arguments: [String] = []) throws {
                terminal = try PseudoTerminal(
                    Programs.path("sync-client"),
                    ["setup", "--home", device.home] + arguments,
                    environment: ["HOME": world.folder, "TERM": "xterm"],
                    rows: 50,
                    columns: 120
                )
            }

            /// Types an answer at the end of a question.
            func answer(
                _ question: String,
                _ line: String,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let isAsked = await terminal.waits { terminal in
                    let lines = terminal.screen.lines
                    return lines[terminal.screen.row].hasPrefix(question)
                        && terminal.screen.column >= question.count
                }
                try #require(
                    isAsked,
                    "\(question) is not in \(terminal.screen.text)",
                    sourceLocation: sourceLocation
                )
                let row = terminal.screen.row
                terminal.type(line + "\n")
                _ = await terminal.waits(seconds: 30) { $0.screen.row != row || $0.status != nil }
            }

            /// Answers from the server's address up to the passcode, which is not wanted.
            func makeAccount(_ world: World) async throws {
                try await answer("1, 2 or 3:", "1")
                try await answer("Server's address", world.server.url)
                try await answer("Is it the same?", "yes")
                try await answer("Name of the new account:", "ada")
                try await answer("Name of this device [", "laptop")
                try await answer("Password of the account:", secret)
                try await answer("Repeat it:", secret)
                try await answer("Write the kit to [~/keychain-sync-kit.txt]:", "")
                try await answer("Do you want a passcode for this device? [y/N]:", "")
            }
        }

        @Test
        func `a new account on one terminal, and a login with its kit on another`() async throws {
            try await World.with { world in
                try await world.server.start()
                let (laptop, phone) = (world.device("laptop"), world.device("phone"))
                let first = try Dialog(laptop, in: world)
                try await first.makeAccount(world)
                #expect(await first.terminal.end() == 0, "\(first.terminal.text)")
                let shown = first.terminal.screen.text
                #expect(shown.contains("\n  \(try world.server.pin)\n"), "\(shown)")
                #expect(shown.contains("Signed up as ada, with this device as laptop."))
                #expect(shown.contains("Next:\n  keychain new  "), "\(shown)")
                #expect(!shown.contains(Self.secret) && first.terminal.isRestored)
                let file = world.path("keychain-sync-kit.txt")
                let kit = try String(contentsOfFile: file, encoding: .utf8)
                #expect(kit.contains("Pin          \(try world.server.pin)\n"), "\(kit)")
                try await laptop.save("mail", "the value")
                #expect(try await laptop.sync().status == 0)

                let second = try Dialog(phone, in: world, ["login", "--device", "phone"])
                try await second.answer("Kit, the file", "~/keychain-sync-kit.txt")
                try await second.answer("Password of the account:", Self.secret)
                try await second.answer("Do you want a passcode", "yes")
                try await second.answer("New passcode:", "2580")
                try await second.answer("Repeat it:", "2580")
                #expect(await second.terminal.end() == 0, "\(second.terminal.text)")
                #expect(second.terminal.screen.text.contains("\n  keychain copy NAME  "))
                #expect(try await phone.password("mail") == "the value")
                #expect(try await phone.client("status").output.contains("passcode set"))

                let again = try Dialog(phone, in: world)
                #expect(await again.terminal.end() == 1)
                #expect(again.terminal.screen.text.contains("the account ada already, as phone:"))
            }
        }

        @Test
        func `a bad answer is asked again, and loses no other`() async throws {
            try await World.withDevices("other") { world, _ in
                let laptop = world.device("laptop")
                let dialog = try Dialog(laptop, in: world, ["new", "--no-passcode"])
                try await dialog.answer("Server's address", "https://127.0.0.1:1")
                try await dialog.answer("Server's address", "no address")
                try await dialog.answer("Server's address", world.server.url)
                try await dialog.answer("Is it the same?", "perhaps")
                try await dialog.answer("Is it the same?", world.server.pin)
                try await dialog.answer("Name of the new account:", "  ")
                // That account name is taken.
                try await dialog.answer("Name of the new account:", World.account)
                try await dialog.answer("Name of the new account:", "grace")
                try await dialog.answer("Name of this device [", String(repeating: "d", count: 200))
                try await dialog.answer("Password of the account:", "short")
                try await dialog.answer("Repeat it:", "short")
                try await dialog.answer("Password of the account:", Self.secret)
                try await dialog.answer("Repeat it:", Self.secret)
                try await dialog.answer("Write the kit to", world.folder)
                try await dialog.answer("Write the kit to", "~/kit of grace")
                // The name of the device is too long.
                try await dialog.answer("Name of this device [", "laptop")
                #expect(await dialog.terminal.end() == 0, "\(dialog.terminal.text)")
                let text = dialog.terminal.text
                for sentence in [
                    "The server is out of reach", "A server's address looks like",
                    "Type yes or no, or paste a pin", "must not be empty or blank",
                    "The password is too short", "There is a file \(world.folder) already",
                    "nor longer than 128 bytes", "That account name is taken",
                ] {
                    #expect(text.contains("sync-client: ") && text.contains(sentence), "\(text)")
                }
                let status = try await laptop.client("status").output
                #expect(status.contains("account      grace\ndevice       laptop\n"), "\(status)")
            }
        }

        @Test
        func `an invitation is asked for before the password, and a wrong code is named`()
            async throws
        {
            try await World.with { world in
                try await world.server.start(["--registration", "invite"])
                let made = try await world.server.command("invite")
                let code = made.output.trimmingCharacters(in: .newlines)
                let pin = try ["new", "--server", world.server.url, "--pin", world.server.pin]
                let dialog = try Dialog(world.device("laptop"), in: world, pin + ["--no-passcode"])
                try await dialog.answer("Name of the new account:", "ada")
                try await dialog.answer("Invitation code (", "never-given")
                try await dialog.answer("Invitation code (", code)
                try await dialog.answer("Name of this device [", "laptop")
                try await dialog.answer("Password of the account:", Self.secret)
                try await dialog.answer("Repeat it:", Self.secret)
                try await dialog.answer("Write the kit to", "")
                #expect(await dialog.terminal.end() == 0, "\(dialog.terminal.text)")
                let text = dialog.terminal.text
                for part in ["by invitation only", "does not know that invitation", "Signed up"] {
                    #expect(text.contains(part), "\(text)")
                }
            }
        }

        @Test
        func `a server that accepts no new accounts ends the questions`() async throws {
            try await World.with { world in
                try await world.server.start(["--registration", "closed"])
                let pin = try ["new", "--server", world.server.url, "--pin", world.server.pin]
                let dialog = try Dialog(world.device("laptop"), in: world, pin)
                try await dialog.answer("Name of the new account:", "ada")
                #expect(await dialog.terminal.end() == 77, "\(dialog.terminal.text)")
                #expect(dialog.terminal.text.contains("accepts no new accounts"))
            }
        }

        @Test
        func `a pin that the server did not print is refused`() async throws {
            try await World.withDevices("other") { world, _ in
                let laptop = world.device("laptop")
                let wrong = "sha256//" + String(repeating: "A", count: 43) + "="
                for answer in ["no", wrong] {
                    let dialog = try Dialog(laptop, in: world, ["new"])
                    try await dialog.answer("Server's address", world.server.url)
                    try await dialog.answer("Is it the same?", answer)
                    // The address is asked for again.
                    try await dialog.answer("Server's address", "\u{4}")
                    #expect(await dialog.terminal.end() == 64, "\(dialog.terminal.text)")
                    #expect(dialog.terminal.text.contains("Then another server answers"))
                }

                // A kit whose pin is another server's.
                let kit = try String(contentsOfFile: world.path(World.kit), encoding: .utf8)
                    .replacing(try world.server.pin, with: wrong)
                let file = try world.write(kit, to: "other kit")
                let dialog = try Dialog(laptop, in: world, ["login", "--kit", file])
                try await dialog.answer("Kit, the file", "\u{4}")
                #expect(await dialog.terminal.end() == 64, "\(dialog.terminal.text)")
                #expect(dialog.terminal.text.contains("The server's key is not the pinned one"))
                let status = try await laptop.client("status").output
                #expect(status.contains("account      none on this device"))
            }
        }

        @Test
        func `somebody without an invitation goes back to the first question`() async throws {
            try await World.with { world in
                try await world.server.start(["--registration", "invite"])
                let laptop = world.device("laptop")
                let dialog = try Dialog(laptop, in: world)
                try await dialog.answer("1, 2 or 3:", "1")
                try await dialog.answer("Server's address", world.server.url)
                try await dialog.answer("Is it the same?", "yes")
                try await dialog.answer("Name of the new account:", "ada")
                try await dialog.answer("Invitation code (empty to begin again):", "never-given")
                try await dialog.answer("Invitation code (empty to begin again):", "")
                try await dialog.answer("1, 2 or 3:", "3")
                try await dialog.answer("Do you want a passcode for this device? [y/N]:", "")
                #expect(await dialog.terminal.end() == 0, "\(dialog.terminal.text)")
                let status = try await laptop.client("status").output
                #expect(!status.contains("account      ada"), "\(status)")
            }
        }

        @Test
        func `a kit whose server has moved asks for the new address alone`() async throws {
            try await World.withDevices("other") { world, _ in
                let earlier = "https://localhost:1"
                let kit = try String(contentsOfFile: world.path(World.kit), encoding: .utf8)
                    .replacing(world.server.url, with: earlier)
                try #require(kit.contains(earlier))
                let file = try world.write(kit, to: "earlier kit")
                let phone = world.device("phone")
                // Its daemon derives keys as that of the laptop does.
                try await phone.startDaemon()
                let options = ["login", "--kit", file, "--device", "phone", "--no-passcode"]
                let dialog = try Dialog(phone, in: world, options)
                try await dialog.answer("Server's address [\(earlier)]:", world.server.url)
                try await dialog.answer("Password of the account:", World.password)
                #expect(await dialog.terminal.end() == 0, "\(dialog.terminal.text)")
                #expect(dialog.terminal.text.contains("That is the address in the kit."))
                let status = try await phone.client("status").output
                #expect(status.contains(try world.server.url), "\(status)")
            }
        }

        @Test
        func `a wrong password is typed again, without the kit`() async throws {
            try await World.withDevices("laptop") { world, _ in
                let phone = world.device("phone")
                // Its daemon derives keys as that of the laptop does.
                try await phone.startDaemon()
                let dialog = try Dialog(phone, in: world, ["--no-passcode"])
                try await dialog.answer("1, 2 or 3:", "2")
                try await dialog.answer("Kit, the file", "")
                try await dialog.answer("Server's address", world.server.url)
                try await dialog.answer("Is it the same?", "y")
                try await dialog.answer("Name of the account:", World.account)
                try await dialog.answer("Account Key:", "K1-wrong")
                try await dialog.answer("Account Key:", world.accountKey)
                try await dialog.answer("Name of this device [", "phone")
                try await dialog.answer("Password of the account:", "a wrong password")
                try await dialog.answer("Name of the account [\(World.account)]:", "")
                try await dialog.answer("Password of the account:", World.password)
                #expect(await dialog.terminal.end() == 0, "\(dialog.terminal.text)")
                let status = try await phone.client("status").output
                #expect(status.contains("device       phone\n"), "\(status)")
            }
        }

        @Test(arguments: ["\u{3}", "\u{4}"])
        func `Ctrl-C and the end of the input change nothing, and say so`(
            key: String
        ) async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                let pin = try ["--server", world.server.url, "--pin", world.server.pin]
                let steps = [
                    ("1, 2 or 3:", "1"), ("Name of the new account:", "ada"),
                    ("Name of this device [", ""), ("Password of the account:", ""),
                ]
                for count in [0, 1, 3] {
                    let dialog = try Dialog(laptop, in: world, pin)
                    for (question, line) in steps.prefix(count) {
                        try await dialog.answer(question, line)
                    }
                    _ = await dialog.terminal.waits {
                        $0.screen.lines[$0.screen.row].hasPrefix(steps[count].0)
                    }
                    dialog.terminal.type(key)
                    let isInterrupt = key == "\u{3}"
                    #expect(await dialog.terminal.end() == (isInterrupt ? -SIGINT : 64))
                    let text = isInterrupt ? "Nothing was set up." : "so nothing was done."
                    #expect(dialog.terminal.screen.text.contains(text), "\(dialog.terminal.text)")
                    #expect(dialog.terminal.isRestored)
                }
                let status = try await laptop.client("status").output
                #expect(status.contains("account      none on this device"), "\(status)")
            }
        }

        @Test
        func `what is typed while the server is asked is not shown, and answers nothing`()
            async throws
        {
            try await World.with { world in
                try await world.server.start()
                let server = ["new", "--server", try world.server.url]
                try world.server.freeze()
                let interrupted = try Dialog(world.device("laptop"), in: world, server).terminal
                // Not at once: the daemon starts first.
                #expect(await interrupted.waits { !$0.isRestored })
                interrupted.type("\u{3}")
                #expect(await interrupted.end() == -SIGINT)
                #expect(interrupted.isRestored)
                #expect(interrupted.text.contains("Nothing was set up."), "\(interrupted.text)")

                let dialog = try Dialog(world.device("phone"), in: world, server)
                #expect(await dialog.terminal.waits { !$0.isRestored })
                dialog.terminal.type("typed too early\n")
                try world.server.thaw()
                try await dialog.answer("Is it the same?", "yes")
                try await dialog.answer("Name of the new account:", "\u{4}")
                #expect(await dialog.terminal.end() == 64)
                #expect(dialog.terminal.isRestored)
                let shown = dialog.terminal.text
                #expect(!shown.contains("early") && !shown.contains("Type yes or no."), "\(shown)")
            }
        }

        @Test
        func `this device only: a passcode, and no account`() async throws {
            try await World.with { world in
                let laptop = world.device("laptop")
                let dialog = try Dialog(laptop, in: world)
                try await dialog.answer("1, 2 or 3:", "5")
                try await dialog.answer("1, 2 or 3:", "3")
                try await dialog.answer("Do you want a passcode", "maybe")
                try await dialog.answer("Do you want a passcode", "y")
                try await dialog.answer("New passcode:", "2580")
                try await dialog.answer("Repeat it:", "2581")
                try await dialog.answer("New passcode:", "2580")
                try await dialog.answer("Repeat it:", "2580")
                #expect(await dialog.terminal.end() == 0, "\(dialog.terminal.text)")
                #expect(dialog.terminal.screen.text.contains("\n  sync-client setup new  "))
                let status = try await laptop.client("status").output
                #expect(status.contains("none on this device") && status.contains("passcode set"))
            }
        }

        @Test
        func `without a terminal it names the commands that need none`() async throws {
            try await World.with { world in
                let result = try await world.device("laptop").client("setup", "new", input: "")
                #expect(result.status == 64, "\(result)")
                expectOneSentence(result, saying: "use sync-client signup or sync-client login")
                #expect(!FileManager.default.fileExists(atPath: world.path("laptop")))
            }
        }
    }
}
