import Foundation
import KSTestPrograms
import KSTestTerminals
import Testing

extension EndToEndTests {
    /// Logins of one user at one host, which differ in port, scheme, path or realm alone.
    struct EverydayTwinTests {
        /// The options of `security` that tell each from the first, and a reference by hand.
        private static let twins: [(password: String, options: [String], reference: String)] = [
            ("usual", ["-r", "htps"], "https:%2F%2Fnas.example%2F,realm=/adm"),
            ("clear", ["-r", "http"], "http:%2F%2Fnas.example/adm"),
            ("other port", ["-r", "htps", "-P", "8443"], "nas.example:8443/adm"),
            ("panel", ["-r", "htps", "-p", "/admin"], "nas.example%2Fadmin/adm"),
            ("staff", ["-r", "htps", "-d", "Staff only"], "nas.example,realm=Staff%20only/adm"),
        ]

        private static func withTwins(
            _ body: (World, Device) async throws -> Void
        ) async throws {
            try await World.withDevice { world, device in
                for twin in twins {
                    try await device.expect(
                        ["add-internet-password", "-s", "nas.example", "-a", "adm", "-l", "NAS"]
                            + twin.options + ["-w", twin.password]
                    )
                }
                try await body(world, device)
            }
        }

        /// The references that an error lists, one a line.
        private static func references(in errors: String) -> [String] {
            errors.split(separator: "\n").filter { $0.hasPrefix("  keychain://") }
                .map { String($0.dropFirst(2)) }
        }

        // MARK: References

        @Test
        func `each of the twins has a reference that people can write`() async throws {
            try await Self.withTwins { _, device in
                for twin in Self.twins {
                    try await device.expect(
                        ["read", "keychain://" + twin.reference],
                        output: twin.password + "\n",
                        errors: ""
                    )
                }
                for (reference, password) in [
                    // Hosts are the same in capital letters, and ports need no scheme.
                    ("NAS.example:8443/adm", "other port"), ("nas.example:80/adm", "clear"),
                    ("https:%2F%2Fnas.example:8443/adm/username", "adm"),
                    ("nas.example:8443%2F,realm=/adm/password", "other port"),
                ] {
                    try await device.expect(
                        ["read", "keychain://" + reference],
                        output: password + "\n"
                    )
                }
                for reference in [
                    "nas.example:8444/adm", "ftp:%2F%2Fnas.example/adm", "nas.example%2Fother/adm",
                    "nas.example,realm=Staff/adm", "nas.example:8443/eve",
                ] {
                    let result = try await device.run(["read", "keychain://" + reference])
                    #expect(result.status == 44, "\(result)")
                    expectOneSentence(result, saying: "there is no such item")
                }
            }
        }

        @Test
        func `an ambiguous reference is answered with those that work`() async throws {
            try await Self.withTwins { world, device in
                let bare = "keychain://nas.example/adm"
                let result = try await device.run(["read", bare])
                #expect(result.status == 44 && result.output.isEmpty, "\(result)")
                let start = "keychain: \(bare): 5 items match; give one of these in its place:\n"
                #expect(result.errors.hasPrefix(start), "\(result)")
                #expect(!Self.twins.contains { result.errors.contains($0.password) }, "\(result)")
                let listed = Self.references(in: result.errors)
                var values: Set<String> = []
                for reference in listed {
                    let read = try await device.run(["read", reference])
                    #expect(read.status == 0, "\(reference): \(read)")
                    values.insert(String(read.output.dropLast()))
                    // As it is, it can be typed into a shell, a file of variables and a template.
                    #expect(!reference.contains { " '\"?&*$;{}".contains($0) }, "\(reference)")
                    let run = ["run", "-e", "P=\(reference)", "--", "/usr/bin/printenv", "P"]
                    try await device.expect(run, output: "<concealed by keychain>\n")
                }
                #expect(values == Set(Self.twins.map(\.password)), "\(listed)")

                let template = try world.write("{{ \(bare) }}\n", to: "template")
                for words in [
                    ["run", "-e", "P=\(bare)", "--", "true"], ["inject", "-i", template],
                ] {
                    let refused = try await device.run(words)
                    #expect(refused.status == 44 && refused.output.isEmpty, "\(refused)")
                    #expect(Self.references(in: refused.errors) == listed, "\(refused)")
                }
                // A field of one of several items too.
                let user = try await device.run(["read", bare + "/username"])
                #expect(user.output == "adm\n", "\(user)")
                let field = try await device.run(["read", bare + "/token"])
                #expect(field.errors.contains("no such field"), "\(field)")
            }
        }

        @Test
        func `what only programs tell apart has a reference of this device`() async throws {
            try await World.withDevice { _, device in
                let add = ["-a", "ann", "-s", "svc.example"]
                for (command, password) in [
                    (["add-internet-password", "-t", "form"], "form"),
                    (["add-internet-password", "-t", "dpaa"], "two words"),
                    (["add-generic-password"], "generic"),
                ] {
                    try await device.expect(command + add + ["-w", password])
                }
                let result = try await device.run(["read", "keychain://svc.example/ann"])
                let listed = Self.references(in: result.errors)
                #expect(listed.count == 3, "\(result)")
                var values: Set<String> = []
                for reference in listed {
                    values.insert(try await device.run(["read", reference]).output)
                }
                #expect(values == ["form\n", "two words\n", "generic\n"], "\(listed)")
            }
        }

