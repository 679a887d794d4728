import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Terminals get a line of progress, and prompts that do not show what is typed.
    @Suite(.enabled(if: TerminalProgram.canRun))
    struct TerminalTests {
        private static func rows(_ count: Int) -> String {
            (1...count).reduce(into: "name,url,username,password,note\n") { rows, row in
                rows += "n,https://site\(row).example.org/,ada,secret,\n"
            }
        }

        @Test
        func `an import shows its progress on a terminal, and takes the line away`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let file = try world.write(Self.rows(2000), to: "export.csv")
                // What takes less than a second, or five without a terminal, shows nothing.
                try device.runningDaemon.send(SIGSTOP)
                let command = try await TerminalProgram(device, ["import", file])
                let piped = try await device.start("sync-client", ["import", file])
                let json = try await device.start("sync-client", ["import", file, "--json"])
                let socket = device.home + "/run/agent.sock"
                let areWaiting = await eventually { Self.connectionCount(of: socket) >= 3 }
                await pause(milliseconds: 5100)
                try device.runningDaemon.send(SIGCONT)
                #expect(areWaiting)

                let shown = try await command.end()
                #expect(shown.contains(/\rImporting [0-9,]+ of 2,000 entries/), "\(shown)")
                let lines = shown.split(separator: "\r\n").map(String.init)
                let last = try #require(lines.last { $0.contains("2000 rows: ") })
                let end = last.split(separator: "\r").last
                #expect(end?.hasPrefix("2000 rows: ") == true, "\(shown)")
                // A message begins on a line that was erased.
                let next = try #require(lines.last { $0.contains("Layout: chrome") })
                #expect(next.contains("\r" + String(repeating: " ", count: 20)), "\(shown)")

                let said = await piped.result()
                let line = /sync-client: Importing [0-9,]+ of 2,000 entries[^\r\n]*\n/
                #expect(said.status == 0 && said.errors.prefixMatch(of: line) != nil, "\(said)")
                let answer = await json.result()
                #expect(answer.status == 0 && answer.errors == "", "\(answer)")
            }
        }

        @Test
        func `a first sync shows how far it has come, up to what the server has`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { world, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                for device in [phone, tablet] { await (try device.runningDaemon).stop() }
                let file = try world.write(Self.rows(5000), to: "export.csv")
                #expect(try await laptop.client("import", file).status == 0)
                #expect(try await laptop.sync().status == 0)

                // The download begins once the program waits for it, for more than a second.
                try world.server.freeze()
                let command = try await waiting(phone) {
                    try await TerminalProgram(phone, ["sync"])
                }
                await pause(milliseconds: 1100)
                try world.server.thaw()
                let shown = try await command.end()
                // On a busy machine the daemon may have pulled a page before it reads the call.
                let line = shown.firstMatch(of: /\rDownloading [0-9,]+ of ([345]),([05]00) changes/)
                let (_, thousands, rest) = try #require(line, "\(shown)").output
                #expect(shown.contains("pulled \(thousands)\(rest)"), "\(shown)")

                // A file or a pipe gets only the result, unless it takes long.
                try world.server.freeze()
                let piped = try await waiting(tablet) {
                    try await tablet.start("sync-client", ["sync"])
                }
                try world.server.thaw()
                let said = await piped.result()
                #expect(said.status == 0 && !said.errors.contains("\r"), "\(said)")
                #expect(said.output.contains(/^pushed 0, pulled [0-9]+, conflicts 0\n$/))
            }
        }

        /// Starts the daemon of a device, and a program that then waits for a frozen server.
        ///
        /// A daemon gives up on such a server after some seconds, and the program ends. On a busy
        /// machine that may happen before the test looks, so the program is started again.
        private func waiting<Program>(
            _ device: Device,
            _ start: () async throws -> Program
        ) async throws -> Program where Program: Waitable {
            try await device.startDaemon()
            let socket = device.home + "/run/agent.sock"
            for _ in 1...20 {
                let program = try await start()
                func isWaiting() -> Bool { Self.connectionCount(of: socket) >= 1 }
                _ = await eventually { isWaiting() || !program.isRunning }
                if isWaiting() { return program }
                await program.waitUntilEnded()
            }
            throw NeverWaitedError()
        }

        private struct NeverWaitedError: Error {}

        /// The kernel's table of sockets, read to its end: Foundation stops after the first page.
        private static func socketTable() -> String {
            let file = unsafe open("/proc/net/unix", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return "" }
            defer { close(file) }
            var (table, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
            while case let count = unsafe read(file, &part, part.count), count > 0 {
                table += part.prefix(count)
            }
            return String(decoding: table, as: UTF8.self)
        }

        /// How many programs are connected to a socket: the kernel lists each end by its path.
        private static func connectionCount(of socket: String) -> Int {
            socketTable().split(separator: "\n").count { line in
                // The listening socket has 00010000 here.
                line.hasSuffix(" " + socket)
                    && line.split(separator: " ").dropFirst(3).first == "00000000"
            }
        }

        @Test
        func `a passcode is asked for twice, and not shown`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let slip = try await TerminalProgram(device, ["passcode", "set"])
                try await slip.answer("New passcode: ", "2580")
                try await slip.answer("Repeat it: ", "2581")
                let refused = try await slip.end()
                #expect(refused.contains("differ"), "\(refused)")
                #expect(!refused.contains("258"), "\(refused)")
                #expect(try await device.client("status").output.contains("no passcode"))

                let set = try await TerminalProgram(device, ["passcode", "set"])
                try await set.answer("New passcode: ", "2580")
                try await set.answer("Repeat it: ", "2580")
                #expect(try await !set.end().contains("258"))
                #expect(try await device.client("status").output.contains("passcode set"))
            }
        }

        @Test
        func `a new account's password is asked for twice, and not shown`() async throws {
            try await World.with { world in
                try await world.server.start()
                let device = world.device("laptop")
                try await device.startDaemon()
                let arguments = [
                    "signup", "--server", try world.server.url, "--pin", try world.server.pin,
                    "--account", "ada", "--device", "laptop", "--no-passcode",
                ]
                let slip = try await TerminalProgram(device, arguments)
                try await slip.answer("Password of the account: ", "a long password")
                try await slip.answer("Repeat it: ", "a long passwort")
                let refused = try await slip.end()
                #expect(refused.contains("differ"), "\(refused)")
                #expect(!refused.contains("a long passw"), "\(refused)")
            }
        }
    }
}

extension EndToEndTests {
    /// Without `script` the tests that type are skipped, and nobody would notice.
    struct TerminalProgramTests {
        @Test
        func `on Debian, where CI runs, passwords are typed in tests`() {
            let isDebian = FileManager.default.fileExists(atPath: "/etc/debian_version")
            #expect(TerminalProgram.canRun || !isDebian)
        }
    }
}

/// A program that a test starts, on a terminal or not.
private protocol Waitable {
    var isRunning: Bool { get }
    func waitUntilEnded() async
}

extension TerminalProgram: Waitable {
    // Its output does not matter: it is started again.
    func waitUntilEnded() async { _ = try? await end() }
}

extension RunningProgram: Waitable {
    func waitUntilEnded() async { _ = await result() }
}
