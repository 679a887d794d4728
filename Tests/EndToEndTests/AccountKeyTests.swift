import Foundation
import KSTestPrograms
import KSTestSupport
import Testing

extension EndToEndTests {
    /// A sign-up keeps its Account Key as long as an account may need it.
    struct AccountKeyTests {
        /// Runs a command whose standard output is a pipe without a reader.
        private static let withoutReader =
            #"mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; exec "$@" >&4"#

        private func expectNoAccount(_ device: Device) async throws {
            let sync = try await device.sync()
            #expect(sync.status == 1)
            expectOneSentence(sync, saying: "no account")
        }

        @Test(arguments: [withoutReader, #""$@" >/dev/full"#])
        func `a kit is complete before the first output`(shell: String) async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let kit = ["--kit", world.path(World.kit)]
                let result = try await laptop.startSignUp(kit, shell: shell).result()
                // A closed pipe is not an error; a full disk is.
                #expect(result.status == (shell == Self.withoutReader ? 0 : 74), "\(result)")
                #expect(try await laptop.sync().status == 0)
                try await world.expectPhoneJoins()
            }
        }

        @Test(
            arguments: [
                (withoutReader, 74), (#""$@" >/dev/full"#, 74), (#""$@" >/dev/null"#, 64),
                (#""$@" >&-"#, 64),
            ] as [(String, Int32)]
        )
        func `without a kit or an output for the Account Key no account is made`(
            shell: String,
            status: Int32
        ) async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let result = try await laptop.startSignUp(shell: shell).result()
                #expect(result.status == status, "\(result)")
                expectOneSentence(result, saying: "--kit")
                try await expectNoAccount(laptop)
                // The name is free.
                let second = try await laptop.signUp()
                #expect(second.status == 0, "\(second)")
                try await world.expectPhoneJoins()
            }
        }

