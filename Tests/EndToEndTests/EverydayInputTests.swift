import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Values that come from files and other programs, and what is wrong with some.
    struct EverydayInputTests {
        private static func addLogin(to device: Device, in world: World) async throws {
            try await device.expect([
                "new", "login", "--title", "Mail", "--site", "mail.example", "--user", "ada",
                "--password-file", try world.write("secret\n", to: "mail password"), "--field",
                "a=1", "--secret", "PIN=1234", "--tag", "t",
            ])
        }

        private static let show = ["show", "Mail", "--secrets", "--json"]

        // MARK: Attachments

        @Test
        func `a file of 1 MiB goes into an item and comes out again`() async throws {
            try await World.withDevice { world, device in
                try await Self.addLogin(to: device, in: world)
                let file = try world.writeBytes(1 << 20, to: "scan.pdf")
                let bytes = try Data(contentsOf: URL(filePath: file))
                try await device.expect(["attach", "Mail", file], output: "", errors: "")
                let page = try await device.run(["show", "Mail", "--secrets"])
                #expect(page.output.contains("\n  scan.pdf   file, 1 MiB\n"), "\(page)")
                let copy = world.path("copy")
                #expect(try await device.bytes(of: "scan.pdf", in: "Mail", to: copy) == bytes)
                #expect(try permissions(copy) == 0o600)

                let small = try world.write("small", to: "small")
                let replace = ["attach", "Mail", small, "--as", "scan.pdf"]
                let refused = try await device.run(replace)
                #expect(refused.status == 1)
                expectOneSentence(refused, saying: "Give --yes")
                #expect(try await device.bytes(of: "scan.pdf", in: "Mail", to: copy) == bytes)
                try await device.expect(replace + ["--yes"])
                try await device.expect(
                    ["show", "Mail", "--field", "scan.pdf"],
                    output: "small"
                )
                let taken = world.path("taken")
                try await device.expect(["detach", "Mail", "scan.pdf", "-o", taken], errors: "")
                #expect(try Data(contentsOf: URL(filePath: taken)) == Data("small".utf8))
                #expect(try permissions(taken) == 0o600)
                let item = try await device.item("Mail")
                #expect(item.fields.map(\.name) == ["a", "PIN"])
            }
        }

        // MARK: Refusals

        /// Each line is refused with one sentence, and the item is as it was.
        @Test
        func `bad input is refused with one sentence, and the item is as it was`() async throws {
            try await World.withDevice { world, device in
                try await Self.addLogin(to: device, in: world)
                let large = try world.writeBytes((1 << 20) + 1, to: "large")
                let most = try world.writeBytes(1 << 20, to: "most")
                try await device.expect(["attach", "Mail", most])
                let text = String(repeating: "x", count: (64 << 10) + 1)
                let before = try await device.run(Self.show).output
                for (line, part) in [
                    (["edit", "--add", "b=1", "--add", "b=2"], "\"b\" stands twice"),
                    (["edit", "--set", "a=2", "--otp", "no Base32!"], "not Base32"),
                    (["edit", "--otp", "otpauth://hotp/x?secret=JBSWY3DP&counter=1"], "HOTP"),
                    (["edit", "--set", "a=2", "--add", "u:url=nowhere"], "https://example.org"),
                    (["edit", "--add", "d:date=2027-02-30"], "2027-05-31"),
                    (["edit", "--add", "m:month=2027-13"], "2027-05"),
                    (["edit", "--add", "e:email=ada"], "ann@example.org"),
                    (["edit", "--add", "p:phone=none"], "telephone"),
                    (["edit", "--add", "long=\(text)"], "65537 bytes, and a field may have 65536"),
                    (["edit", "--add", "=x"], "at least one character"),
                    (["edit", "--add", "two\nlines=x"], "no control characters"),
                    (["edit", "--add", "note=x"], "the item has its own note"),
                    (["edit", "--set", "a=2", "--remove", "nothing"], "no field nothing"),
                    (["edit", "--set", "site="], "needs a title"),
                    (["edit", "--set", "site=not an address"], "not an address is no address"),
                    (["edit", "--password-file", "/nowhere"], "/nowhere cannot be read"),
                    (["edit", "--add-address", "c.example=bogus"], "domain, host, start, exact"),
                    (["edit", "--remove-address", "x.example"], "Mail has no address x.example"),
                    (["tag", "--remove", "nosuch"], "Mail has no tag nosuch; it has t."),
                    (["tag", ""], "a tag needs at least one character"),
                    (["rename", ""], "needs a title"),
                    (["attach", large], "1048577 bytes, and an attachment may have 1048576"),
                    (["attach", most, "--as", "second"], "and may have 1310720"),
                    (["attach", "/nowhere"], "/nowhere cannot be read"),
                    (["detach", "nothing", "--yes"], "no attachment \"nothing\""),
                    (["detach", "most", "-o", "/nowhere/x"], "/nowhere/x cannot be written"),
                    (["show", "--field", "nothing"], "no field \"nothing\""),
                    (["totp"], "no one-time code"), (["totp", "nothing"], "no field nothing"),
                    (["qr", "nothing"], "no field \"nothing\""),
                ] {
                    let words = [line[0], "Mail"] + line.dropFirst()
                    let result = try await device.run(words)
                    let start = line.map { $0.prefix(40) }
                    #expect(result.status != 0 && result.output.isEmpty, "\(start): \(result)")
                    expectOneSentence(result, saying: part)
                    let after = try await device.run(Self.show).output
                    #expect(after == before, "\(start) changed the item")
                }
            }
        }

        @Test
        func `what cannot be an item is refused, and makes none`() async throws {
            try await World.withDevice { world, device in
                try await Self.addLogin(to: device, in: world)
                for (line, part) in [
                    (["--title", "N", "--field", "b=1", "--secret", "b=2"], "\"b\" stands twice"),
                    (["--title", "N", "--otp", "018"], "not Base32"),
                    (["--title", "N", "--address", "not an address"], "is no address"),
                    (["--title", "N", "--site", "not an address"], "is no address"),
                    (["--title", "N", "--address", "https://"], "is no address"),
                    (["--title", "N", "--address", "c.example=bogus"], "\"bogus\" is no rule"),
                    (["--title", "N", "--address", "https://c.example="], "\"\" is no rule"),
                    (["--title", "N", "--password-file", "/nowhere"], "cannot be read"),
                    (
                        ["--title", "N", "--site", "mail.example", "--user", "ada"],
                        "already an item for mail.example with the user name ada"
                    ),
                ] {
                    let result = try await device.run(["new", "login", "--no-password"] + line)
                    #expect(result.status == 1 && result.output.isEmpty, "\(line): \(result)")
                    expectOneSentence(result, saying: part)
                    #expect(try await device.itemNames() == ["ada@Mail"], "\(line)")
                }
                for line in [["recipe", "--title", "N"], ["login"], ["login", "--colour", "red"]] {
                    let result = try await device.run(["new"] + line)
                    #expect(result.status == 2, "\(line): \(result)")
                    #expect(result.errors.contains("\nUsage: keychain new "), "\(line): \(result)")
                }
                for (line, part) in [
                    (
                        ["new", "--titel", "x"],
                        "\"keychain new\" does not take --titel; did you mean"
                    ),
                    (["new", "--fav"], "does not take --fav; did you mean --favorite?\n"),
                    (["list", "--colour", "red"], "\"keychain list\" does not take --colour.\n"),
                    (["show", "Mail", "-o", world.path("x")], "-o needs --field"),
                    (["edit", "Mail", "--before", "a"], "--before needs --add"),
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 2 && result.output.isEmpty, "\(line): \(result)")
                    #expect(result.errors.contains(part), "\(line): \(result)")
                    #expect(!FileManager.default.fileExists(atPath: world.path("x")))
                }
                let missing = try await device.run(["show", "nothing"])
                #expect(missing.status == 44)
                expectOneSentence(missing, saying: "there is no item \"nothing\"", "keychain list")
            }
        }

        @Test
        func `what is not there ends with 44, and an address may have a query`() async throws {
            try await World.withDevice { world, device in
                try await Self.addLogin(to: device, in: world)
                for line in [
                    ["tag", "Mail", "--remove", "nosuch"], ["detach", "Mail", "nosuch", "--yes"],
                    ["edit", "Mail", "--remove", "nosuch"], ["totp", "Mail", "nosuch"],
                    ["edit", "Mail", "--remove-address", "nosuch"], ["totp", "Mail"],
                ] {
                    try await device.expect(line, status: 44, output: "")
                }
                let addresses = ["https://a.example/?b=c", "https://b.example/?b=c=exact"]
                for address in addresses {
                    try await device.expect(["edit", "Mail", "--add-address", address])
                }
                #expect(
                    try await device.item("Mail").addresses == [
                        .init(url: addresses[0], match: "domain"),
                        .init(url: "https://b.example/?b=c", match: "exact"),
                    ]
                )
                try await device.expect(["edit", "Mail", "--remove-address", addresses[0]])
                #expect(try await device.item("Mail").addresses.count == 1)
            }
        }

        @Test
        func `a new keychain is announced under the program's own name`() async throws {
            try await World.with { world in
                let result = try await world.device("new").run(["list"])
                #expect(result.errors.hasPrefix("keychain: "), "\(result)")
            }
        }

        /// In a session of its own, so that no terminal of the tests passes the secret on.
        @Test
        func `without a clipboard a copy says so, and prints no secret`() async throws {
            try await World.withDevice { world, device in
                try await Self.addLogin(to: device, in: world)
                let result = try await RunningProgram(
                    words: [
                        "/usr/bin/setsid", "--wait", Programs.path("keychain"), "--home",
                        device.home, "copy", "Mail",
                    ],
                    folder: world.folder
                ).result()
                #expect(result.status == 1 && result.output.isEmpty, "\(result)")
                expectOneSentence(result, saying: "There is no clipboard")
                #expect(!result.errors.contains(".."), "\(result)")
                #expect(!result.errors.contains("secret\n"))
            }
        }

        @Test
        func `while the keychain is locked every command says so, and changes nothing`()
            async throws
        {
            try await World.withDevice { world, device in
                try await Self.addLogin(to: device, in: world)
                let before = try await device.run(Self.show).output
                let passcode = ["--passcode-file", try world.write("2580\n", to: "passcode")]
                let set = ["passcode", "set"] + passcode
                #expect(try await device.start("sync-client", set).result().status == 0)
                #expect(try await device.client("lock").status == 0)
                for line in [
                    ["list"], ["search", "mail"], ["show", "Mail"],
                    ["new", "login", "--title", "N", "--no-password"],
                    ["edit", "Mail", "--set", "a=2"],
                    ["rename", "Mail", "N"], ["rm", "Mail", "--yes"], ["tag", "Mail", "x"],
                    ["fav", "Mail"], ["attach", "Mail", world.path("passcode")],
                    ["detach", "Mail", "a", "--yes"], ["totp", "Mail"], ["qr", "Mail"],
                    ["generate", "--for", "Mail"],
                ] {
                    try await device.expect(
                        line,
                        status: 36,
                        output: "",
                        errors: "keychain: the keychain is locked;"
                            + " unlock it with \"sync-client unlock\".\n"
                    )
                }
                // A key in a shell prints nothing.
                for what in [[], ["--tags"], ["--references"]] {
                    try await device.expect(["names"] + what, output: "", errors: "")
                }
                try await device.expect(["generate"])
                let unlock = ["unlock"] + passcode
                #expect(try await device.start("sync-client", unlock).result().status == 0)
                #expect(try await device.run(Self.show).output == before)
                #expect(try await device.itemNames() == ["ada@Mail"])
            }
        }

        // MARK: Types, codes and passwords

        @Test
        func `each type has its usual fields and nothing more`() async throws {
            try await World.withDevice { world, device in
                let text = try world.write("line 1\nline 2\n", to: "text")
                try await device.expect(["new", "note", "Plan", "--text-file", text])
                try await device.expect(
                    ["show", "Plan", "--field", "password"],
                    output: "line 1\nline 2\n"
                )
                try await Self.checkText(of: "Plan", on: device, in: world)
                try await device.expect([
                    "new", "card", "--title", "Visa", "--field", "number:secret=4111", "--field",
                    "expires:month=2027-05",
                ])
                #expect(
                    try await device.item("Visa").fields == [
                        .init("number", "4111", kind: "secret"),
                        .init("expires", "2027-05", kind: "month"),
                    ]
                )
                try await device.expect(["new", "wifi", "Home", "--password-file", text])
                for type in ["identity", "ssh-key", "passkey"] {
                    let made = try await device.run(["new", type, "--title", "a \(type)"])
                    #expect(made.status == 0, "\(made)")
                    let help = try await device.run(["new", "--help"]).output
                    let names = try #require(help.firstMatch(of: try Regex("\n\(type): (.+)\n")))
                    // It says that it is empty, and what it could have.
                    let fields = String(try #require(names.output[1].substring))
                    expectOneSentence(made, saying: "it is empty", fields)
                    #expect(try await device.item("a \(type)").type == type)
                }
                for (type, name) in [("note", "@Plan"), ("card", "@Visa"), ("wifi", "@Home")] {
                    #expect(try await device.itemNames(["--type", type]) == [name])
                }
                let code = try await device.run(["qr", "Home"])
                #expect(code.status == 0 && !code.output.contains("line"), "\(code)")
                try await device.expect([
                    "new", "wifi", "Open", "--no-password", "--field", "network=Café; free",
                ])
                let open = try await device.run(["qr", "Open"])
                let written = try world.write("WIFI:T:nopass;S:Café\\; free;;\n", to: "open")
                try await device.expect(["new", "note", "Code", "--text-file", written])
                let same = try await device.run(["qr", "Code", "text"])
                #expect(open.status == 0 && open.output == same.output, "\(open) \(same)")
                let widths = Set(code.output.split(separator: "\n").map(\.count))
                #expect(widths.count == 1 && code.output.contains("█"), "\(code)")
            }
        }

        /// The secret of a note has one name in all commands.
        private static func checkText(
            of note: String,
            on device: Device,
            in world: World
        ) async throws {
            let page = try await device.run(["show", note])
            #expect(page.output.contains("\n  text     ••••••••"), "\(page)")
            try await device.expect(["edit", note, "--set", "text=changed"], errors: "")
            try await device.expect(["show", note, "--field", "text"], output: "changed\n")
            for name in [
                "", "/text", "//text", "/note", "//note", "/notes", "/password", "//password",
            ] {
                let reference = "keychain://" + note + name
                try await device.expect(["read", reference], output: "changed\n")
                let run = ["run", "-e", "A=\(reference)", "--no-masking", "--", "printenv", "A"]
                try await device.expect(run, output: "changed\n")
                let template = try world.write("{{ \(reference) }}\n", to: "template")
                try await device.expect(["inject", "-i", template], output: "changed\n")
            }
            for name in ["/other", "/username", "/otp"] {
                try await device.expect(["read", "keychain://" + note + name], status: 44)
            }
            let taken = try await device.run(["edit", note, "--add", "text=x"])
            expectOneSentence(taken, saying: "the item has its own text")
            let editor = try world.writeScript(
                #"sed -i 's/^text: changed/text: line 1/' "$1"; cat "$1""#,
                to: "editor"
            )
            let edited = try await RunningProgram(
                "keychain",
                ["--home", device.home, "edit", note],
                folder: world.folder,
                environment: ["EDITOR": editor]
            ).result()
            #expect(edited.status == 0 && !edited.output.contains("password"), "\(edited)")
            let item = try await device.item(note)
            #expect(item.password == "line 1")
            #expect(item.fields.map(\.name) == ["earlier text", "earlier text 2"])
        }

        @Test
        func `a one-time code has six digits, and the reference has the same ones`() async throws {
            try await World.withDevice { _, device in
                let code = ["--otp", "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&period=60"]
                try await device.expect(
                    [
                        "new", "login", "--title", "Site", "--site", "a.example", "--user", "me",
                        "--no-password",
                    ] + code
                )
                // Between two programs another minute may begin.
                let areEqual = try await eventually {
                    let shown = try await device.run(["totp", "Site"])
                    let read = try await device.run(["read", "keychain://a.example/me/otp"])
                    return shown.output == read.output
                        && shown.output.wholeMatch(of: /[0-9]{6}\n/) != nil
                }
                #expect(areEqual)
                let json = try await device.run(["totp", "Site", "--json"])
                let form = #/{"code":"[0-9]{6}","next":"[0-9]{6}","secondsLeft":([0-9]+)}\n/#
                let left = try #require(json.output.wholeMatch(of: form), "\(json)").output.1
                #expect((1...60).contains(Int(left) ?? 0))
                // It has both codes anyway.
                let both = try await device.run(["totp", "Site", "--next", "--json"])
                #expect(both.output.wholeMatch(of: form) != nil, "\(both)")
                let next = try await device.run(["totp", "Site", "--next"])
                #expect(next.output.wholeMatch(of: /[0-9]{6}\n/) != nil, "\(next)")
            }
        }

        @Test
        func `a generated password is as asked for, and no two are the same`() async throws {
            try await World.withDevice { _, device in
                for (options, form) in [
                    ([], "[!-~]{20}\n"), (["--length", "40"], "[!-~]{40}\n"),
                    (["--no-symbols", "--no-upper", "-l", "12"], "[a-z0-9]{12}\n"),
                    (["--words", "--length", "4", "--separator", " "], "([a-z]+ ){3}[a-z]+\n"),
                    (["--syllables"], "[A-Za-z0-9]+(-[A-Za-z0-9]+){3}\n"),
                    (["--rules", "minlength: 30; required: lower"], "[a-z]{30,}\n"),
                ] {
                    let first = try await device.run(["generate"] + options)
                    let second = try await device.run(["generate"] + options)
                    for made in [first, second] {
                        #expect(made.status == 0 && made.errors == "", "\(options): \(made)")
                        #expect(try Regex(form).wholeMatch(in: made.output) != nil, "\(made)")
                    }
                    #expect(first.output != second.output)
                }
                for (options, part) in [
                    (["--length", "3"], "one of each"), (["--length", "257"], "1 to 256"),
                    (["--rules", "lower"], "colon"),
                ] {
                    let result = try await device.run(["generate"] + options)
                    #expect(result.status != 0 && result.output.isEmpty, "\(result)")
                    expectOneSentence(result, saying: part)
                }
            }
        }
    }
}
