import Foundation
import KSTestPrograms
import KSTestTerminals
import Testing

extension EndToEndTests {
    /// `copy`, `pick`, `new` and `run` on a terminal.
    struct EverydayTerminalTests {
        private static func addItems(to device: Device, in world: World) async throws {
            let password = try world.write("geheim\n", to: "mail password")
            try await device.expect([
                "new", "login", "--title", "Mail", "--site", "mail.example", "--user", "ada",
                "--password-file", password, "--secret", "PIN=1234", "--otp", "JBSWY3DPEHPK3PXP",
            ])
            try await device.expect([
                "new", "login", "--title", "Shop", "--site", "shop.example", "--user", "ada",
                "--password-file", password,
            ])
            let text = try world.write("a plan\n", to: "text")
            try await device.expect(["new", "note", "Plan", "--text-file", text])
        }

        private static func withItems(
            _ body: (World, Device) async throws -> Void
        ) async throws {
            try await World.withDevice { world, device in
                try await addItems(to: device, in: world)
                try await body(world, device)
            }
        }

        private static func start(
            _ arguments: [String],
            _ device: Device,
            in world: World,
            environment: [String: String] = [:]
        ) throws -> PseudoTerminal {
            let usual = [
                "HOME": world.folder, "PATH": "/usr/bin:/bin", "TERM": "xterm",
                "KEYCHAIN_SYNC_HOME": device.home,
            ]
            return try PseudoTerminal(
                Programs.path("keychain"),
                arguments,
                environment: usual.merging(environment) { $1 }
            )
        }

        /// What a terminal is asked to put on its clipboard.
        private static func sequence(_ text: String) -> String {
            "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}"
        }

        // MARK: copy

        @Test
        func `copy asks the terminal to take a value, and to forget it after the time`()
            async throws
        {
            try await Self.withItems { world, device in
                for (words, what, value) in [
                    (["Mail"], "the password of Mail", "geheim"),
                    (["Mail", "PIN"], "PIN of Mail", "1234"),
                    (["Mail", "user name"], "user name of Mail", "ada"),
                    (["Plan"], "the text of Plan", "a plan"),
                ] {
                    let copy = try Self.start(
                        ["copy", "--seconds", "1"] + words,
                        device,
                        in: world
                    )
                    #expect(await copy.end() == 0, "\(copy.screen.text)")
                    let start = "keychain: \(what) is on the clipboard for 1 seconds, if this"
                    #expect(copy.screen.text.hasPrefix(start), "\(copy.screen.text)")
                    #expect(copy.text.contains(Self.sequence(value)), "\(words)")
                    let isForgotten = await copy.waits { $0.text.hasSuffix(Self.sequence(" ")) }
                    #expect(isForgotten, "\(words)")
                    #expect(!copy.screen.text.contains(value) || value == "ada")
                }
                let code = try Self.start(
                    ["copy", "Mail", "one-time code", "--seconds", "1"],
                    device,
                    in: world
                )
                #expect(await code.end() == 0)
                let copied = try #require(code.text.firstMatch(of: /52;c;([A-Za-z0-9+\/]{8})\x07/))
                let digits = try #require(Data(base64Encoded: String(copied.1)))
                #expect(String(decoding: digits, as: UTF8.self).wholeMatch(of: /[0-9]{6}/) != nil)
            }
        }

        @Test(.enabled(if: VirtualDisplay.canRun, "Xvfb, xauth and xclip are not installed"))
        func `copy puts a value on the clipboard of X for a while`() async throws {
            try await Self.withItems { world, device in
                let display = try VirtualDisplay()
                let copy = try Self.start(
                    ["copy", "Mail", "--seconds", "3"],
                    device,
                    in: world,
                    environment: display.environment
                )
                #expect(await copy.end() == 0)
                let sentence = "keychain: the password of Mail is on the clipboard for 3 seconds.\n"
                #expect(copy.screen.text.hasPrefix(sentence), "\(copy.screen.text)")
                #expect(!copy.text.contains("\u{1B}]52"))
                #expect(display.paste("UTF8_STRING") == "geheim")
                #expect(display.paste("x-kde-passwordManagerHint") == "secret")
                #expect(await display.waits { $0.paste("TARGETS") == nil })
            }
        }

        // MARK: Colors

