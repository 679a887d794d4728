import Foundation
import Synchronization
import KSTestPrograms
import Testing

/// The server of a world; it keeps port and data when it is started again.
final class Server: Sendable {
    private struct Run {
        let program: RunningProgram
        let url: String
        let pin: String
    }

    let data: String
    private let folder: String
    private let programs: String
    private let newest = Mutex<Run?>(nil)

    /// `programs`: the folder of its program.
    init(folder: String, programs: String = Programs.folder) {
        (self.folder, self.programs) = (folder, programs)
        data = folder + "/server"
    }

    private var run: Run {
        get throws { try #require(newest.withLock { $0 }) }
    }

    var runningProgram: RunningProgram { get throws { try run.program } }
    var url: String { get throws { try run.url } }
    var pin: String { get throws { try run.pin } }
    var log: String { get throws { try run.program.errors } }

    /// `runner`: the words before the command line, such as those that run it on another machine.
    func start(
        _ options: [String] = [],
        address: String = "127.0.0.1:0",
        by runner: [String] = []
    ) async throws {
        let before = newest.withLock { $0?.url.dropFirst("https://".count) }.map(String.init)
        let address = before ?? address
        var program = try await begin(at: address, options, by: runner)
        // The system may have lent the port to another connection for a moment.
        for _ in 0..<20 where program.errors.contains(" is in use;") {
            await pause(milliseconds: 500)
            program = try await begin(at: address, options, by: runner)
        }
        let line = /listening on (https:\/\/[^ ]+) pin (sha256\/\/[^ ]{44})\n/
        let match = try #require(
            program.output.wholeMatch(of: line),
            "the server said: \(program.output) \(program.errors)"
        )
        newest.withLock {
            $0 = Run(program: program, url: String(match.1), pin: String(match.2))
        }
    }

    private func begin(
        at address: String,
        _ options: [String],
        by runner: [String]
    ) async throws -> RunningProgram {
        let program = try await RunningProgram(
            words: runner + [programs + "/sync-server"]
                + ["serve", "--data", data, "--listen", address, "--log-level", "debug"]
                + (options.contains("--registration") ? [] : ["--registration", "open"]) + options,
            folder: folder
        )
        _ = await program.waitForOutput { $0.contains("\n") }
        return program
    }

    /// Runs a command of the operator on the server's data.
    func command(_ arguments: String...) async throws -> ProgramResult {
        try await command(arguments)
    }

    func command(_ arguments: [String]) async throws -> ProgramResult {
        try await RunningProgram(
            programs + "/sync-server",
            arguments + ["--data", data],
            folder: folder
        ).result()
    }

    func stop() async throws { await (try run).program.stop() }

    func kill() async throws { await (try run).program.kill() }

    /// Kills the server, as a crash would.
    func crash() async throws {
        try run.program.send(SIGSEGV)
        _ = await (try run).program.result(limitSeconds: 120)
    }

    /// Freezes the server: requests wait.
    func freeze() throws { try run.program.send(SIGSTOP) }

    func thaw() throws { try run.program.send(SIGCONT) }
}
