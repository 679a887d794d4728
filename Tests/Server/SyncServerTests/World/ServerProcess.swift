import Foundation
import KSTestPrograms
import Testing

/// A failure as an operator sees it: one sentence only.
func expectOneSentence(
    _ result: ProgramResult,
    saying part: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = result.errors.trimmingCharacters(in: .newlines)
    #expect(text.hasPrefix("sync-server: "), "it says: \(text)", sourceLocation: sourceLocation)
    #expect(!text.contains("\n"), "more than one line: \(text)", sourceLocation: sourceLocation)
    #expect(text.hasSuffix("."), "no sentence: \(text)", sourceLocation: sourceLocation)
    #expect(text.contains(part), "it says: \(text)", sourceLocation: sourceLocation)
    for inside in ["Error", "Swift.", ".swift", "fatal", "refused: "] {
        #expect(!text.contains(inside), "it says: \(text)", sourceLocation: sourceLocation)
    }
}

/// The built program, run as an operator runs it.
enum ServerProgram {
    /// The environment has the sanitizers' options.
    static let environment = ProcessInfo.processInfo.environment

    /// Runs a command to its end.
    static func run(
        _ arguments: [String],
        program: String = "sync-server"
    ) async throws -> ProgramResult {
        try await Programs.run(program, arguments, environment: environment)
    }
}

/// A server in a process of its own, which ends with the test.
final class ServerProcess: Sendable {
    let url: String
    let pin: String
    let port: Int
    private let program: RunningProgram
    private let folder: TemporaryDirectory

    var processID: Int32 { program.processID }
    /// The lines that the server has logged so far.
    var log: String { program.errors }

    private init(
        program: RunningProgram,
        folder: TemporaryDirectory,
        url: String,
        pin: String,
        port: Int
    ) {
        self.program = program
        self.folder = folder
        self.url = url
        self.pin = pin
        self.port = port
    }

    /// Starts it on a free port, and waits for its one line.
    static func start(data: String, arguments: [String] = []) async throws -> ServerProcess {
        let folder = try TemporaryDirectory()
        let program = try await RunningProgram(
            "sync-server",
            ["serve", "--data", data, "--listen", "127.0.0.1:0"]
                + (arguments.contains("--registration") ? [] : ["--registration", "open"])
                + arguments,
            folder: folder.path,
            environment: ServerProgram.environment
        )
        _ = await program.waitForOutput { $0.contains("\n") }
        let line = program.output
        guard
            let match = line.wholeMatch(
                of:
                    #/
                    listening\ on\ (https://127\.0\.0\.1:([0-9]+))
                    \ pin\ (sha256//[A-Za-z0-9+/]{43}=)\n
                    /#
            ),
            let port = Int(match.2)
        else {
            await program.kill()
            throw NoServer(line: line, errors: program.errors)
        }
        return ServerProcess(
            program: program,
            folder: folder,
            url: String(match.1),
            pin: String(match.3),
            port: port
        )
    }

    /// The message of a server that does not start.
    struct NoServer: Error {
        let line: String
        let errors: String
    }

    /// Its exit status, how long it took to end, and its whole log.
    struct End {
        let status: Int32
        let elapsed: Duration
        let log: String
    }

    /// Sends the signal to stop.
    func stop() async -> End {
        let elapsed = await onThread { [program] in
            // Measured here, because the return to the test may have to wait for other tests.
            let start = ContinuousClock.now
            program.terminate()
            var information = unsafe siginfo_t()
            // A caller that waits for its status still gets it.
            _ = unsafe waitid(P_PID, id_t(program.processID), &information, WEXITED | WNOWAIT)
            return ContinuousClock.now - start
        }
        let result = await program.result()
        return End(status: result.status, elapsed: elapsed, log: result.errors)
    }

    deinit {
        // Only a failed test leaves it running.
        program.send(SIGKILL)
    }
}

/// A new directory, removed with this value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "sync-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A leftover temporary directory does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }
}

func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    try await body(directory.path)
    withExtendedLifetime(directory) {}
}
