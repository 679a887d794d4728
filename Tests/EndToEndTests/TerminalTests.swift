import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Terminals get a progress bar, and prompts that do not show what is typed.
    @Suite(.enabled(if: TerminalProgram.canRun))
    struct TerminalTests {
        @Test
        func `an import shows its progress on a terminal, and takes the bar away`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                var rows = "name,url,username,password,note\n"
                for row in 1...40 { rows += "n,https://site\(row).example.org/,ada,secret,\n" }
                let file = try world.write(rows, to: "export.csv")
                let command = try await TerminalProgram(device, ["import", file])
                let shown = try await command.end()
                #expect(shown.contains("Importing [" + String(repeating: "#", count: 30) + "]"))
                let lines = shown.split(separator: "\r\n").map(String.init)
                let last = try #require(lines.last { $0.contains("40 rows") })
                // A message begins on a line that was erased.
                #expect(last.split(separator: "\r").last?.hasPrefix("40 rows, 40 items") == true)
                let next = try #require(lines.last { $0.contains("Layout: chrome") })
                #expect(next.contains("\r" + String(repeating: " ", count: 30)), "\(shown)")
            }
        }

        @Test
        func `a first sync shows how far it has come, up to what the server has`() async throws {
            try await World.withDevices("laptop", "phone", "tablet") { world, devices in
                let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
                for device in [phone, tablet] { await (try device.runningDaemon).stop() }
                var rows = "name,url,username,password,note\n"
                for row in 1...2500 { rows += "n,https://site\(row).example.org/,ada,secret,\n" }
                let file = try world.write(rows, to: "export.csv")
                #expect(try await laptop.client("import", file).status == 0)
                #expect(try await laptop.sync().status == 0)

                // The download begins once the program waits for it.
                try world.server.freeze()
                let command = try await waiting(phone) {
                    try await TerminalProgram(phone, ["sync"])
                }
                try world.server.thaw()
                let shown = try await command.end()
                // On a busy machine the daemon may have pulled a page before it reads the call.
                let bar = shown.firstMatch(of: /Syncing \[#*\.+\] [0-9]+\/(2500|2000)/)
                let count = try #require(bar, "\(shown)").output.1
                #expect(shown.contains("pulled \(count)"), "\(shown)")

                // A file or a pipe gets only the result.
                try world.server.freeze()
                let piped = try await waiting(tablet) {
                    try await tablet.start("sync-client", ["sync"])
                }
                try world.server.thaw()
                let said = await piped.result()
                #expect(said.status == 0 && said.errors == "", "\(said)")
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
