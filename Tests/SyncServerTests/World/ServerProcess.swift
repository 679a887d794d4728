import Foundation
import Testing

/// The built program, run as an operator runs it.
struct ProgramResult: Sendable {
    let status: Int32
    let output: String
    let errors: String
}

/// A failure as an operator sees it: nothing but one sentence.
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

enum ServerProgram {
    /// Beside the tests, wherever they were built.
    static var path: String {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        let directory =
            bundle.map { text in
                text.components(separatedBy: "/").prefix { !$0.hasSuffix(".xctest") }
                    .joined(separator: "/")
            }
            ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".build/debug").path
        return directory + "/sync-server"
    }

    /// Runs a command to its end.
    static func run(_ arguments: [String], program: String = path) async throws -> ProgramResult {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return await onThread {
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(),
                as: UTF8.self
            )
            let complaint = String(
                decoding: errors.fileHandleForReading.readDataToEndOfFile(),
                as: UTF8.self
            )
            process.waitUntilExit()
            return ProgramResult(
                status: process.terminationStatus,
                output: text,
                errors: complaint
            )
        }
    }
}

/// A server of its own process, which is ended with the test.
final class ServerProcess: @unchecked Sendable {
    // Safety: every property is set once, in `start`, and Foundation's Process takes calls from any
    // thread.
    let process: Process
    let url: String
    let pin: String
    let port: Int
    private let errors: Pipe

    private init(process: Process, errors: Pipe, url: String, pin: String, port: Int) {
        self.process = process
        self.errors = errors
        self.url = url
        self.pin = pin
        self.port = port
    }

    /// Starts it on a free port, and waits for its one line.
    static func start(data: String, arguments: [String] = []) async throws -> ServerProcess {
        let process = Process()
        process.executableURL = URL(filePath: ServerProgram.path)
        process.arguments = ["serve", "--data", data, "--listen", "127.0.0.1:0"] + arguments
        let output = Pipe()
        process.standardOutput = output
        // Read when it has ended: what it logs in a test is less than a pipe holds.
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let line = await onThread {
            var bytes = Data()
            while !bytes.contains(UInt8(ascii: "\n")) {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                bytes += more
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        let match = try #require(
            line.wholeMatch(
                of:
                    #/
                    listening\ on\ (https://127\.0\.0\.1:([0-9]+))
                    \ pin\ (sha256//[A-Za-z0-9+/]{43}=)\n
                    /#
            ),
            "the line was: \(line)"
        )
        return ServerProcess(
            process: process,
            errors: errors,
            url: String(match.1),
            pin: String(match.3),
            port: try #require(Int(match.2))
        )
    }

    /// How it ended, how long that took, and all that it logged.
    struct End {
        let status: Int32
        let elapsed: Duration
        let log: String
    }

    /// Asks it to stop.
    func stop() async -> End {
        let (process, errors) = (process, errors)
        return await onThread {
            // Here, for the way back to the test takes as long as other tests want.
            let start = ContinuousClock.now
            process.terminate()
            process.waitUntilExit()
            let elapsed = ContinuousClock.now - start
            let log = errors.fileHandleForReading.readDataToEndOfFile()
            return End(
                status: process.terminationStatus,
                elapsed: elapsed,
                log: String(decoding: log, as: UTF8.self)
            )
        }
    }

    deinit {
        // Only a test that failed leaves it running.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}

/// A new directory, gone with this value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "sync-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // What stays behind is in the system's own directory for such things.
        try? FileManager.default.removeItem(atPath: path)
    }
}

func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    try await body(directory.path)
    withExtendedLifetime(directory) {}
}
