import Foundation
import Testing

extension EndToEndTests {
    /// What only a terminal gets: a bar, and questions whose answers nobody sees.
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
                let command = try TerminalProgram(device, ["import", file])
                let shown = try await command.end()
                #expect(shown.contains("Importing [" + String(repeating: "#", count: 30) + "]"))
                let lines = shown.split(separator: "\r\n").map(String.init)
                let last = try #require(lines.last { $0.contains("40 rows") })
                // What is said stands at the beginning of a line that was wiped.
                #expect(last.split(separator: "\r").last?.hasPrefix("40 rows, 40 items") == true)
                #expect(last.contains("\r" + String(repeating: " ", count: 30)), "\(shown)")
            }
        }

        @Test
        func `a first sync shows how far it has come, up to what the server has`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                await (try phone.runningDaemon).stop()
                var rows = "name,url,username,password,note\n"
                for row in 1...2500 { rows += "n,https://site\(row).example.org/,ada,secret,\n" }
                let file = try world.write(rows, to: "export.csv")
                #expect(try await laptop.client("import", file).status == 0)
                #expect(try await laptop.sync().status == 0)

                // It begins only once somebody looks.
                try world.server.freeze()
                try await phone.startDaemon()
                let command = try TerminalProgram(phone, ["sync"])
                let piped = try phone.start("sync-client", ["sync"])
                // Both have to reach the daemon before it goes on by itself.
                let socket = phone.home + "/run/agent.sock"
                try #require(await eventually { Self.connectionCount(of: socket) >= 2 })
                await pause(milliseconds: 300)
                try world.server.thaw()
                let shown = try await command.end()
                #expect(shown.contains(/Syncing \[#*\.+\] [0-9]+\/2500/), "\(shown)")
                #expect(shown.contains("pulled 2500"), "\(shown)")
                // A file or a pipe gets the result alone.
                let said = await piped.result()
                #expect(said.status == 0 && said.errors == "", "\(said)")
                #expect(said.output.contains(/^pushed 0, pulled [0-9]+, conflicts 0\n$/))
            }
        }

        /// How many programs are connected to a socket: the kernel lists its ends under its name.
        private static func connectionCount(of socket: String) -> Int {
            // What cannot be read lists nothing.
            let table = (try? String(contentsOfFile: "/proc/net/unix", encoding: .utf8)) ?? ""
            return table.split(separator: "\n").count { line in
                // The one that listens has 00010000 here.
                line.hasSuffix(" " + socket)
                    && line.split(separator: " ").dropFirst(3).first == "00000000"
            }
        }

        @Test
        func `a passcode is asked for twice, and not shown`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let slip = try TerminalProgram(device, ["passcode", "set"])
                try await slip.answer("New passcode: ", "2580")
                try await slip.answer("The same once more: ", "2581")
                let refused = try await slip.end()
                #expect(refused.contains("differ"), "\(refused)")
                #expect(!refused.contains("258"), "\(refused)")
                #expect(try await device.client("status").output.contains("no passcode"))

                let set = try TerminalProgram(device, ["passcode", "set"])
                try await set.answer("New passcode: ", "2580")
                try await set.answer("The same once more: ", "2580")
                #expect(try await !set.end().contains("258"))
                #expect(try await device.client("status").output.contains("passcode set"))
            }
        }

        @Test
        func `a new account's password is asked for twice, and not shown`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let arguments = [
                    "signup", "--server", "https://127.0.0.1:9", "--account", "ada", "--device",
                    "laptop", "--no-passcode",
                ]
                let slip = try TerminalProgram(device, arguments)
                try await slip.answer("Password of the account: ", "a long password")
                try await slip.answer("The same once more: ", "a long passwort")
                let refused = try await slip.end()
                #expect(refused.contains("differ"), "\(refused)")
                #expect(!refused.contains("a long passw"), "\(refused)")
            }
        }
    }
}

extension EndToEndTests {
    /// Without `script` the tests that type are left out, which nobody notices.
    struct TerminalProgramTests {
        @Test
        func `on Debian, where CI runs, passwords are typed in tests`() {
            let isDebian = FileManager.default.fileExists(atPath: "/etc/debian_version")
            #expect(TerminalProgram.canRun || !isDebian)
        }
    }
}

/// A command on a terminal of its own, which `script` makes.
final class TerminalProgram: Sendable {
    private static let script = "/usr/bin/script"
    static let canRun = FileManager.default.isExecutableFile(atPath: script)

    private let process: Process
    private let input = Pipe()
    private let shownPath: String

    private var lastLine: String { shown.components(separatedBy: "\r\n").last ?? "" }

    /// `before` and `after`: shell words around the command.
    init(
        _ device: Device,
        program: String = "sync-client",
        _ arguments: [String],
        before: String = "",
        after: String = ""
    ) throws {
        shownPath = device.home + "-" + UUID().uuidString + ".shown"
        try Data().write(to: URL(filePath: shownPath))
        let words = [Programs.path(program)] + arguments
        let command = before + words.map { "'\($0)'" }.joined(separator: " ") + after
        process = Process()
        process.executableURL = URL(filePath: Self.script)
        process.arguments = ["-qefc", command, "/dev/null"]
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": device.home, "SHELL": "/bin/sh", "TERM": "dumb",
            "KEYCHAIN_SYNC_HOME": device.home,
        ]
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: shownPath))
        try process.run()
        Programs.started(process)
    }

    private var shown: String {
        // What cannot be read was not shown.
        String(decoding: (try? Data(contentsOf: URL(filePath: shownPath))) ?? Data(), as: UTF8.self)
    }

    /// Types a line when it is asked for: what is typed before is thrown away.
    ///
    /// `after`: what has to be shown before the question.
    func answer(_ question: String, _ line: String, after earlier: String = "") async throws {
        try await type(line + "\n", at: question, after: earlier)
        _ = await eventually { lastLine != question }
    }

    func type(_ keys: String, at question: String, after earlier: String = "") async throws {
        let isAsking = await eventually {
            lastLine == question && (earlier.isEmpty || shown.contains(earlier))
        }
        try #require(isAsking, "it shows: \(shown)")
        try input.fileHandleForWriting.write(contentsOf: Data(keys.utf8))
    }

    /// Waits for its end: all that it has shown.
    func end() async throws -> String {
        try #require(await eventually(seconds: 300) { !process.isRunning }, "it shows: \(shown)")
        return shown
    }
}
