import Foundation
import KSTestPrograms
import Testing

/// A command on a terminal of its own, which `script` makes.
final class TerminalProgram: Sendable {
    private static let script = "/usr/bin/script"
    static let canRun = FileManager.default.isExecutableFile(atPath: script)

    private let program: RunningProgram

    var isRunning: Bool { program.isRunning }
    private var shown: String { program.output }
    private var lastLine: String { shown.components(separatedBy: "\r\n").last ?? "" }

    /// `before` and `after`: shell words around the command.
    init(
        _ device: Device,
        program: String = "sync-client",
        _ arguments: [String],
        before: String = "",
        after: String = ""
    ) async throws {
        let words = [Programs.path(program)] + arguments
        let command = before + words.map { "'\($0)'" }.joined(separator: " ") + after
        self.program = try await RunningProgram(
            Self.script,
            ["-qefc", command, "/dev/null"],
            folder: URL(filePath: device.home).deletingLastPathComponent().path,
            environment: [
                "HOME": device.home, "SHELL": "/bin/sh", "TERM": "dumb",
                "KEYCHAIN_SYNC_HOME": device.home,
            ],
            input: .typed
        )
    }

    /// Types a line after a prompt: earlier input is discarded.
    ///
    /// `after`: the text to wait for before typing.
    func answer(_ question: String, _ line: String, after earlier: String = "") async throws {
        try await type(line + "\n", at: question, after: earlier)
        _ = await eventually { lastLine != question }
    }

    func type(_ keys: String, at question: String, after earlier: String = "") async throws {
        let isAsking = await eventually {
            lastLine == question && (earlier.isEmpty || shown.contains(earlier))
        }
        try #require(isAsking, "it shows: \(shown)")
        try program.type(keys)
    }

    /// Waits for the program's end, and returns everything that it printed.
    func end() async throws -> String {
        let result = await program.result()
        try #require(result.status != -SIGKILL, "it shows: \(shown)")
        return shown
    }
}