        @Test
        func `lists, items and codes have colors on a terminal that wants some, and nowhere else`()
            async throws
        {
            try await Self.withItems { world, device in
                try await device.expect(["fav", "Mail"])
                for words in [["list"], ["show", "Mail"], ["totp", "Mail"]] {
                    for (environment, isColored) in [
                        ([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
                    ] as [([String: String], Bool)] {
                        let shown = try Self.start(
                            words,
                            device,
                            in: world,
                            environment: environment
                        )
                        #expect(await shown.end() == 0)
                        let hasColors = shown.text.contains("\u{1B}[")
                        #expect(hasColors == isColored, "\(words) \(environment): \(shown.text)")
                    }
                    let plain = try await device.run(words)
                    #expect(!plain.output.contains("\u{1B}"), "\(plain)")
                }
                // The text is the same with and without.
                let colored = try Self.start(["show", "Mail"], device, in: world)
                _ = await colored.end()
                let plain = try Self.start(
                    ["show", "Mail"],
                    device,
                    in: world,
                    environment: ["NO_COLOR": "1"]
                )
                _ = await plain.end()
                #expect(colored.screen.text == plain.screen.text)
            }
        }

        // MARK: pick

        @Test
        func `pick filters, copies, shows and generates, and leaves nothing on the screen`()
            async throws
        {
            try await Self.withItems { world, device in
                let pick = try Self.start(["pick"], device, in: world)
                #expect(await pick.waits(forText: "3/3"), "\(pick.screen.text)")
                pick.type("mai")
                #expect(await pick.waits(forText: "1/3"))
                #expect(pick.screen.lines[1].contains("Mail"))
                #expect(!pick.screen.text.contains("Shop"))
                pick.type("\r")
                #expect(await pick.waits(forText: "Copied for 45 seconds"), "\(pick.screen.text)")
                #expect(pick.text.contains(Self.sequence("geheim")))

                pick.type("\t")
                #expect(await pick.waits(forText: "user name"), "\(pick.screen.text)")
                #expect(pick.screen.text.contains("••••••••"))
                #expect(!pick.screen.text.contains("geheim"))
                #expect(pick.screen.text.contains(/one-time code +\d{3} \d{3}/))
                pick.type("s")
                #expect(await pick.waits(forText: "geheim"), "\(pick.screen.text)")
                pick.resize(rows: 10, columns: 60)
                pick.send(SIGWINCH)
                #expect(await pick.waits { $0.screen.lines[9].contains("Esc back") })

                pick.type("gy")
                #expect(await pick.waits(forText: "New password of"), "\(pick.screen.text)")
                pick.type("\u{1B}")
                #expect(await pick.waits(forText: "Find: mai"))
                pick.type("\u{1B}")
                #expect(await pick.waits(forText: "3/3"))
                pick.type("\u{1B}")
                #expect(await pick.end() == 0)
                #expect(pick.isRestored && !pick.screen.isAlternate)
                #expect(!pick.screen.lines.contains { !$0.isEmpty }, "\(pick.screen.text)")
                let item = try await device.item("Mail")
                #expect(item.password?.count == 20 && item["earlier password"] == "geheim")
                #expect(try await device.item("Shop").password == "geheim")
            }
        }

        @Test
        func `pick edits an item with the user's editor, and comes back`() async throws {
            try await Self.withItems { world, device in
                let editor = try world.writeScript(#"sed -i 's/^text: .*/text: b/' "$1""#, to: "ed")
                let pick = try Self.start(
                    ["pick"],
                    device,
                    in: world,
                    environment: ["EDITOR": editor]
                )
                #expect(await pick.waits(forText: "3/3"))
                pick.type("plan\u{5}")
                #expect(await pick.waits(forText: "Changed."), "\(pick.screen.text)")
                pick.type("\u{3}")
                #expect(await pick.end() != nil)
                #expect(pick.isRestored)
                #expect(try await device.item("Plan").password == "b")
            }
        }

        @Test
        func `pick while the keychain is locked is a sentence`() async throws {
            try await Self.withItems { world, device in
                let passcode = ["--passcode-file", try world.write("2580\n", to: "passcode")]
                let set = ["passcode", "set"] + passcode
                #expect(try await device.start("sync-client", set).result().status == 0)
                #expect(try await device.client("lock").status == 0)
                for words in [["pick"], ["copy", "Mail"]] {
                    let locked = try Self.start(words, device, in: world)
                    #expect(await locked.end() == 36)
                    #expect(locked.screen.text.hasPrefix("keychain: the keychain is locked"))
                }
            }
        }

        // MARK: new

        @Test(.enabled(if: TerminalProgram.canRun))
        func `new asks again for an answer that no item can have`() async throws {
            try await World.withDevice { _, device in
                func new(_ words: [String]) async throws -> TerminalProgram {
                    try await TerminalProgram(device, program: "keychain", ["new"] + words)
                }
                let (site, user) = ("site (empty for none): ", "user name: ")
                let password = "password (empty makes one): "
                let first = try await new([])
                try await first.answer("title: ", "")
                try await first.answer(site, "")
                try await first.answer("title: ", "Mail", after: "needs a title or a site.")
                try await first.answer(site, "not an address")
                try await first.answer(site, "mail.example", after: "not an address is no address")
                try await first.answer(user, "ada")
                try await first.answer(password, "one")
                #expect(try await first.end().contains("added Mail  ada  mail.example"))

                let second = try await new(["--title", "Mail 2"])
                try await second.answer(site, "mail.example")
                try await second.answer(user, "ada")
                try await second.answer(password, "two")
                try await second.answer(user, "bob", after: "already an item for mail.example")
                #expect(try await second.end().contains("added Mail 2  bob  mail.example"))
                #expect(try await device.item("Mail 2").password == "two")
                #expect(try await device.item("Mail").password == "one")

                let card = try await new(["card", "Visa", "--field", "holder=A"])
                try await card.answer("number: ", "4111")
                let month = "expires (as 12/29 or 2029-12): "
                try await card.answer(month, "2027-13")
                try await card.answer(month, "2027-05", after: "takes a month as 2027-05 or")
                try await card.answer("code: ", "")
                try await card.answer("pin: ", "")
                #expect(try await card.end().contains("added Visa"))
                #expect(
                    try await device.item("Visa").fields == [
                        .init("holder", "A"), .init("number", "4111", kind: "secret"),
                        .init("expires", "2027-05", kind: "month"),
                    ]
                )
                // What an option says is refused before the first question.
                let wrong = try await new(["--title", "X", "--field", "d:date=soon"])
                #expect(try await wrong.end().contains("d takes a date as 2027-05-31."))
            }
        }

        // MARK: What was changed

        @Test
        func `on a terminal a change is one line, and elsewhere nothing`() async throws {
            try await Self.withItems { world, device in
                let file = try world.writeBytes(10, to: "contract")
                let mail = "Mail  ada  mail.example"
                for (words, line) in [
                    (
                        [
                            "edit", "Mail", "--set", "PIN=2", "--set", "note=x", "--add",
                            "branch=N", "--remove", "password",
                        ],
                        "changed \(mail): set note, PIN, branch; removed password"
                    ),
                    (["edit", "Mail", "--set", "PIN=2"], "\(mail) is as it was"),
                    (["edit", "Mail", "--remove", "branch"], "changed \(mail): removed branch"),
                    (
                        ["tag", "Mail", "a", "b", "--remove", "c"],
                        "changed \(mail): added the tag a, b; removed the tag c"
                    ),
                    (["fav", "Mail"], "changed \(mail): marked as a favorite"),
                    (["fav", "Mail"], "\(mail) is as it was"),
                    (["fav", "Mail", "--off"], "changed \(mail): no favorite any more"),
                    (["attach", "Mail", file], "changed \(mail): set contract"),
                    (
                        ["detach", "Mail", "contract", "--yes"],
                        "changed \(mail): removed contract"
                    ),
                    (["rename", "Shop", "Store"], "changed Store  ada  shop.example: set title"),
                ] {
                    if words[0] == "tag" { try await device.expect(["tag", "Mail", "c"]) }
                    let change = try Self.start(words, device, in: world)
                    #expect(await change.end() == 0, "\(change.screen.text)")
                    let shown = change.screen.lines.filter { !$0.isEmpty }
                    #expect(shown == [line], "\(words)")
                }
                for words in [
                    ["edit", "Mail", "--set", "PIN=3"], ["tag", "Mail", "d"], ["fav", "Mail"],
                    ["rename", "Store", "Shop"],
                ] {
                    try await device.expect(words, output: "", errors: "")
                }
            }
        }

        // MARK: run

        @Test(arguments: ["", " >/dev/null"])
        func `a shell's loop ends with a program that Ctrl-C ended`(
            redirection: String
        ) async throws {
            try await World.withDevice { world, device in
                let loop = """
                    while true; do
                        '\(Programs.path("keychain"))' run -- \
                            sh -c 'echo ready >&2; exec sleep 60'\(redirection)
                        echo again
                    done
                    """
                let terminal = try PseudoTerminal(
                    "/usr/bin/bash",
                    ["-c", loop],
                    environment: ["HOME": world.folder, "PATH": "/usr/bin:/bin", "TERM": "xterm"]
                )
                #expect(await terminal.waits(forText: "ready"), "\(terminal.screen.text)")
                terminal.type("\u{3}")
                #expect(await terminal.end() != nil, "\(terminal.screen.text)")
                #expect(!terminal.screen.text.contains("again"))
            }
        }
    }
}