        @Test
        func `with a kit the Account Key is in that file alone`() async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let result = try await laptop.signUp()
                #expect(result.status == 0, "\(result)")
                let key = try world.accountKey
                #expect(!result.output.contains(key) && !result.errors.contains(key))
                #expect(result.output.contains("is in \(world.path(World.kit)): "), "\(result)")
                try await world.expectPhoneJoins()
            }
        }

        @Test
        func `without a kit the Account Key is shown before the account is made`() async throws {
            try await World.with { world in
                try await world.server.start()
                let mute = try await MuteServer.replaceServer(of: world)
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let cutOff = try await laptop.startSignUp()
                try await mute.waitForSignUp()
                await mute.program.kill()
                let first = await cutOff.result()
                #expect(first.status == 69)
                expectOneSentence(first, saying: "out of reach")
                let line = try #require(first.output.split(separator: "\n").first)
                #expect(line.hasPrefix("Account Key: K1-"))
                try await world.server.start()
                // It was shown, so it is the same once more.
                let second = try await laptop.startSignUp().result()
                #expect(second.status == 0, "\(second)")
                #expect(second.output.hasPrefix(line + "\n"))
                let key = String(line.dropFirst("Account Key: ".count))
                let joined = try await world.device("phone").logIn(accountKey: key)
                #expect(joined.status == 0, "\(joined)")
            }
        }

        /// The server says no before there is a key to lose.
        @Test(arguments: ["taken", "closed", "elsewhere", "away"])
        func `a sign-up that the server would refuse shows no Account Key`(
            reason: String
        ) async throws {
            try await World.with { world in
                let options = ["closed": ["--registration", "closed"]][reason] ?? []
                try await world.server.start(options)
                let phone = world.device("phone")
                if reason == "taken" { #expect(try await phone.signUp().status == 0) }
                let laptop = world.device("laptop")
                let pin = "sha256//" + String(repeating: "A", count: 43) + "="
                let server = try (world.server.url, reason == "elsewhere" ? pin : world.server.pin)
                if reason == "away" { try await world.server.stop() }
                let refused = try await laptop.startSignUp(server: server).result()
                #expect(refused.status == (reason == "away" ? 69 : 77), "\(refused)")
                #expect(refused.output.isEmpty)
                expectOneSentence(refused)
            }
        }

        /// Without a terminal a password is a line of standard input, which is empty here.
        @Test
        func `server and pin are checked before the password is asked for`() async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                let pin = "sha256//" + String(repeating: "A", count: 43) + "="
                let url = try world.server.url
                func join(_ words: [String]) async throws -> ProgramResult {
                    let names = ["--account", "ada", "--device", "laptop", "--home", laptop.home]
                    return try await RunningProgram(
                        "/usr/bin/setsid",
                        ["--wait", Programs.path("sync-client")] + words + names,
                        folder: world.folder
                    ).result()
                }
                let key = ["--account-key", "K1-00000-00000-00000-00000-00000-00000-00"]
                for (words, status) in [
                    (["signup", "--server", url, "--pin", pin], 77),
                    (["signup", "--server", "https://127.0.0.1:1"], 69),
                    (["signup", "--server", "http://sync.example.org"], 64),
                    (["signup", "--server", url, "--pin", "sha256//short"], 64),
                    (["login", "--server", url, "--pin", pin], 77),
                    // A mistyped key is found first, without the server.
                    (["login", "--server", "https://127.0.0.1:1"] + key, 77),
                ] as [([String], Int32)] {
                    let result = try await join(words)
                    #expect(result.status == status, "\(words): \(result)")
                    #expect(!result.errors.contains("terminal"), "\(words): \(result)")
                }
                let right = try await join(["signup", "--server", url, "--pin", world.server.pin])
                #expect(right.status == 64 && right.errors.contains("terminal"), "\(right)")
                // A password of the wrong form needs no server.
                let short = try world.write("short", to: "short")
                let form = ["--password-file", short, "--server", "https://127.0.0.1:1"]
                let refused = try await join(["signup"] + form)
                #expect(refused.status == 64 && refused.errors.contains("too short"), "\(refused)")
            }
        }

        @Test
        func `a kit has all that a login needs, and options win over it`() async throws {
            try await World.withDevices("laptop") { world, _ in
                func logIn(
                    _ name: String,
                    _ words: [String],
                    input: String = ""
                ) async throws -> ProgramResult {
                    let device = world.device(name)
                    return try await device.start(
                        "sync-client",
                        ["login", "--device", name, "--no-passcode"] + words,
                        input: input
                    ).result()
                }
                let (kit, password) = (world.path(World.kit), world.passwordFile)
                let key = try world.accountKey
                let file = ["--password-file", password]
                let byKit = try await logIn("phone", ["--kit", kit] + file)
                #expect(byKit.status == 0, "\(byKit)")
                let text = try world.kitText()
                let piped = try await logIn("tablet", ["--kit", "-"] + file, input: text)
                #expect(piped.status == 0, "\(piped)")

                let wrong = try world.write(text.replacing(key, with: Self.otherKey), to: "wrong")
                let refused = try await logIn("desk", ["--kit", wrong] + file)
                #expect(refused.status == 77, "\(refused)")
                let keyFile = try world.write(key + "\n", to: "key")
                let won = try await logIn(
                    "desk",
                    ["--kit", wrong, "--account-key-file", keyFile] + file
                )
                #expect(won.status == 0, "\(won)")
                let away = try await logIn(
                    "shelf",
                    ["--kit", kit, "--server", "https://127.0.0.1:1"] + file
                )
                #expect(away.status == 69, "\(away)")
                let notes = try await logIn("shelf", ["--kit", password] + file)
                #expect(notes.status == 64 && notes.errors.contains("is not a kit"), "\(notes)")
                let both = try await logIn("shelf", ["--kit", "-", "--password-file", "-"])
                #expect(both.status == 64, "\(both)")
            }
        }

        private static let otherKey = "K1-00000-00000-00000-00000-00000-00000"

        @Test
        func `an unusable password file is named, with what to do`() async throws {
            try await World.with { world in
                let laptop = world.device("laptop")
                for (file, part) in [
                    (world.path("none"), "No such file"),
                    (try world.write("one\ntwo\n", to: "lines"), "single line"),
                    (try world.write(String(repeating: "x", count: 5000), to: "long"), "larger"),
                ] {
                    let result = try await laptop.start(
                        "sync-client",
                        [
                            "signup", "--server", "https://127.0.0.1:1", "--account", "ada",
                            "--device", "laptop", "--no-passcode", "--password-file", file,
                        ]
                    ).result()
                    #expect(result.status != 0)
                    expectOneSentence(result, saying: file, part, ": ")
                }
            }
        }

        @Test
        func `a wrong server address is reported, and the account name stays free`()
            async throws
        {
            try await World.with { world in
                let elsewhere = ["--origin", "https://sync.example.org"]
                try await world.server.start(elsewhere)
                let laptop = world.device("laptop")
                let phone = world.device("phone")
                try await laptop.startDaemon()
                let refused = try await laptop.signUp()
                #expect(refused.status == 77)
                expectOneSentence(refused, saying: try world.server.url, "--origin")
                #expect(!FileManager.default.fileExists(atPath: world.path(World.kit)))
                try await expectNoAccount(laptop)

                try await world.server.stop()
                try await world.server.start()
                let made = try await laptop.signUp()
                #expect(made.status == 0, "\(made)")

                try await world.server.stop()
                try await world.server.start(elsewhere)
                let login = try await phone.logIn()
                #expect(login.status == 77)
                expectOneSentence(login, saying: try world.server.url, "--origin")
                #expect(!login.errors.contains("assword"))
                try await laptop.restartDaemonAfterKill()
                let sync = try await laptop.sync()
                #expect(sync.status == 77)
                expectOneSentence(sync, saying: "address", "--origin")
            }
        }
    }
}
