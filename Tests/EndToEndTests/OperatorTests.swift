import Foundation
import GRDB
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What an operator does to accounts while the server runs, and what their devices see.
    struct OperatorTests {
        @Test
        func `accounts are listed, shown, limited and deleted while the server runs`() async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let laptop = devices[0]
                try await laptop.save("mail", "secret")
                #expect(try await laptop.sync().status == 0)
                let list = try await world.server.command("accounts", "list")
                #expect(list.status == 0, "\(list)")
                let lines = list.output.split(separator: "\n")
                #expect(lines.count == 2 && lines[0].hasPrefix("NAME"), "\(list)")
                let words = lines[1].split(separator: " ").map(String.init)
                #expect(words.first == World.account && words[1] == "2", "\(list)")
                #expect(words.suffix(3) == ["KiB", "default", "now"], "\(list)")
                let shown = try await world.server.command(
                    "accounts",
                    "show",
                    World.account,
                    "--json"
                )
                struct Shown: Decodable {
                    struct Member: Decodable {
                        let id: String
                        let kind: String
                    }
                    let name: String
                    let devices: Int
                    let members: [Member]
                }
                let account = try JSONDecoder().decode(Shown.self, from: Data(shown.output.utf8))
                #expect(account.name == World.account && account.devices == 2)
                let members = account.members.filter { $0.kind == "device" }.map(\.id)
                struct Listed: Decodable { let code: String }
                let known = try await laptop.client("devices", "--json").output
                let codes = try JSONDecoder().decode([Listed].self, from: Data(known.utf8))
                #expect(members.count == 2 && Set(members) == Set(codes.map(\.code)))
                let none = try await world.server.command("accounts", "show", "nobody")
                #expect(none.status == 77 && none.errors.contains("accounts list"), "\(none)")

                // A quota below what the account holds: nothing is added, the server says so.
                let quota = try await world.server.command("accounts", "quota", World.account, "1")
                #expect(quota.output.hasSuffix("its quota is 1.0 MiB\n"), "\(quota)")
                let status = try await laptop.client("status", "--json")
                #expect(status.status == 0)
                for _ in 0..<30 {
                    try await laptop.save("big-\(UUID())", String(repeating: "x", count: 40_000))
                }
                #expect(try await laptop.sync().status != 0)
                let full = try await laptop.client("status")
                #expect(full.output.contains("full"), "\(full)")
                #expect(
                    try await world.server.command("accounts", "quota", World.account, "none")
                        .status == 0
                )
                let freed = try await eventually { try await laptop.sync().status == 0 }
                #expect(freed)

                let asked = try await world.server.command("accounts", "delete", World.account)
                #expect(asked.status == 64 && asked.errors.contains("--yes"), "\(asked)")
                let gone = try await world.server.command(
                    "accounts",
                    "delete",
                    World.account,
                    "--yes"
                )
                #expect(gone.status == 0 && gone.output.hasPrefix("deleted "), "\(gone)")
                let empty = try await world.server.command("accounts", "list")
                #expect(empty.output == "This server has no account.\n")
                #expect(try await laptop.shows("mail", "secret"))
            }
        }

        @Test
        func `a suspended account is shut out with a sentence, and syncs again when it is resumed`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let suspended = try await world.server.command("accounts", "suspend", World.account)
                #expect(suspended.output == "\(World.account) is suspended\n", "\(suspended)")
                try await laptop.save("mail", "secret")
                let refused = try await laptop.sync()
                #expect(refused.status == 77, "\(refused)")
                #expect(refused.errors.contains("suspended"), "\(refused)")
                let status = try await laptop.client("status")
                #expect(status.output.contains("next         sync-client sync\n"), "\(status)")
                let list = try await world.server.command("accounts", "list")
                #expect(list.output.contains("suspended"), "\(list)")
                #expect(try await laptop.shows("mail", "secret"))
                #expect(
                    try await world.server.command("accounts", "resume", World.account).status == 0
                )
                #expect(try await eventually { try await laptop.sync().status == 0 })
                #expect(try await eventually { try await phone.sync().status == 0 })
                #expect(try await phone.shows("mail", "secret"))
            }
        }

        @Test
        func `a slip in an option's name is what the error is about`() async throws {
            try await World.with { world in
                for (words, meant) in [
                    ("serve --dat d", "--data"),
                    ("serve --data d --listn x:1 --tls-cert f", "--listen"),
                    ("invite --dat d", "--data"), ("backup file --dat d", "--data"),
                    ("restore file --dat d", "--data"), ("migrate --stor s", "--store"),
                    ("renew-secret --dat d", "--data"), ("next-pin --dat d", "--data"),
                    ("show-record ann --dat d", "--data"), ("accounts list --dat d", "--data"),
                    ("accounts delete --ye ann", "--yes"), ("stats --dat=d", "--data"),
                    ("invitations revoke 1 --dat d", "--data"), ("check --dat d", "--data"),
                ] {
                    let result = try await RunningProgram(
                        "sync-server",
                        words.split(separator: " ").map(String.init),
                        folder: world.folder
                    ).result()
                    #expect(result.status == 64, "\(result)")
                    #expect(result.errors.hasPrefix("Error: Unknown option '--"), "\(result)")
                    #expect(result.errors.contains("Did you mean '\(meant)'?"), "\(result)")
                }
                let mistyped = try await RunningProgram(
                    "sync-server",
                    ["invte", "--data", "d"],
                    folder: world.folder
                ).result()
                #expect(mistyped.status == 64, "\(mistyped)")
                let said = "Error: There is no command 'invte'. Did you mean 'invite'?"
                #expect(mistyped.errors.hasPrefix(said), "\(mistyped)")
                let missing = try await RunningProgram(
                    "sync-server",
                    ["serve"],
                    folder: world.folder
                ).result()
                #expect(missing.status == 64 && missing.errors.contains("Give --data DIR"))
                let laptop = world.device("laptop")
                let login = try await laptop.client("login", "--serve", "https://a.example")
                #expect(login.status == 64, "\(login)")
                expectOneSentence(login, saying: "'--serve'. Did you mean '--server'?")
                let json = try await laptop.client("server", "--json", "--pin", "1", "more")
                #expect(json.status == 64 && json.errors.contains("'--pin'"), "\(json)")
            }
        }

        @Test
        func `invitations are listed, revoked by number and by code, and then void`() async throws {
            try await World.with { world in
                try await world.server.start()
                var (codes, numbers): ([String], [String]) = ([], [])
                for _ in 0..<2 {
                    let made = try await world.server.command("invite")
                    codes.append(made.output.trimmingCharacters(in: .newlines))
                    let number = made.errors.split(whereSeparator: \.isWhitespace).last
                    numbers.append(String(number ?? ""))
                }
                let list = try await world.server.command("invitations", "list", "--json")
                struct Unused: Decodable {
                    let number: String
                    let ageSeconds: Int
                }
                let unused = try JSONDecoder().decode([Unused].self, from: Data(list.output.utf8))
                #expect(unused.count == 2 && unused.allSatisfy { $0.ageSeconds < 600 })
                #expect(Set(unused.map(\.number)) == Set(numbers))
                #expect(!codes.contains { list.output.contains($0) })
                let byCode = try await world.server.command("invitations", "revoke", codes[0])
                #expect(byCode.status == 0, "\(byCode)")
                let again = try await world.server.command("invitations", "revoke", codes[0])
                #expect(again.status == 77, "\(again)")
                let left = try await world.server.command("invitations", "list", "--json")
                let one = try JSONDecoder().decode([Unused].self, from: Data(left.output.utf8))
                let number = try #require(one.first?.number)
                #expect(one.count == 1 && number == numbers[1])
                #expect(try await world.server.command("invitations", "revoke", number).status == 0)
                let none = try await world.server.command("invitations", "list")
                #expect(none.output == "There is no unused invitation.\n")
                try await world.server.stop()
            }
        }

        @Test
        func `a damaged record stops nobody, is named by check, and a change puts it back`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                for number in 0..<4 { try await laptop.save("site-\(number)", "\(number)") }
                #expect(try await laptop.sync().status == 0)
                #expect(
                    try await world.server.command("check").output.contains("nothing is damaged")
                )
                let path = world.serverData + "/store.sqlite"
                try await DatabaseQueue(path: path).write { database in
                    // The records of four items and of the settings that the device has written.
                    try database.execute(sql: "UPDATE record SET siblings = x'ff'")
                }
                let found = try await world.server.command("check")
                #expect(found.status == 1 && found.output.contains("is damaged"), "\(found)")
                // A new device gets what can be read.
                let tablet = world.device("tablet")
                try await tablet.startDaemon()
                #expect(try await tablet.logIn().status == 0)
                #expect(try await tablet.sync().status == 0)
                #expect(try await tablet.shows("site-0", "0") == false)
                let repaired = try await world.server.command("check", "--repair")
                #expect(repaired.status == 0 && repaired.output.contains("left out"), "\(repaired)")
                #expect(try await world.server.command("check").status == 0)
                // The device that has them keeps them, and its next change puts one back.
                #expect(try await laptop.sync().status == 0)
                for number in 0..<4 {
                    #expect(try await laptop.shows("site-\(number)", "\(number)"))
                }
                try await laptop.save("site-0", "changed")
                #expect(try await laptop.sync().status == 0)
                #expect(try await tablet.sync().status == 0)
                #expect(try await tablet.shows("site-0", "changed"))
            }
        }

        @Test
        func `the owner deletes the account with its password, and keeps the items`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "secret")
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.sync().status == 0)
                let wrong = try world.write("not the password\n", to: "wrong")
                let refused = try await laptop.client(
                    "delete-account",
                    "--yes",
                    "--password-file",
                    wrong
                )
                #expect(refused.status == 77 && refused.errors.contains("password"), "\(refused)")
                #expect(try await laptop.sync().status == 0)
                let unasked = try await laptop.client(
                    "delete-account",
                    "--password-file",
                    world.passwordFile
                )
                #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
                let gone = try await laptop.client(
                    "delete-account",
                    "--yes",
                    "--password-file",
                    world.passwordFile
                )
                #expect(gone.status == 0, "\(gone)")
                #expect(gone.output.hasPrefix("Deleted the account \(World.account);"), "\(gone)")
                #expect(try await laptop.keychain("list").output.contains("mail"))
                let list = try await world.server.command("accounts", "list")
                #expect(list.output == "This server has no account.\n")
                let other = try await phone.sync()
                #expect(other.status == 77 && other.errors.contains("rebuild"), "\(other)")
                #expect(try await phone.client("logout", "--keep-items").status == 0)
                #expect(try await phone.keychain("list").output.contains("mail"))
            }
        }
    }
}
