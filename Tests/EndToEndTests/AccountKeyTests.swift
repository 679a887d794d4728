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

        private func signUp(
            _ device: Device,
            _ options: [String] = [],
            in world: World,
            server: (url: String, pin: String)? = nil,
            shell: String = #""$@""#
        ) async throws -> RunningProgram {
            try await RunningProgram(
                "/bin/bash",
                [
                    "-c", shell, "bash", Programs.path("sync-client"), "signup",
                    "--server", server?.url ?? world.server.url,
                    "--pin", server?.pin ?? world.server.pin,
                    "--account", World.account, "--device", device.name, "--no-passcode",
                    "--password-file", world.passwordFile, "--home", device.home,
                ] + options,
                folder: world.folder
            )
        }

        private func kit(_ world: World) throws -> String {
            try String(contentsOfFile: world.path(World.kit), encoding: .utf8)
        }

        private func expectPhoneJoins(_ world: World) async throws {
            let phone = world.device("phone")
            let joined = try await phone.logIn()
            #expect(joined.status == 0, "\(joined)")
        }

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
                let result = try await signUp(laptop, kit, in: world, shell: shell).result()
                // A closed pipe is not an error; a full disk is.
                #expect(result.status == (shell == Self.withoutReader ? 0 : 74), "\(result)")
                #expect(try await laptop.sync().status == 0)
                try await expectPhoneJoins(world)
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
                let result = try await signUp(laptop, in: world, shell: shell).result()
                #expect(result.status == status, "\(result)")
                expectOneSentence(result, saying: "--kit")
                try await expectNoAccount(laptop)
                // The name is free.
                let second = try await laptop.signUp()
                #expect(second.status == 0, "\(second)")
                try await expectPhoneJoins(world)
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
                try await expectPhoneJoins(world)
            }
        }

        @Test
        func `without a kit the Account Key is shown before the account is made`() async throws {
            try await World.with { world in
                try await world.server.start()
                let mute = try await MuteServer.replaceServer(of: world)
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let cutOff = try await signUp(laptop, in: world)
                try await mute.waitForSignUp()
                await mute.program.kill()
                let first = await cutOff.result()
                #expect(first.status == 69)
                expectOneSentence(first, saying: "out of reach")
                let line = try #require(first.output.split(separator: "\n").first)
                #expect(line.hasPrefix("Account Key: K1-"))
                try await world.server.start()
                // It was shown, so it is the same once more.
                let second = try await signUp(laptop, in: world).result()
                #expect(second.status == 0, "\(second)")
                #expect(second.output.hasPrefix(line + "\n"))
                let key = String(line.dropFirst("Account Key: ".count))
                let joined = try await world.device("phone").logIn(accountKey: key)
                #expect(joined.status == 0, "\(joined)")
            }
        }

        @Test
        func `a sign-up without an answer keeps its kit, and continues with it`() async throws {
            try await World.with { world in
                try await world.server.start()
                let mute = try await MuteServer.replaceServer(of: world)
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let kitOption = ["--kit", world.path(World.kit)]
                let path = world.path(World.kit)
                let cutOff = try await signUp(laptop, kitOption, in: world)
                try await mute.waitForSignUp()
                await (try laptop.runningDaemon).kill()
                let cut = await cutOff.result()
                #expect(cut.status == 75, "\(cut)")
                await mute.program.kill()
                let before = try kit(world)
                #expect(before.contains("Account Key  K1-"))
                try await world.server.start()
                // A full disk or a power cut may have left half a kit.
                try Data(before.utf8.prefix(before.utf8.count / 2)).write(to: URL(filePath: path))
                let result = try await laptop.signUp()
                #expect(result.status == 0, "\(result)")
                #expect(try kit(world) == before)
                try await expectPhoneJoins(world)
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
                let refused = try await signUp(laptop, in: world, server: server).result()
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
                let text = try self.kit(world)
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

        /// Where nobody listens, and where somebody else's server does.
        @Test(arguments: [true, false])
        func `a sign-up that reached no server leaves nothing in the way of the next one`(
            isOutOfReach: Bool
        ) async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let pin = "sha256//" + String(repeating: "A", count: 43) + "="
                let url = isOutOfReach ? "https://127.0.0.1:1" : try world.server.url
                let kitOption = ["--kit", world.path(World.kit)]
                let failed = try await signUp(laptop, kitOption, in: world, server: (url, pin))
                    .result()
                #expect(failed.status == (isOutOfReach ? 69 : 77), "\(failed)")
                #expect(!FileManager.default.fileExists(atPath: world.path(World.kit)))
                let made = try await laptop.signUp()
                #expect(made.status == 0, "\(made)")
                try await expectPhoneJoins(world)
            }
        }

        @Test
        func `a sign-up that is interrupted while it connects leaves no kit`()
            async throws
        {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let port = SilentPort()
                let kitOption = ["--kit", world.path(World.kit)]
                let server = (url: port.origin, pin: try world.server.pin)
                let interrupted = try await signUp(laptop, kitOption, in: world, server: server)
                await port.waitForCaller()
                interrupted.send(SIGINT)
                #expect(await interrupted.result().status != 0)
                // The server is asked before there is a key.
                #expect(!FileManager.default.fileExists(atPath: world.path(World.kit)))
                var made = try await laptop.signUp()
                // The daemon may not have noticed yet that the command has gone.
                for _ in 0..<100 where made.errors.contains("under way") {
                    made = try await laptop.signUp()
                }
                #expect(made.status == 0, "\(made)")
                let url = try world.server.url
                let kit = try kit(world)
                #expect(kit.contains(url), "\(kit)")
                try await expectPhoneJoins(world)
                withExtendedLifetime(port) {}
            }
        }

        @Test
        func `a sign-up that was sent and not answered keeps its kit from any other`()
            async throws
        {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let other = try await MuteServer.start(in: world)
                let kitOption = ["--kit", world.path(World.kit)]
                let cutOff = try await signUp(
                    laptop,
                    kitOption,
                    in: world,
                    server: (other.url, other.pin)
                )
                try await other.waitForSignUp()
                await other.program.kill()
                #expect(await cutOff.result().status == 69)
                let before = try kit(world)
                let refused = try await laptop.signUp()
                #expect(refused.status == 64)
                expectOneSentence(refused, saying: "already")
                #expect(try kit(world) == before)
                // Notes beside a kit are kept too.
                let notes = before + "my notes\n"
                _ = try world.write(notes, to: World.kit)
                #expect(try await laptop.signUp().status == 64)
                #expect(try kit(world) == notes)
                let made = try await laptop.signUp(kit: "other-kit.txt")
                #expect(made.status == 0, "\(made)")
            }
        }

        @Test
        func `a partial kit of an interrupted sign-up does not block the next one`() async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let path = try world.write("", to: World.kit)
                let result = try await laptop.signUp()
                #expect(result.status == 0, "\(result)")
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(mode as? Int == 0o600)
                try await expectPhoneJoins(world)
                // Any other file is not overwritten.
                let other = world.device("other")
                for (text, status) in [("my notes\n", 64), (try kit(world), 77)] as [(String, Int)]
                {
                    _ = try world.write(text, to: World.kit)
                    let refused = try await other.signUp()
                    #expect(Int(refused.status) == status)
                    expectOneSentence(refused, saying: status == 64 ? "already" : "taken")
                    #expect(try kit(world) == text)
                }
            }
        }

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
