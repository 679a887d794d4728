import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What people do by mistake with the commands of a day: nothing is lost, or shown.
    struct EverydayMistakeTests {
        static func add(
            _ title: String,
            user: String = "me",
            to device: Device
        ) async throws {
            try await device.expect([
                "new", "login", "--title", title, "--user", user, "--site",
                "\(title.lowercased()).example", "--secret", "pin=1234", "--otp",
                "JBSWY3DPEHPK3PXP", "--no-password",
            ])
        }

        @Test
        func `without a question only an item that is named in full is deleted`() async throws {
            try await World.withDevice { _, device in
                for title in ["Gmail", "Work"] { try await Self.add(title, to: device) }
                for part in ["mail", "me@gmail", "gmail.ex"] {
                    let result = try await device.run(["rm", part, "--yes"])
                    #expect(result.status == 1, "\(part): \(result)")
                    expectOneSentence(result, saying: "only a part of Gmail", "user@site")
                }
                #expect(try await device.itemNames() == ["me@Gmail", "me@Work"])
                try await device.expect(
                    ["rm", "me@gmail.example", "WORK", "--yes"],
                    output: "deleted Gmail  me  gmail.example\ndeleted Work  me  work.example\n"
                )
                #expect(try await device.itemNames() == [])
            }
        }

        @Test
        func `a login without a password is made only if its user says so`() async throws {
            try await World.withDevice { _, device in
                let result = try await device.run(["new", "--title", "N"], input: "piped\n")
                #expect(result.status == 2)
                #expect(result.errors.contains("--password-file FILE, - for standard input"))
                let codes = ["--otp", "JBSWY3DPEHPK3PXP", "--otp", "GEZDGNBVGY3TQOJQ"]
                let twice = try await device.run(["new", "--title", "N", "--no-password"] + codes)
                #expect(twice.status == 2, "\(twice)")
                #expect(twice.errors.contains("--otp can be given only once"), "\(twice)")
                #expect(try await device.itemNames() == [])
            }
        }

        @Test
        func `a value that is there is replaced or taken away only on purpose`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let before = try await device.run(["show", "Mail", "--secrets", "--json"]).output
                for (line, part) in [
                    (["--otp", "GEZDGNBVGY3TQOJQ"], "--yes"), (["--add", "pin:secret=2"], "--yes"),
                    (["--set", "pasword=geheim"], "no field pasword"),
                    (["--set", "password=a", "--password-file", "/dev/null"], "once"),
                    (["--password-file", "/dev/null"], "--remove password"),
                ] {
                    let result = try await device.run(["edit", "Mail"] + line)
                    #expect(result.status != 0, "\(line): \(result)")
                    expectOneSentence(result, saying: part)
                }
                let unknown = try await device.run(["edit", "Mail", "--add", "pet:foo=cat"])
                #expect(unknown.errors.contains("\"foo\" is no kind of a field; use one of text"))
                let now = try await device.run(["show", "Mail", "--secrets", "--json"]).output
                #expect(now == before)
                try await device.expect(["edit", "Mail", "--add", "pin:secret=2", "--yes"])
                #expect(try await device.item("Mail")["pin"] == "2")

                let password = try world.write("hunter2\n", to: "password of the mail")
                try await device.expect(["edit", "Mail", "--password-file", password])
                #expect(try await device.item("Mail").password == "hunter2")
                try await device.expect(["edit", "Mail", "--remove", "password"])
                #expect(try await device.item("Mail").password ?? "" == "")
            }
        }

        @Test
        func `a name with slips leads to those that may be meant, and an option to its program`()
            async throws
        {
            try await World.withDevice { world, device in
                for title in ["GitHub", "Mail"] { try await Self.add(title, to: device) }
                let slip = try await device.run(["show", "gihtub"])
                #expect(slip.status == 44 && slip.output.isEmpty, "\(slip)")
                let near = "did you mean \"GitHub  me  github.example\"?\n"
                #expect(slip.errors.hasSuffix(near), "\(slip)")
                try await device.expect(["new", "note", "--title", "Safe"])
                let short = try await device.run(["show", "saef"])
                #expect(short.status == 44, "\(short)")
                #expect(short.errors.hasSuffix("did you mean \"Safe\"?\n"), "\(short)")
                let run = try await device.run(["run", "sh", "-c", "true"])
                #expect(run.status == 2, "\(run)")
                #expect(run.errors.contains("put \"--\" before the program"), "\(run)")
                let sync = try await device.run(["find-generic-password", "--snyc", "-s", "x"])
                #expect(sync.status == 2, "\(sync)")
                let meant = "keychain: Unknown option '--snyc'. Did you mean '--sync'?\n"
                #expect(sync.errors.hasSuffix(meant), "\(sync)")
                let usage = try await device.start("keychain", ["-h"], namesHome: false).result()
                #expect(usage.output.hasPrefix("Usage: keychain ["), "\(usage)")
                let help = try await device.run(["help"]).output
                for command in ["setup", "import", "backup"] {
                    #expect(help.contains("\nsync-client \(command) "), "\(help)")
                }
            }
        }

        @Test
        func `a note keeps its text, and a card hides what a card hides`() async throws {
            try await World.withDevice { world, device in
                let text = try world.write("alpha\nbeta\n", to: "text")
                try await device.expect(["new", "note", "Door", "--text-file", text])
                let result = try await device.run(["generate", "--for", "Door"])
                expectOneSentence(result, saying: "Door is a note")
                try await device.expect(["show", "Door", "-f", "text"], output: "alpha\nbeta\n")
                let card = ["new", "card", "--title", "Visa", "--field"]
                let refused = try await device.run(card + ["expires=29/12"])
                expectOneSentence(refused, saying: "expires takes a month as 2027-05")
                try await device.expect(card + ["number=4111", "--field", "pin=9"])
                let page = try await device.run(["show", "Visa"])
                #expect(!page.output.contains("4111") && !page.output.contains("9\n"), "\(page)")
                try await device.expect(["search", "4111"], status: 44)
                // An item without a user name has its fields right behind it.
                try await device.expect(["read", "keychain://Visa/number"], output: "4111\n")
                try await device.expect(["read", "keychain://Visa//number"], output: "4111\n")
                for name in ["other", "text", "note", "notes"] {
                    try await device.expect(["read", "keychain://Visa/\(name)"], status: 44)
                }
            }
        }

        @Test
        func `a file that is there is not overwritten, and a new one is private`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let scan = try world.writeBytes(100, to: "scan")
                try await device.expect(["attach", "Mail", scan])
                let mine = try world.write("mine", to: "keep")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644],
                    ofItemAtPath: mine
                )
                let removal = try await device.run(["edit", "Mail", "--remove", "scan"])
                expectOneSentence(removal, saying: "--yes")
                for line in [["show", "Mail", "-f", "pin"], ["detach", "Mail", "scan"]] {
                    let result = try await device.run(line + ["-o", mine])
                    #expect(result.status == 1)
                    expectOneSentence(result, saying: "is there already", "--force")
                }
                #expect(try Data(contentsOf: URL(filePath: mine)) == Data("mine".utf8))
                #expect(try await device.item("Mail").fields.contains { $0.name == "scan" })
                try await device.expect(["show", "Mail", "-f", "pin", "-o", mine, "--force"])
                #expect(try Data(contentsOf: URL(filePath: mine)) == Data("1234".utf8))
                let mode = try FileManager.default.attributesOfItem(atPath: mine)
                #expect(mode[.posixPermissions] as? Int == 0o600)
            }
        }

        @Test
        func `words of other programs and mistyped homes lead back`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                for (word, own) in [("delete", "rm"), ("get", "show"), ("ls", "list")] {
                    try await device.expect(
                        [word, "Mail"],
                        status: 1,
                        errors: "keychain: there is no command \"\(word)\";"
                            + " did you mean \"keychain \(own)\"?\n"
                    )
                }
                try await device.expect(
                    ["backup"],
                    status: 1,
                    errors: "keychain: there is no command \"backup\";"
                        + " did you mean \"sync-client backup\"?\n"
                )
                for (word, own) in [
                    ("lst", "list"), ("serach", "search"), ("cp", "copy"), ("editt", "edit"),
                    ("find-generic-pasword", "find-generic-password"),
                ] {
                    for line in [[word, "Mail"], ["help", word]] {
                        try await device.expect(
                            line,
                            status: 1,
                            errors: "keychain: there is no command \"\(word)\";"
                                + " did you mean \"keychain \(own)\"?\n"
                        )
                    }
                }
                try await device.expect(
                    ["help", "bogus"],
                    status: 1,
                    errors: "keychain: there is no command \"bogus\";"
                        + " \"keychain help\" lists all.\n"
                )
                let prompt = try await device.run(["-i"], input: "copy Mail\n")
                #expect(prompt.status == 1)
                #expect(prompt.errors.contains("run \"keychain copy\" from a shell"), "\(prompt)")
                let missing = world.path("mistyped")
                for line in [["list"], ["show", "Mail"], ["rm", "Mail", "--yes"]] {
                    let result = try await device.run(line + ["--home", missing])
                    #expect(result.status == 44)
                    expectOneSentence(result, saying: "no keychain at \(missing)", "--home")
                }
                #expect(!FileManager.default.fileExists(atPath: missing))
                try await device.expect(["list", "--tag", "nosuch"], status: 44)
                try await device.expect(["list", "--type", "crad"], status: 2)
            }
        }

        @Test
        func `text that is no SSH key is refused with what one looks like`() async throws {
            try await World.withDevice { world, device in
                let noKey = try world.write("-----BEGIN CERTIFICATE-----\n", to: "certificate")
                let key = try world.write("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n", to: "key")
                let new = ["new", "ssh-key", "--title", "Key"]
                for (line, part) in [
                    (["--field-file", "private key=\(noKey)"], "-----BEGIN … PRIVATE KEY-----"),
                    (["--field", "public key=ada@laptop"], "\"ssh-ed25519 AAAA…\""),
                ] {
                    let result = try await device.run(new + line)
                    #expect(result.status == 1, "\(result)")
                    expectOneSentence(result, saying: part)
                }
                #expect(try await device.itemNames() == [])
                try await device.expect(
                    new + [
                        "--field-file", "private key=\(key)", "--field",
                        "public key=ssh-ed25519 AAAAC3NzaC1l ada@laptop",
                    ]
                )
                let edit = try await device.run(["edit", "Key", "--set", "private key=abc"])
                expectOneSentence(edit, saying: "PRIVATE KEY-----")
            }
        }

        @Test
        func `a card's month is taken as it is printed on the card`() async throws {
            try await World.withDevice { _, device in
                for (printed, month) in [
                    ("05/27", "2027-05"), ("5/2027", "2027-05"), ("12 / 31", "2031-12"),
                    ("2027-05", "2027-05"),
                ] {
                    let card = ["new", "card", "--title", "Visa", "--field", "expires=\(printed)"]
                    try await device.expect(card)
                    #expect(try await device.item("Visa")["expires"] == month)
                    try await device.expect(["rm", "Visa", "--yes"])
                }
                for wrong in ["13/27", "05/127", "05/27/31", "/27"] {
                    let result = try await device.run([
                        "new", "card", "--title", "Visa", "--field", "expires=\(wrong)",
                    ])
                    #expect(result.status == 1, "\(result)")
                    expectOneSentence(result, saying: "takes a month as 2027-05 or 05/27")
                }
            }
        }

        @Test
        func `a renamed note is found by its new title alone, by references too`() async throws {
            try await World.withDevice { world, device in
                let text = try world.write("four\n", to: "text")
                for title in ["House", "Garden"] {
                    try await device.expect(["new", "note", title, "--text-file", text])
                }
                try await device.expect(["rename", "House", "Home"])
                try await device.expect(["read", "keychain://Home"], output: "four\n")
                try await device.expect(["read", "keychain://House"], status: 44)
                let taken = try await device.run(["rename", "Home", "Garden"])
                #expect(taken.status == 1, "\(taken)")
                expectOneSentence(taken, saying: "already an item for Garden")
                // A login's service may be what a program looks for.
                try await device.expect(["new", "--title", "Router", "--no-password"])
                try await device.expect(["rename", "Router", "Box"])
                #expect(try await device.item("Box").place == "Router")
            }
        }

        @Test
        func `a name that is no attachment is answered with the attachments`() async throws {
            try await World.withDevice { world, device in
                try await Self.add("Mail", to: device)
                let detach = ["detach", "Mail", "pin", "--yes"]
                let none = try await device.run(detach)
                #expect(none.status == 44 && none.errors == "keychain: Mail has no attachment.\n")
                let file = try world.writeBytes(10, to: "contract")
                try await device.expect(["attach", "Mail", file])
                let one = try await device.run(detach)
                let sentence = "keychain: Mail has no attachment \"pin\"; it has \"contract\".\n"
                #expect(one.status == 44 && one.errors == sentence, "\(one)")
            }
        }

        @Test
        func `a list has no near matches beside exact ones, and a search has`() async throws {
            try await World.withDevice { _, device in
                for title in ["Mail", "Manila"] { try await Self.add(title, to: device) }
                #expect(try await device.itemNames(["mail"]) == ["me@Mail"])
                let near = try await device.run(["search", "mail"])
                #expect(near.output.hasPrefix("Mail\t"), "\(near)")
                #expect(near.output.contains("\nManila\t"), "\(near)")
                // Without an exact one a slip is forgiven.
                #expect(try await device.itemNames(["mial"]).contains("me@Mail"))
            }
        }

        // MARK: Pasting

        @Test(.enabled(if: TerminalProgram.canRun))
        func `a pasted key and a pasted note are whole`() async throws {
            try await World.withDevice { _, device in
                let end = "\u{4}"
                let key = "-----BEGIN PRIVATE KEY-----\nabc\ndef\n-----END PRIVATE KEY-----\n"
                let new = try await TerminalProgram(
                    device,
                    program: "keychain",
                    ["new", "ssh-key", "--title", "Key"]
                )
                try await new.type(key + end, at: "", after: "paste it, then")
                try await new.answer("public key: ", "")
                let said = try await new.end()
                #expect(!said.contains("abc"), "\(said)")
                #expect(try await device.item("Key")["private key"] == key)

                let note = try await TerminalProgram(
                    device,
                    program: "keychain",
                    ["new", "note", "--title", "Note"]
                )
                try await note.type("alpha\necho LEAKED\n" + end, at: "", after: "Ctrl-D ends it:")
                _ = try await note.end()
                #expect(try await device.item("Note").password == "alpha\necho LEAKED")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `several lines pasted at a password are refused, and it is asked for again`()
            async throws
        {
            try await World.withDevice { _, device in
                let new = try await TerminalProgram(
                    device,
                    program: "keychain",
                    ["new", "--title", "Mail", "--site", "", "--user", "me"]
                )
                try await new.type("first\nsecond\n", at: "password (empty makes one): ")
                try await new.answer(
                    "password (empty makes one): ",
                    "one line",
                    after: "several lines were pasted"
                )
                let said = try await new.end()
                #expect(!said.contains("second"), "\(said)")
                #expect(try await device.item("Mail").password == "one line")
            }
        }

        @Test
        func `a site that cannot be one, and keys in a line of text, are refused`() async throws {
            try await World.withDevice { _, device in
                for (line, part) in [
                    (["--site", "x\u{1B}[Dy.example"], "is no address"),
                    (["--site", "x|y<z>.example"], "is no address"),
                    (["--site", "javascript:alert(1)"], "is no address"),
                    (["--site", "http://user:pw@h.example:99999/"], "is no address"),
                    (["--title", "N", "--address", "https://h.example:0"], "is no address"),
                    (["--title", "a\u{1B}[D"], "a title needs at least one character"),
                    (["--title", "N", "--user", "a\nb"], "a user name needs at least"),
                ] {
                    let result = try await device.run(["new", "login", "--no-password"] + line)
                    #expect(result.status == 1 && result.output.isEmpty, "\(line): \(result)")
                    expectOneSentence(result, saying: part)
                    #expect(try await device.itemNames() == [], "\(line)")
                }
            }
        }
    }
}
