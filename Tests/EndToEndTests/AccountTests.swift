import KSDigests
import Foundation
import KSSealing
import KSTestPrograms
import Testing

extension EndToEndTests {
    struct AccountTests {
        @Test
        func `two devices share passwords, both ways`() async throws {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("from the laptop", "one")
                try await phone.save("from the phone", "two")
                for device in [laptop, phone, laptop] {
                    let result = try await device.sync()
                    #expect(result.status == 0, "\(result)")
                    #expect(result.output.contains("pushed"))
                    #expect(result.output.contains("pulled"))
                    #expect(result.output.contains("conflicts"))
                }
                for device in devices {
                    #expect(try await device.password("from the laptop") == "one")
                    #expect(try await device.password("from the phone") == "two")
                }
                let status = try await phone.client("status")
                #expect(status.status == 0)
                #expect(status.output.contains(World.account))
                #expect(status.output.contains("phone"))
            }
        }

        /// RFC 7914: 128 · N · r bytes, for N = 2^17 and r = 8.
        @Test
        func `a sign-up spends 128 MiB on the password`() async throws {
            try await World.with { world in
                try await world.server.start()
                let device = world.device("laptop", derivation: .full)
                try await device.startDaemon()
                let result = try await device.signUp()
                #expect(result.status == 0, "\(result)")
                let daemon = try device.runningDaemon.processID
                let status = try String(contentsOfFile: "/proc/\(daemon)/status", encoding: .utf8)
                // The peak memory of the process, as the kernel reports it.
                let match = try #require(status.firstMatch(of: /VmHWM:\s*([0-9]+) kB/))
                #expect(try #require(Int(match.1)) >= 128 * 1024)
            }
        }

        @Test
        func `a login without the password or the Account Key is refused`() async throws {
            try await World.withDevices("laptop") { world, devices in
                try await devices[0].save("kept", "safe")
                _ = try await devices[0].sync()
                let phone = world.device("phone")

                let wrongPassword = try await phone.logIn(password: "another password")
                #expect(wrongPassword.status == 77)
                expectOneSentence(wrongPassword, saying: "password")

                let otherKey = AccountKey.random(from: SystemRandomSource()).text
                let wrongKey = try await phone.logIn(accountKey: otherKey)
                #expect(wrongKey.status == 77)
                expectOneSentence(wrongKey, saying: "Account Key")
                #expect(!wrongKey.errors.contains(otherKey))

                var groups = try world.accountKey.split(separator: "-").map(String.init)
                let typed = groups[3].last == "A" ? "B" : "A"
                groups[3] = groups[3].dropLast() + typed
                let slip = try await phone.logIn(accountKey: groups.joined(separator: "-"))
                #expect(slip.status == 77)
                expectOneSentence(slip, saying: "group 3")
                #expect(!slip.errors.contains(groups[3]))

                let taken = try await phone.signUp(kit: "other-kit.txt")
                #expect(taken.status == 77)
                expectOneSentence(taken, saying: "taken")
                // A kit is never overwritten, and there is none for an account that was not made.
                #expect(try await phone.signUp().status == 77)
                #expect(!FileManager.default.fileExists(atPath: world.path("other-kit.txt")))

                // After these failures the right values still work.
                let right = try await phone.logIn()
                #expect(right.status == 0, "\(right)")
                #expect(try await phone.sync().status == 0)
                #expect(try await phone.password("kept") == "safe")
            }
        }

        @Test
        func `where the server asks for an invitation, a code makes one account`() async throws {
            try await World.with { world in
                try await world.server.start(["--registration", "invite"])
                let device = world.device("laptop")
                for (code, part) in [
                    (nil, "by invitation only"), ("never-given", "does not know that invitation"),
                ] {
                    let refused = try await device.signUp(invitation: code)
                    #expect(refused.status == 77)
                    expectOneSentence(refused, saying: part)
                }
                let made = try await world.server.command("invite")
                let code = made.output.trimmingCharacters(in: .newlines)
                let signedUp = try await device.signUp(invitation: code)
                #expect(signedUp.status == 0, "\(signedUp)")
                #expect(try await device.sync().status == 0)
                #expect(!(try world.server.log).contains(code))

                let other = world.device("other")
                let second = try await other.start(
                    "sync-client",
                    [
                        "signup", "--server", world.server.url, "--pin", world.server.pin,
                        "--account", "another", "--device", "other", "--no-passcode",
                        "--password-file", world.passwordFile, "--invitation", code,
                    ]
                ).result()
                #expect(second.status == 77)
                expectOneSentence(second, saying: "That invitation was used already")
            }
        }

        @Test
        func `a server that is not the pinned one is refused`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let phone = world.device("phone")
                let other = "sha256//" + String(repeating: "A", count: 43) + "="
                let wrong = try await phone.logIn(pin: other)
                #expect(wrong.status == 77)
                expectOneSentence(wrong, saying: "compare --pin")

