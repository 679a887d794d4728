import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Mishaps around a home, and their messages.
    struct MishapTests {
        private static let add = ["add-generic-password", "-s", "s", "-a", "a", "-w", "pw"]
        private static let find = ["find-generic-password", "-s", "s", "-w"]

        private func shell(_ line: String, in world: World) async throws -> ProgramResult {
            try await RunningProgram("/bin/sh", ["-c", line], folder: world.folder).result()
        }

        // MARK: Output

        @Test
        func `output that does not fit on a full disk makes a command fail`() async throws {
            try await World.withDevice { world, device in
                try await device.expect(Self.add)
                let tool = "'\(Programs.path("keychain"))' --home '\(device.home)' "
                for line in ["find-generic-password -s s -w", "dump-keychain -d", "help"] {
                    let result = try await shell(tool + line + " >/dev/full", in: world)
                    #expect(result.status == 1, "\(line): \(result)")
                    let words = "keychain: standard output: No space left on device\n"
                    #expect(result.errors == words, "\(line)")
                }
                let status = try await shell(
                    "'\(Programs.path("sync-client"))' status --home '\(device.home)' >/dev/full",
                    in: world
                )
                #expect(status.status == 74, "\(status)")
                expectOneSentence(status, saying: "No space left on device")
            }
        }

        @Test
        func `a written file replaces a file, but not the target of a link`()
            async throws
        {
            try await World.withDevice { world, device in
                try await device.expect(Self.add)
                let file = try world.write("old", to: "dump")
                let files = FileManager.default
                try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
                let link = world.path("link")
                try files.createSymbolicLink(atPath: link, withDestinationPath: file)
                try await device.expect(["dump-keychain", "-o", link])
                #expect(try String(contentsOfFile: file, encoding: .utf8).contains("svce"))
                #expect(try files.destinationOfSymbolicLink(atPath: link) == file)
                let attributes = try files.attributesOfItem(atPath: file)
                #expect(attributes[.posixPermissions] as? Int == 0o640)
                // A device file is written to, not replaced.
                try await device.expect(["dump-keychain", "-o", "/dev/null"])
                let full = try await device.run(["dump-keychain", "-o", "/dev/full"])
                #expect(full.status == 1)
                #expect(full.errors == "security: /dev/full: No space left on device\n")
            }
        }

        // MARK: The socket

        @Test
        func `a daemon whose socket was removed continues, and can be stopped`() async throws {
            try await World.withDevice { _, device in
                let socket = device.home + "/run/agent.sock"
                try await device.expect(Self.add)
                for _ in 0..<3 {
                    try FileManager.default.removeItem(atPath: socket)
                    try await device.expect(Self.find, output: "pw\n")
                }
                try FileManager.default.removeItem(atPath: socket)
                let stopped = try await device.client("stop")
                #expect(stopped.status == 0, "\(stopped)")
                let daemon = try device.runningDaemon
                #expect(await eventually { !daemon.isRunning })
            }
        }

        @Test
        func `stop names a daemon that cannot be reached`() async throws {
            try await World.withDevice { _, device in
                let daemon = try device.runningDaemon
                kill(daemon.processID, SIGSTOP)
                let deaf = try await device.client("stop")
                #expect(deaf.status == 75, "\(deaf)")
                expectOneSentence(deaf, saying: "(process \(daemon.processID))", "not answer")
                // The daemon is frozen by now, and does not notice that its socket was removed.
                try FileManager.default.removeItem(atPath: device.home + "/run/agent.sock")
                let refused = try await device.client("stop")
                #expect(refused.status == 75, "\(refused)")
                expectOneSentence(refused, saying: "(process \(daemon.processID))", "connection")
                kill(daemon.processID, SIGCONT)
                #expect(try await device.client("stop").status == 0)
            }
        }

        // MARK: The home's files

        @Test
        func `a read-only keychain is reported until it can be written`()
            async throws
        {
            try await World.withDevice { _, device in
                try await device.expect(Self.add)
                let file = device.home + "/keychain.db"
                try await expectReadOnly(device, file)
                // The daemon needs no restart.
                await (try device.runningDaemon).kill()
                try await expectReadOnly(device, file)
                _ = try await device.client("stop")
            }
        }

        private func expectReadOnly(_ device: Device, _ file: String) async throws {
            let files = FileManager.default
            try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file)
            let refused = try await asUser(device, Self.find)
            #expect(refused.status == 52, "\(refused)")
            #expect(refused.errors.contains("cannot be written"), "\(refused)")
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let found = try await asUser(device, Self.find)
            #expect(found.output == "pw\n", "\(found)")
        }

        /// Runs as a user for whom permissions count, which they do not for root.
        private func asUser(_ device: Device, _ line: [String]) async throws -> ProgramResult {
            guard geteuid() == 0 else { return try await device.run(line) }
            let rights = "--bounding-set=-dac_override,-dac_read_search"
            let tool = [Programs.path("keychain"), "--home", device.home]
            return try await device.start(
                "/usr/bin/setpriv",
                [rights] + tool + line,
                namesHome: false
            ).result()
        }

        @Test
        func `a home that was moved while its daemon ran is called so, until stop`() async throws {
            try await World.withDevice { world, device in
                try await device.expect(Self.add)
                let moved = world.device("moved")
                try FileManager.default.moveItem(atPath: device.home, toPath: moved.home)
                let find = try await moved.run(Self.find)
                #expect(find.status == 53, "\(find)")
                for result in [find, try await moved.client("doctor")] {
                    #expect(result.status != 0 && result.errors.contains("was moved"), "\(result)")
                    #expect(result.errors.contains("sync-client stop"), "\(result)")
                }
                #expect(try await moved.client("stop").status == 0)
                try await moved.expect(Self.find, output: "pw\n")
                #expect(try await moved.client("doctor").status == 0)
                _ = try await moved.client("stop")
            }
        }

        @Test
        func `stop refuses a home that is not there, however it was named`() async throws {
            try await World.with { world in
                let program = "'\(Programs.path("sync-client"))'"
                let path = world.path("mistyped")
                for line in [
                    "\(program) stop --home '\(path)'",
                    "KEYCHAIN_SYNC_HOME='\(path)' \(program) stop",
                ] {
                    let result = try await shell(line, in: world)
                    #expect(result.status == 64, "\(line): \(result)")
                    expectOneSentence(result, saying: "There is no device at \(path)")
                }
            }
        }

        @Test
        func `keychain says why the daemon could not start`() async throws {
            try await World.withDevice { _, device in
                await (try device.runningDaemon).kill()
                let file = device.home + "/keychain.db"
                try Data(repeating: 7, count: 8192).write(to: URL(filePath: file))
                // The log has the whole message, as long as there is one.
                for suffix in ["-wal", "-shm"] {
                    try FileManager.default.removeItem(atPath: file + suffix)
                }
                try await device.expect(
                    Self.find,
                    status: 53,
                    errors: "security: The keychain file is damaged or is not a keychain; it was"
                        + " left as it is. Restore the home from a backup, or run sync-client"
                        + " reset, and then sync-client login for what the server has.\n"
                )
            }
        }

        // MARK: What is said

        @Test
        func `both programs report a missing file in the same way`() async throws {
            try await World.withDevice { world, device in
                for (file, status, words) in [
                    (".", 64, "directory"), (world.folder + "/", 64, "directory"),
                    ("nofile", 74, "No such file or directory"),
                    ("none/file", 74, "No such file or directory"),
                ] as [(String, Int32, String)] {
                    let line = ["protect", file, "--class", "none"]
                    let tool = try await device.run(line)
                    #expect(tool.status == status, "\(file): \(tool)")
                    #expect(tool.errors.contains(words), "\(file): \(tool)")
                }
                let backup = try await device.client("backup", "/none/file")
                #expect(backup.status == 74, "\(backup)")
                #expect(backup.errors.contains("cannot be written (No such file or directory)"))

                _ = try world.write("a letter", to: "letter")
                let above = "../" + URL(filePath: world.folder).lastPathComponent + "/letter"
                try await device.expect(["protect", above, "--class", "none"])
                try await device.expect(["unprotect", above])
            }
        }

        @Test
        func `a passcode is the device's password`() async throws {
            try await World.withDevice { world, device in
                let file = try world.write("2580\n", to: "passcode")
                for line in [
                    ["passcode", "set", "--password-file", file], ["lock"],
                    ["unlock", "--password-file", file], ["lock"],
                    ["unlock", "--passcode-file", file],
                ] {
                    let result = try await device.start("sync-client", line).result()
                    #expect(result.status == 0, "\(line): \(result)")
                }
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun), arguments: ["keychain", "sync-client"])
        func `an empty answer is not reported as a missing terminal`(
            program: String
        ) async throws {
            try await World.withDevice { _, device in
                let isTool = program == "keychain"
                let terminal = try await TerminalProgram(
                    device,
                    program: program,
                    isTool ? ["create-keychain", "one"] : ["passcode", "set"]
                )
                try await terminal.type(
                    "\u{4}",
                    at: isTool ? "password for new keychain: " : "New passcode: "
                )
                let shown = try await terminal.end()
                #expect(shown.lowercased().contains("nothing was typed"), "\(shown)")
                #expect(!shown.contains("no terminal"), "\(shown)")
            }
        }
    }
}
