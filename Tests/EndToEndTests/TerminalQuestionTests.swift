import Foundation
import KSTestPrograms
import KSTestTerminals
import Testing

extension EndToEndTests {
    /// What commands ask and show on a terminal, beside prompts for secrets.
    @Suite(.enabled(if: TerminalProgram.canRun))
    struct TerminalQuestionTests {
        // MARK: Questions

        @Test
        func `rebuild asks before it makes the account again, and does nothing without a yes`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let (laptop, server) = (devices[0], world.server)
                try await laptop.save("kept", "one")
                #expect(try await laptop.sync().status == 0)
                try await server.stop()
                // The certificate stays.
                for name in try FileManager.default.contentsOfDirectory(atPath: server.data)
                where name.hasPrefix("store") {
                    try FileManager.default.removeItem(atPath: server.data + "/" + name)
                }
                try await server.start()
                let question =
                    "\(try server.url) does not have this account. Make it there again, with"
                    + " 1 device and all that they hold? [y/N]: "
                for answer in ["n", ""] {
                    let no = try await TerminalProgram(laptop, ["server", "rebuild"])
                    try await no.answer(question, answer)
                    let shown = try await no.end()
                    #expect(shown.contains("Nothing was changed."), "\(shown)")
                    let lost = try await laptop.sync()
                    #expect(lost.status == 77, "\(lost)")
                }
                let yes = try await TerminalProgram(laptop, ["server", "rebuild"])
                try await yes.answer(question, "y")
                let shown = try await yes.end()
                #expect(shown.contains("The account is on the server again"), "\(shown)")
                #expect(try await eventually { try await laptop.sync().status == 0 })
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                #expect(try await fresh.password("kept") == "one")
            }
        }

        @Test
        func `restore asks whether to bring back what the account has deleted`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let phrase = try world.write("a b c d e f\n", to: "phrase")
                let passphrase = ["--passphrase-file", phrase]
                for service in ["a", "b"] { try await laptop.save(service, "one") }
                let file = world.path("backup")
                let backup = try await laptop.start("sync-client", ["backup", file] + passphrase)
                #expect(await backup.result().status == 0)
                let line = ["delete-generic-password", "--sync", "-s", "a", "-a", "ada"]
                #expect(try await laptop.start("keychain", line).result().status == 0)
                #expect(try await laptop.sync().status == 0)

                let question =
                    "The account has deleted 1 item or value since the backup."
                    + " Restore it on all devices? [y/N] "
                let no = try await TerminalProgram(laptop, ["restore", file] + passphrase)
                try await no.answer(question, "n")
                let left = try await no.end()
                #expect(left.contains("1 unchanged, 1 left out"), "\(left)")
                #expect(!left.contains("--undelete"), "\(left)")
                #expect(try await laptop.shows("a", nil))
                let yes = try await TerminalProgram(laptop, ["restore", file] + passphrase)
                try await yes.answer(question, "y")
                let restored = try await yes.end()
                #expect(restored.contains("1 added, 0 joined, 1 unchanged"), "\(restored)")
                #expect(try await laptop.shows("a", "one"))
            }
        }

        // MARK: keychain

        private static func start(
            _ arguments: [String],
            _ device: Device,
            in world: World
        ) throws -> PseudoTerminal {
            try PseudoTerminal(
                Programs.path("keychain"),
                arguments,
                environment: [
                    "HOME": world.folder, "PATH": "/usr/bin:/bin", "TERM": "xterm",
                    "KEYCHAIN_SYNC_HOME": device.home,
                ],
                rows: 30
            )
        }

        @Test
        func `a watched one-time code counts its seconds down on one line until Ctrl-C`()
            async throws
        {
            try await World.withDevice { world, device in
                try await device.expect([
                    "new", "login", "--title", "Mail", "--site", "mail.example", "--user", "ada",
                    "--no-password", "--otp", "JBSWY3DPEHPK3PXP",
                ])
                let watch = try Self.start(["totp", "Mail", "--watch"], device, in: world)
                let line = /\r([0-9]{6})  \[(#*)(\.*)\] ([0-9]+) s/
                let color = /\x1B\[[0-9;]*m/
                #expect(
                    await watch.waits { watch in
                        let text = watch.text.replacing(color, with: "")
                        return Set(text.matches(of: line).map(\.4)).count >= 2
                    },
                    "\(watch.screen.text)"
                )
                for match in watch.text.replacing(color, with: "").matches(of: line) {
                    let seconds = try #require(Int(match.4))
                    #expect((1...30).contains(seconds))
                    #expect(match.2.count == seconds * 20 / 30)
                    #expect(match.2.count + match.3.count == 20)
                }
                #expect(watch.screen.lines.count { !$0.isEmpty } == 1, "\(watch.screen.text)")
                watch.type("\u{3}")
                #expect(await watch.end() == -SIGINT)
            }
        }

        @Test
        func `keychain alone shows the commands of a day`() async throws {
            try await World.withDevice { world, device in
                let terminal = try Self.start([], device, in: world)
                #expect(await terminal.end() == 0, "\(terminal.screen.text)")
                let lines = terminal.screen.lines
                #expect(lines.first == "Usage: keychain COMMAND ...")
                let commands = lines.dropFirst().prefix { !$0.isEmpty }
                    .compactMap { $0.split(separator: " ").first.map(String.init) }
                #expect(
                    commands == [
                        "list", "search", "show", "copy", "pick", "totp", "new", "edit",
                        "generate", "rename", "rm", "tag",
                    ],
                    "\(lines)"
                )
                for name in ["setup", "import", "backup"] {
                    #expect(terminal.screen.text.contains("sync-client \(name)"))
                }
                // Elsewhere the usage is an error, as `security` has it.
                let piped = try await device.run([])
                #expect(piped.status == 2, "\(piped)")
            }
        }
    }
}