                for malformed in ["sha256//abc=", "", "md5//" + other.dropFirst(8), other + "="] {
                    let result = try await phone.logIn(pin: malformed)
                    #expect(result.status == 64, "pin \(malformed): \(result)")
                    #expect(result.errors.contains("pin"))
                }

                let noPin = try await phone.client(
                    "login",
                    "--server",
                    world.server.url,
                    "--account",
                    World.account,
                    "--device",
                    "phone",
                    "--no-passcode",
                    "--password-file",
                    world.passwordFile,
                    "--account-key",
                    world.accountKey
                )
                #expect(noPin.status == 77)
                expectOneSentence(noPin, saying: "--pin")
            }
        }

        @Test
        func `a certificate that has expired is refused, pinned or not`() async throws {
            try await World.with { world in
                let server = try await ExpiredServer.start(in: world)
                let device = world.device("laptop")
                for pins in [["--pin", server.pin], []] {
                    let result = try await device.start(
                        "sync-client",
                        [
                            "signup", "--server", server.url, "--account", "ada",
                            "--device", "laptop", "--no-passcode",
                            "--password-file", world.passwordFile,
                        ] + pins
                    ).result()
                    #expect(result.status == 77, "\(result)")
                    expectOneSentence(result, saying: "certificate")
                    if !pins.isEmpty { #expect(result.errors.contains("expired")) }
                }
                await server.program.kill()
            }
        }

        @Test
        func `usage errors end with 64`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                for arguments in [
                    ["signup"], ["nonsense"], ["sync", "--nonsense"], ["login"],
                    // Files that would not be read.
                    ["passcode", "remove", "--new-passcode-file", world.passwordFile],
                    ["passcode", "--lock-after", "5", "--passcode-file", world.passwordFile],
                    ["passcode", "--lock-after", "5", "--new-passcode-file", world.passwordFile],
                ] {
                    let result = try await device.start("sync-client", arguments).result()
                    #expect(result.status == 64, "\(arguments): \(result)")
                }
                #expect(try await device.client("status").output.contains("no passcode"))
                let noAccount = try await device.sync()
                #expect(noAccount.status == 1)
                expectOneSentence(noAccount, saying: "no account")
            }
        }

        @Test
        func `where there is a passcode, a new one for the account is refused with a way out`()
            async throws
        {
            try await World.with { world in
                let device = world.device("laptop")
                let passcode = try world.write("2580\n", to: "passcode")
                try await device.startDaemon()
                let set = try await device.client("passcode", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                // It is refused before the server is asked.
                let signUp = try await device.client(
                    "signup",
                    "--server",
                    "https://localhost:1",
                    "--account",
                    "ada",
                    "--password-file",
                    world.passwordFile,
                    "--passcode-file",
                    passcode
                )
                #expect(signUp.status == 77, "\(signUp)")
                expectOneSentence(signUp, saying: "leave --passcode-file out")
            }
        }

        @Test
        func `a blank name is refused first, and blanks around a name are dropped`() async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                func join(
                    _ command: String,
                    _ account: String,
                    _ device: String,
                    _ options: String...
                ) async throws -> ProgramResult {
                    let words = [
                        command, "--server", try world.server.url, "--pin", try world.server.pin,
                        "--account", account, "--device", device, "--password-file",
                        world.passwordFile,
                    ]
                    return try await laptop.start("sync-client", words + options).result()
                }
                let key = "K1-00000000-00000000-00000000"
                for (account, device) in [("ada", ""), ("ada", " \t"), ("\n ", "laptop")] {
                    let kit = world.path("kit.txt")
                    for refused in [
                        try await join("signup", account, device, "--kit", kit),
                        try await join("login", account, device, "--account-key", key),
                    ] {
                        #expect(refused.status == 64, "\(refused)")
                        #expect(refused.errors.contains("must not be empty or blank"), "\(refused)")
                    }
                    #expect(!FileManager.default.fileExists(atPath: kit))
                    #expect(!FileManager.default.fileExists(atPath: laptop.home))
                }
                let joined = try await join(
                    "signup",
                    "  Ada Lovelace ",
                    "\tmy laptop ",
                    "--kit",
                    world.path(World.kit)
                )
                #expect(joined.status == 0, "\(joined)")
                let named = "Signed up as Ada Lovelace, with this device as my laptop."
                #expect(joined.output.contains(named), "\(joined)")
                let list = try await laptop.client("devices")
                #expect(list.output.hasPrefix("my laptop  "), "\(list)")
                let phone = try await world.device("phone").logIn(account: " Ada Lovelace")
                #expect(phone.status == 0, "\(phone)")
            }
        }
    }
}
