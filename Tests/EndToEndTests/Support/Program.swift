import Foundation
import Synchronization
import Testing

/// What a program said, and how it ended.
struct ProgramResult: Sendable {
    let status: Int32
    let output: String
    let errors: String
    /// The most memory it was seen to hold, in KiB.
    let residentKibibytesMax: Int
}

/// A program that was started here and runs on its own.
///
/// It writes to files, not pipes: what it starts in turn may outlive it and would hold a pipe open.
final class RunningProgram: @unchecked Sendable {
    // Safety: every property is set in `init`, and a Process takes calls from any thread.
    let process: Process
    private let outputPath: String
    private let errorsPath: String

    var processID: Int32 { process.processIdentifier }
    var output: String { Self.text(outputPath) }
    var errors: String { Self.text(errorsPath) }

    init(
        _ name: String,
        _ arguments: [String],
        folder: String,
        environment: [String: String] = [:],
        input: String? = nil
    ) throws {
        let mark = folder + "/" + UUID().uuidString
        outputPath = mark + ".out"
        errorsPath = mark + ".err"
        process = Process()
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : Programs.path(name))
        process.arguments = arguments
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": folder,
        ].merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardOutput = try Self.file(outputPath)
        process.standardError = try Self.file(errorsPath)
        if let input {
            try Data(input.utf8).write(to: URL(filePath: mark + ".in"))
            process.standardInput = FileHandle(forReadingAtPath: mark + ".in")
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try Self.withoutBlockedSignals { try process.run() }
        Programs.started(process)
    }

    /// A program begins with the signals blocked that the thread has blocked which starts it, and
    /// those of Swift's pool block all: a shell would never hear that it is to stop.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// Waits for its end, and ends it when that takes too long.
    func result(limitSeconds: Double = 300) async -> ProgramResult {
        let end = ContinuousClock.now + .seconds(limitSeconds)
        var memory = 0
        while process.isRunning {
            memory = max(memory, residentKibibytesMax ?? 0)
            if ContinuousClock.now > end { process.kill() }
            await pause(milliseconds: 4)
        }
        return ProgramResult(
            status: process.terminationReason == .exit
                ? process.terminationStatus : -process.terminationStatus,
            output: output,
            errors: errors,
            residentKibibytesMax: memory
        )
    }

    /// What the kernel says was the most it held in memory; nil when it is gone.
    var residentKibibytesMax: Int? {
        // It may end at any moment, which is no failure.
        guard let text = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8),
            let match = text.firstMatch(of: /VmHWM:\s*([0-9]+) kB/)
        else { return nil }
        return Int(match.1)
    }

    /// Asks it to stop, and makes it when it does not.
    func stop() async {
        if process.isRunning { process.terminate() }
        _ = await result(limitSeconds: 10)
    }

    /// Ends it without a warning, as a power cut would.
    func kill() async {
        process.kill()
        _ = await result(limitSeconds: 10)
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    private static func text(_ path: String) -> String {
        // What cannot be read was not written.
        String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
    }
}

extension Process {
    func kill() {
        if isRunning { Foundation.kill(processIdentifier, SIGKILL) }
    }
}

/// The built programs.
enum Programs {
    /// Beside the tests, wherever they were built.
    static let folder: String = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        guard let bundle else { return FileManager.default.currentDirectoryPath + "/.build/debug" }
        return bundle.components(separatedBy: "/").prefix { !$0.hasSuffix(".xctest") }
            .joined(separator: "/")
    }()

    static func path(_ name: String) -> String { folder + "/" + name }

    /// Puts one somewhere else, to be run from there.
    ///
    /// Another process writes it: what a test starts while this one writes a file has it open for
    /// writing too, and until it has closed it the file cannot be run.
    static func copy(_ name: String, to path: String, in world: World) async throws {
        let arguments = [Self.path(name), path]
        let copied = try await RunningProgram("/bin/cp", arguments, folder: world.folder).result()
        try #require(copied.status == 0, "\(copied)")
    }

    private static let running = Mutex<[Process]>([])

    /// Remembers a process, so that none stays when the tests end before they have ended it.
    static func started(_ process: Process) {
        running.withLock { processes in
            if processes.isEmpty {
                atexit { Programs.running.withLock { $0.forEach { $0.kill() } } }
            }
            processes.append(process)
        }
    }
}

/// Processes outside of this one cannot be awaited, only looked at again.
func pause(milliseconds: Int) async {
    // Ended early it is only a shorter pause.
    try? await Task.sleep(for: .milliseconds(milliseconds))
}

/// Looks again and again until something is so; false when it does not come to be.
func eventually(
    seconds: Double = 90,
    _ isSo: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try await isSo() { return true }
        await pause(milliseconds: 10)
    }
    return try await isSo()
}
