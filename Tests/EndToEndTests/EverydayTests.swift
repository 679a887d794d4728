import Foundation
import KSCertificates
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The commands for people, on a device without an account.
    struct EverydayTests {
        /// Adds a login with some of everything.
        static func addBank(to device: Device, in world: World) async throws {
            let password = try world.write("hunter2 \n", to: "bank password")
            try await device.expect(
                [
                    "new", "login", "--title", "My Bank", "--site", "https://bank.example/login",
                    "--user", "ada", "--password-file", password, "--field", "branch=Nord",
                    "--secret", "PIN=1234", "--otp", "JBSW Y3DP EHPK 3PXP", "--tag", "money",
                    "--address", "https://pay.example=host", "--note", "two keys", "--favorite",
                ],
                output: "added My Bank  ada  bank.example\n",
                errors: ""
            )
        }

        @Test
        func `the path of a site is kept as an address, and one address has one rule`()
            async throws
        {
            try await World.withDevice { world, device in
                let site = "https://paths.example/login?a=1"
                try await device.expect(
                    ["new", "--title", "Paths", "--site", site, "--user", "ada", "--no-password"],
                    output: "added Paths  ada  paths.example\n"
                )
                let made = try await device.item("Paths")
                #expect(made.addresses == [.init(url: site, match: "domain")])
                let other = "https://paths.example/other"
                try await device.expect(["edit", "Paths", "--set", "site=\(other)"])
                #expect(try await device.item("Paths").addresses.map(\.url) == [site, other])
                // A rule that is given counts, and a bare site is no address.
                let new = ["new", "--user", "bob", "--no-password", "--site"]
                try await device.expect(new + [site, "--address", site + "=exact"])
                let named = try await device.item("bob@paths.example")
                #expect(named.addresses == [.init(url: site, match: "exact")])
                try await device.expect(new + ["https://bare.example/"])
                #expect(try await device.item("bare.example").addresses.isEmpty)
                let two = ["--address", other + "=exact", "--address", other + "=start"]
                let refused = try await device.run(new + ["rules.example"] + two)
                expectOneSentence(refused, saying: other, "one rule only")
                #expect(refused.status != 0)
            }
        }

        /// Two logins at one site.
        private static func addMails(to device: Device, in world: World) async throws {
            let password = try world.write("secret\n", to: "mail password")
            for (title, user) in [("Mail", "ada"), ("Mail work", "bob")] {
                try await device.expect([
                    "new", "login", "--title", title, "--site", "mail.example", "--user", user,
                    "--password-file", password,
                ])
            }
        }

        private static let several =
            #"keychain: "mail.example" may be any of these; name one by its whole title, or as"#
            + " user@site:\n"

        @Test
        func `two items that differ in syncing alone have names that differ`() async throws {
            try await World.withDevice { world, device in
                let file = try world.write("here\n", to: "here")
                let new = ["new", "login", "--title", "Mail", "--site", "mail.example", "--user"]
                try await device.expect(new + ["ada", "--no-password"])
                try await device.expect(new + ["ada", "--local", "--password-file", file])
                let both = try await device.run(["show", "Mail"])
                let name = "Mail  ada  mail.example"
                #expect(both.status == 1, "\(both)")
                #expect(both.errors.contains("\n  \(name) (synced)\n"), "\(both)")
                #expect(both.errors.contains("\n  \(name) (on this device only)"), "\(both)")
                let local = ["show", "Mail (on this device only)", "--secrets"]
                #expect(try await device.run(local).output.contains("here"))
                try await device.expect(["rm", "Mail (synced)", "--yes"])
                #expect(
                    try await device.run(["show", "Mail", "--secrets"]).output.contains("here")
                )
            }
        }

        // MARK: Showing

        @Test
        func `an item has what its options say, and shows its secrets only if asked`() async throws
        {
            try await World.withDevice { world, device in
                try await Self.addBank(to: device, in: world)
                try await device.expect(
                    ["list"],
                    output: "My Bank\tada\tbank.example\tlogin\tmoney\n"
                )
                let page = try await device.run(["show", "bank"])
                let lines = page.output.split(separator: "\n")
                #expect(
                    lines.dropLast().joined(separator: "\n") == """
                        My Bank  (login, favorite, synced)
                          user name      ada
                          password       ••••••••  (--secrets shows it)
                          place          bank.example
                          address        https://bank.example/login
                          address        https://pay.example  (host)
                          branch         Nord
                          PIN            ••••••••
                          one-time code  ••••••••  (keychain totp shows the code)
                          note           two keys
                          tags           money
                        """
                )
                #expect(lines.last?.hasPrefix("  changed        20") == true)

                let item = try await device.item("My Bank")
                #expect(item.password == "hunter2 ")
                #expect(item["PIN"] == "1234")
                #expect(item["one-time code"] == "otpauth://totp/?secret=JBSWY3DPEHPK3PXP")
                let hidden = try await device.run(["show", "My Bank", "--json"])
                for secret in ["hunter2", "1234", "JBSW"] {
                    #expect(!hidden.output.contains(secret))
                    #expect(!page.output.contains(secret))
                }
                for (name, value) in [
                    ("password", "hunter2 "), ("PIN", "1234"), ("Branch", "Nord"), ("user", "ada"),
                    ("site", "bank.example"), ("note", "two keys"),
                ] {
                    try await device.expect(
                        ["show", "My Bank", "--field", name],
                        output: value + "\n"
                    )
                }
            }
        }

        @Test
        func `text is shown as text, also where it is not ASCII`() async throws {
            try await World.withDevice { world, device in
                let password = try world.write("pässwörd €\n", to: "password")
                try await device.expect([
                    "new", "login", "--title", "Büro", "--site", "büro.example", "--user", "jörg",
                    "--password-file", password, "--secret", "PIN=zwölf", "--field", "ort=Köln",
                ])
                let page = try await device.run(["show", "Büro", "--secrets"]).output
                for line in ["password   pässwörd €", "PIN        zwölf", "ort        Köln"] {
                    #expect(page.contains("  \(line)\n"), "\(page)")
                }
                try await device.expect(
                    ["show", "Büro", "--field", "password"],
                    output: "pässwörd €\n"
                )
                let json = try await device.run(["show", "Büro", "--secrets", "--json"]).output
                #expect(json.contains(#""password":"pässwörd €""#), "\(json)")
                #expect(!json.contains("$data"))
            }
        }

        @Test
        func `a certificate and a key are no passwords, and have no unreadable place`()
            async throws
        {
            try await World.withDevice { world, device in
                let made = try SelfSignedCertificate.make(
                    hostNames: ["server.example"],
                    addresses: [],
                    validDays: 2,
                    now: UInt64(Date().timeIntervalSince1970)
                )
                for text in [made.certificatePEM, made.keyPEM] {
                    try await device.expect(["import", try world.write(text, to: "object.pem")])
                }
                let list = try await device.run(["list"]).output
                let cells = list.split(separator: "\n").map {
                    $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                }
                #expect(cells.map { $0[3] }.sorted() == ["certificate", "key"], "\(list)")
                #expect(cells.allSatisfy { !$0[0].isEmpty && $0[1...2] == ["", ""] }, "\(list)")
                for cell in cells {
                    let (title, type) = (cell[0], cell[3])
                    for options in [[], ["--secrets"]] {
                        let page = try await device.run(["show", title] + options).output
                        let line = try Regex("\n  \(type) +[0-9]+ bytes\n")
                        #expect(page.contains(line), "\(page)")
                        #expect(!page.contains("password") && !page.contains("place"), "\(page)")
                    }
                    let json = try await device.run(["show", title, "--secrets", "--json"]).output
                    #expect(json.contains(#""password":null,"hasPassword":false,"bytes":"#))
                    #expect(json.contains(#""place":"""#) && !json.contains("\\u"), "\(json)")
                    let bytes = try await device.bytes(of: type, in: title, to: world.path("out"))
                    #expect(json.contains(#""bytes":\#(bytes.count),"#), "\(json)")
                    let none = try await device.run(["show", title, "--field", "password"])
                    #expect(none.status == 44 && none.errors.contains("\"\(type)\""), "\(none)")
                }
            }
        }

        @Test
        func `a search looks at every word but secrets`() async throws {
            try await World.withDevice { world, device in
                try await Self.addBank(to: device, in: world)
                try await Self.addMails(to: device, in: world)
                for word in [
                    "bank", "BANK", "ban", "my bnk", "ada bank", "money", "nord", "keys", "pay.ex",
                    "pin", "branch",
                ] {
                    let found = try await device.run(["search", word])
                    #expect(found.output.hasPrefix("My Bank\t"), "\(word): \(found)")
                }
                for word in ["hunter2", "1234", "JBSWY3DP", "nowhere"] {
                    try await device.expect(
                        ["search", word],
                        status: 44,
                        output: "",
                        errors: "keychain: nothing matches.\n"
                    )
                }
                try await device.expect(["search", "1234", "--json"], output: "[]\n")
                #expect(try await device.itemNames(["mail"]) == ["ada@Mail", "bob@Mail work"])
                #expect(try await device.itemNames(["--tag", "money"]) == ["ada@My Bank"])
                #expect(try await device.itemNames(["--favorites"]) == ["ada@My Bank"])
                #expect(try await device.itemNames(["--type", "card"]) == [])
            }
        }

        // MARK: Names

        @Test
        func `a name that several items have is an error that lists them`() async throws {
            try await World.withDevice { world, device in
                try await Self.addMails(to: device, in: world)
                let before = try await device.run(["list", "--json"]).output
                for line in [
                    ["show", "mail.example"], ["edit", "mail.example", "--set", "a=b"],
                    ["rename", "mail.example", "x"], ["rm", "mail.example", "--yes"],
                    ["tag", "mail.example", "x"], ["fav", "mail.example"],
                    ["totp", "mail.example"], ["qr", "mail.example"],
                    ["generate", "--for", "mail.example"],
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 1 && result.output.isEmpty, "\(line): \(result)")
                    #expect(result.errors.hasPrefix(Self.several), "\(line): \(result)")
                    for name in ["Mail  ada", "Mail work  bob"] {
                        #expect(result.errors.contains("\n  \(name)  mail.example\n"))
                    }
                }
                #expect(try await device.run(["list", "--json"]).output == before)
                // A title in full, or a user at a site, is one item.
                #expect(try await device.item("Mail").userName == "ada")
                #expect(try await device.item("bob@mail.example").title == "Mail work")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `on a terminal one of several is chosen by its number`() async throws {
            try await World.withDevice { world, device in
                try await Self.addMails(to: device, in: world)
                let question = "Which one (1-2): "
                let show = ["show", "mail.example"]
                let choice = try await TerminalProgram(device, program: "keychain", show)
                try await choice.answer(question, "2")
                let shown = try await choice.end().replacing("\r\n", with: "\n")
                let second = try #require(
                    shown.firstMatch(of: /\n  2  (Mail[a-z ]*?)  (ada|bob)  mail\.example\n/),
                    "\(shown)"
                )
                #expect(shown.contains("\n\(second.1)  (login, synced)\n"), "\(shown)")
                #expect(shown.contains("\n  user name  \(second.2)\n"), "\(shown)")

                let wrong = try await TerminalProgram(device, program: "keychain", show)
                try await wrong.answer(question, "3")
                #expect(try await wrong.end().contains("no item was chosen, and nothing was done."))
            }
        }

        @Test
        func `a name without its quotes is no other item, and one may begin with a dash`()
            async throws
        {
            try await World.withDevice { world, device in
                try await Self.addMails(to: device, in: world)
                for line in [
                    ["show", "Mail", "work"], ["edit", "Mail", "work", "--set", "a=b"],
                    ["fav", "Mail", "work"], ["rename", "Mail", "work", "x"], ["generate", "Mail"],
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 2 && result.output.isEmpty, "\(line): \(result)")
                    #expect(result.errors.contains("is a word too many; put a name"), "\(result)")
                }
                try await device.expect(["rename", "Mail", "--", "-x"])
                #expect(try await device.itemNames() == ["ada@-x", "bob@Mail work"])
                try await device.expect(["rm", "--yes", "--", "-x"])
                #expect(try await device.itemNames() == ["bob@Mail work"])
            }
        }

        // MARK: Changing

        @Test
        func `an item is renamed, tagged, marked and edited`() async throws {
            try await World.withDevice { world, device in
                try await Self.addBank(to: device, in: world)
                try await device.expect(["rename", "My Bank", "Savings"], output: "", errors: "")
                try await device.expect(["tag", "savings", "joint", "old", "--remove", "money"])
                try await device.expect(["fav", "savings", "--off"])
                try await device.expect([
                    "edit", "Savings", "--set", "branch=Süd", "--set", "note=", "--set", "user=eve",
                    "--set", "site=savings.example", "--add", "card:secret=4111", "--before", "PIN",
                    "--remove", "one-time code",
                ])
                let item = try await device.item("eve@savings.example")
                #expect(item.title == "Savings")
                #expect(item.tags == ["joint", "old"])
                #expect(!item.favorite && item.note.isEmpty)
                #expect(
                    item.fields == [
                        .init("branch", "Süd"), .init("card", "4111", kind: "secret"),
                        .init("PIN", "1234", kind: "secret"),
                    ]
                )
                #expect(item.password == "hunter2 ")
                // The same again: the item does not count as changed.
                let before = try await device.run(["list", "--json"]).output
                try await device.expect(["edit", "Savings", "--set", "branch=Süd"])
                try await device.expect(["tag", "Savings", "old"])
                #expect(try await device.run(["list", "--json"]).output == before)
            }
        }

        @Test
        func `an item is deleted after a yes, and no other with it`() async throws {
            try await World.withDevice { world, device in
                try await Self.addMails(to: device, in: world)
                try await device.expect(
                    ["rm", "Mail"],
                    status: 1,
                    errors: "keychain: delete Mail  ada  mail.example? Give --yes, as there is no"
                        + " terminal to ask on.\n"
                )
                // A wrong name is found before anything is deleted.
                try await device.expect(["rm", "Mail", "nothing", "--yes"], status: 44)
                #expect(try await device.itemNames() == ["ada@Mail", "bob@Mail work"])
                try await device.expect(
                    ["rm", "Mail", "--yes"],
                    output: "deleted Mail  ada  mail.example\n",
                    errors: ""
                )
                #expect(try await device.itemNames() == ["bob@Mail work"])
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `on a terminal a deletion asks, and new asks for what is missing`() async throws {
            try await World.withDevice { world, device in
                let new = try await TerminalProgram(device, program: "keychain", ["new"])
                try await new.answer("title: ", "Mail")
                try await new.answer("site (empty for none): ", "mail.example")
                try await new.answer("user name: ", "ada")
                try await new.answer("password (empty makes one): ", "typed secret")
                let said = try await new.end()
                #expect(said.contains("added Mail  ada  mail.example"), "\(said)")
                #expect(!said.contains("typed secret"))
                #expect(try await device.item("Mail").password == "typed secret")

                let question = "delete Mail  ada  mail.example? [y/N] "
                for (answer, isThere) in [("", true), ("n", true), ("y", false)] {
                    let rm = try await TerminalProgram(device, program: "keychain", ["rm", "Mail"])
                    try await rm.answer(question, answer)
                    #expect(try await rm.end().contains("mail.example was kept") == isThere)
                    #expect(try await device.run(["show", "Mail"]).status == (isThere ? 0 : 44))
                }
            }
        }
    }
}
