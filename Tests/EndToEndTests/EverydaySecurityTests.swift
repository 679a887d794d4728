import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What `security` and its scripts see of items that the commands for people made.
    struct EverydaySecurityTests {
        @Test
        func `security sees the item, and nothing of its extras`() async throws {
            try await World.withDevice { world, device in
                try await EverydayTests.addBank(to: device, in: world)
                let file = try world.write("text of the attachment", to: "contract")
                try await device.expect(["attach", "My Bank", file])
                let security = try world.linkSecurity()
                for line in [
                    ["find-internet-password", "-s", "bank.example", "-g"],
                    ["dump-keychain", "-d"],
                ] {
                    let result = try await RunningProgram(
                        security,
                        ["--home", device.home] + line,
                        folder: world.folder
                    ).result()
                    let all = result.output + result.errors
                    #expect(all.contains("    0x00000007 <blob>=\"My Bank\"\n"), "\(all)")
                    #expect(all.contains("    \"icmt\"<blob>=\"two keys\"\n"), "\(all)")
                    #expect(all.contains("hunter2 "), "\(all)")
                    // Any digits may stand in the times.
                    let lines = all.split(separator: "\n").filter { !$0.contains("<timedate>") }
                    let text = lines.joined(separator: "\n")
                    for extra in [
                        "1234", "Nord", "JBSW", "money", "PIN", "branch", "one-time", "pay.example",
                        "contract", "attachment", "favorite",
                    ] {
                        #expect(!text.contains(extra), "\(line) prints \(extra)")
                    }
                }
            }
        }

        @Test
        func `what a script adds and changes keeps the fields that people add`() async throws {
            try await World.withDevice { _, device in
                let add = ["add-generic-password", "-s", "svc", "-a", "me", "-w"]
                try await device.expect(add + ["one"])
                #expect(try await device.itemNames() == ["me@svc"])
                try await device.expect(["edit", "svc", "--add", "owner=Team"])
                try await device.expect(["tag", "svc", "ci"])
                try await device.expect(add + ["two", "-U", "-j", "a comment"])
                let item = try await device.item("svc")
                #expect(item.password == "two" && item.note == "a comment")
                #expect(item["owner"] == "Team" && item.tags == ["ci"])
                #expect(item.type == "password")
                try await device.expect(
                    ["generate", "--for", "svc", "--length", "24"],
                    output: "svc  me has a new password of 157 bits\n"
                )
                // There is no history without an account.
                #expect(try await device.item("svc")["earlier password"] == "two")
                let found = try await device.run(["find-generic-password", "-s", "svc", "-w"])
                #expect(found.output.count == 25, "\(found)")
            }
        }

        @Test
        func `under the name security there are only the commands of security`() async throws {
            try await World.withDevice { world, device in
                let security = try world.linkSecurity()
                func run(_ line: [String]) async throws -> ProgramResult {
                    try await RunningProgram(
                        security,
                        ["--home", device.home] + line,
                        folder: world.folder
                    ).result()
                }
                for name in [
                    "search", "new", "edit", "rename", "rm", "tag", "fav", "attach", "detach",
                    "totp", "qr", "read", "run", "inject", "generate", "pick", "copy", "names",
                ] {
                    let result = try await run([name, "x"])
                    #expect(result.status == 1)
                    #expect(result.errors == "security: unknown command \"\(name)\"\n")
                }
                // Abbreviations mean what they mean there.
                let keychains = "    \"\(device.loginKeychain)\"\n"
                #expect(try await run(["list"]).output == keychains)
                #expect(try await run(["show", "x"]).status == 50)
                let help = try await run(["help"])
                #expect(help.status == 0 && !help.output.contains("totp"), "\(help)")
                // Under its own name only a whole name is a command for people.
                try await device.expect(["list"], output: "")
                try await device.expect(["list-keychains"], output: keychains)
                // A slip changes nothing: `security` would delete a keychain.
                try await device.expect(["create-keychain", "-p", "x", "Mail"], output: "")
                for slip in [["dele", "Mail"], ["s"], ["list-k"], ["help", "dele"]] {
                    let result = try await device.run(slip)
                    #expect(result.status == 1 || result.status == 2, "\(slip): \(result)")
                    #expect(result.errors.contains("there is no command"), "\(slip): \(result)")
                }
                let info = try await device.run(["show-keychain-info", "Mail"])
                #expect(info.status == 0, "\(info)")
                let own = try await device.run(["help"])
                #expect(own.output.contains("totp") && own.output.contains("find-key"))
            }
        }

        @Test
        func `a hidden field stays hidden when it is added again`() async throws {
            try await World.withDevice { _, device in
                try await device.expect(["new", "card", "--title", "Visa", "--field", "pin=77"])
                try await device.expect(["edit", "Visa", "--add", "pin=88", "--yes"])
                let shown = try await device.run(["show", "Visa"])
                #expect(shown.status == 0 && !shown.output.contains("88"), "\(shown)")
                // So it is where the type usually hides such a field.
                try await device.expect(["edit", "Visa", "--remove", "pin"])
                try await device.expect(["edit", "Visa", "--add", "pin=99"])
                #expect(!(try await device.run(["show", "Visa"]).output.contains("99")))
                #expect(try await device.run(["search", "99"]).output.isEmpty)
                // Unless its user says otherwise.
                try await device.expect(["edit", "Visa", "--add", "pin:text=11", "--yes"])
                #expect(try await device.run(["show", "Visa"]).output.contains("11"))
            }
        }

        @Test
        func `contradictory options and impossible addresses change nothing`() async throws {
            try await World.withDevice { _, device in
                try await device.expect([
                    "new", "--title", "Mail", "--site", "mail.example", "--user", "me",
                    "--field", "c=1", "--no-password",
                ])
                let before = try await device.run(["show", "Mail", "--secrets", "--json"]).output
                for (line, part) in [
                    (["--set", "c=9", "--remove", "c"], "stands twice"),
                    (["--remove", "user", "--set", "user=you"], "set and removed at once"),
                    (["--add-address", "http://[bad"], "no address"),
                    (["--add-address", "https://a]b.example"], "no address"),
                    (["--set", "place=http://[bad"], "no address"),
                ] {
                    let result = try await device.run(["edit", "Mail"] + line)
                    #expect(result.status != 0, "\(line): \(result)")
                    #expect(result.errors.contains(part), "\(line): \(result)")
                }
                let after = try await device.run(["show", "Mail", "--secrets", "--json"]).output
                #expect(before == after)
                try await device.expect(["edit", "Mail", "--add-address", "http://[fe80::1]:8080/"])
            }
        }
    }
}