        @Test
        func `a synced item and one of this device alone have references of their own`()
            async throws
        {
            try await World.withDevice { world, device in
                for (password, options) in [("here", ["--local"]), ("everywhere", [])] {
                    let file = try world.write(password, to: "password")
                    try await device.expect(
                        ["new", "--title", "Mail", "--user", "ann", "--password-file", file]
                            + options
                    )
                }
                for (reference, password) in [
                    ("Mail,synced=no/ann", "here"), ("Mail,synced=yes/ann", "everywhere"),
                ] {
                    try await device.expect(
                        ["read", "keychain://" + reference],
                        output: password + "\n"
                    )
                }
                let result = try await device.run(["read", "keychain://Mail/ann"])
                #expect(
                    Set(Self.references(in: result.errors))
                        == ["keychain://Mail,synced=no/ann", "keychain://Mail,synced=yes/ann"],
                    "\(result)"
                )
            }
        }

        // MARK: Lists

        @Test
        func `the twins are distinguished where they are listed, and by that name`() async throws {
            try await Self.withTwins { _, device in
                let ends = [
                    "usual": " (https)", "clear": " (http)", "panel": " (/admin)",
                    "staff": " (realm Staff only)",
                ]
                let several = try await device.run(["show", "NAS"])
                #expect(several.status == 1, "\(several)")
                #expect(several.errors.contains("with its end in parentheses"), "\(several)")
                let list = try await device.run(["list"]).output
                for (password, end) in ends {
                    #expect(several.errors.contains("NAS  adm  nas.example\(end)\n"), "\(several)")
                    #expect(list.contains("\t\(end.dropFirst())\n"), "\(list)")
                    let shown = try await device.run(["show", "NAS" + end, "-f", "password"])
                    #expect(shown.output == password + "\n", "\(shown)")
                }
                #expect(several.errors.contains("NAS  adm  nas.example:8443\n"), "\(several)")
                let search = try await device.run(["search", "staff only", "--json"])
                #expect(search.output.contains("\"realm\":\"Staff only\""), "\(search)")

                let staff = "NAS" + (ends["staff"] ?? "")
                let page = try await device.run(["show", staff]).output
                #expect(page.contains("\n  realm      Staff only\n"), "\(page)")
                #expect(!page.contains("scheme") && !page.contains("path"), "\(page)")
                let clear = try await device.run(["show", "NAS" + (ends["clear"] ?? "")]).output
                #expect(clear.contains("\n  scheme     http\n"), "\(clear)")
                let panel = try await device.run(["show", "NAS" + (ends["panel"] ?? "")]).output
                #expect(panel.contains("\n  path       /admin\n"), "\(panel)")
                let json = try await device.run(["show", staff, "--json"]).output
                #expect(
                    json.contains(#""scheme":"https","path":"","realm":"Staff only""#),
                    "\(json)"
                )
                try await device.expect(["rm", staff, "--yes"])
                // An end of one that is gone means no other.
                let gone = try await device.run(["rm", staff, "--yes"])
                #expect(gone.status != 0, "\(gone)")
            }
        }

        @Test
        func `on a terminal the choice and the table show what differs`() async throws {
            try await Self.withTwins { world, device in
                func start(_ words: [String]) throws -> PseudoTerminal {
                    try PseudoTerminal(
                        Programs.path("keychain"),
                        words,
                        environment: [
                            "HOME": world.folder, "TERM": "xterm",
                            "KEYCHAIN_SYNC_HOME": device.home,
                        ],
                        columns: 120
                    )
                }
                let table = try start(["list"])
                #expect(await table.end() == 0)
                #expect(
                    table.screen.text.contains("nas.example (realm Staff only)"),
                    "\(table.screen.text)"
                )
                let choice = try start(["show", "NAS", "-f", "password"])
                #expect(await choice.waits(forText: "Which one (1-5):"))
                let lines = choice.screen.lines
                let line = try #require(lines.first { $0.contains("nas.example (/admin)") })
                choice.type(line.split(separator: " ")[0] + "\n")
                #expect(await choice.end() == 0)
                #expect(choice.screen.text.contains("\npanel"), "\(choice.screen.text)")

                let pick = try start(["pick", "/admin"])
                #expect(await pick.waits(forText: "/5"), "\(pick.screen.text)")
                pick.type("\u{15}")
                #expect(await pick.waits(forText: "(/admin)"), "\(pick.screen.text)")
                pick.type("\u{1B}")
                #expect(await pick.end() == 0)
            }
        }

        @Test
        func `twins that differ in nothing people set are distinguished by their dates`()
            async throws
        {
            try await World.withDevice { _, device in
                let add = ["add-internet-password", "-s", "svc.example", "-a", "ann", "-w", "x"]
                try await device.expect(add + ["-t", "form"])
                try await device.expect(add + ["-t", "dpaa"])
                let several = try await device.run(["show", "svc.example"])
                let names = several.errors.split(separator: "\n").filter { $0.hasPrefix("  ") }
                #expect(names.count == 2 && Set(names).count == 2, "\(several)")
                let name = try #require(names.first).dropFirst(2).split(separator: "  ").last ?? ""
                let shown = try await device.run(["show", "ann@\(name)", "--json"])
                let end = name.drop { $0 != "(" }
                let named = try await device.run(["show", "svc.example \(end)", "--json"])
                #expect(named.status == 0, "\(named), \(shown)")
            }
        }
    }
}
