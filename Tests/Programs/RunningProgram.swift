internal import Foundation
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// What a program wrote, and how it ended.
package struct ProgramResult: Sendable {
    /// The exit code, or the number of the signal that ended it, below zero.
    package let status: Int32
    package let output: String
    package let errors: String
}

/// What a program reads from its standard input.
package enum ProgramInput: Sendable {
    case nothing
    case text(String)
    /// What ``RunningProgram/type(_:)`` sends while it runs.
    case typed
}

/// A program that was started here and runs on its own.
///
/// It writes to files, not pipes: what it starts in turn may outlive it and would hold a pipe open.
/// It leads a process group of its own, as a program does that a shell starts.
package final class RunningProgram: Sendable {
    package let processID: Int32
    private let run: ProgramRun
    private let outputPath: String
    private let errorsPath: String

    package var output: String { Self.text(outputPath) }
    package var errors: String { Self.text(errorsPath) }
    package var isRunning: Bool { run.isRunning }

    /// Starts it, once fewer programs run than may run at once.
    ///
    /// `name` is a path, or the name of a program of this package. `folder` is its working
    /// directory and `HOME`, where its output is kept too; `environment` is what it gets beside
    /// `HOME`, `PATH` and the options of a sanitizer. It derives keys from passwords cheaply, but
    /// not with an empty `LD_PRELOAD` in `environment`.
    package init(
        _ name: String,
        _ arguments: [String],
        folder: String,
        environment: [String: String] = [:],
        input: ProgramInput = .nothing
    ) async throws {
        let mark = folder + "/" + UUID().uuidString
        let (outputPath, errorsPath) = (mark + ".out", mark + ".err")
        self.outputPath = outputPath
        self.errorsPath = errorsPath
        var values = ["PATH": "/usr/bin:/bin", "HOME": folder]
        // A sanitizer watches the programs by the same rules as the tests that start them.
        for name in ["PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            values[name] = ProcessInfo.processInfo.environment[name] ?? values[name]
        }
        values.merge(environment) { $1 }
        if values["LD_PRELOAD"] == nil {
            values["LD_PRELOAD"] = try await CheapDerivation.library.value
        }
        let named = values.compactMap { name, value in
            Environment.Key(rawValue: name).map { ($0, value) }
        }
        var options = PlatformOptions()
        options.processGroupID = 0
        let configuration = Configuration(
            executable: .path(FilePath(name.hasPrefix("/") ? name : Programs.path(name))),
            arguments: Arguments(arguments),
            environment: .custom(Dictionary(uniqueKeysWithValues: named)),
            workingDirectory: FilePath(folder),
            platformOptions: options
        )
        if case .text(let text) = input {
            try Data(text.utf8).write(to: URL(filePath: mark + ".in"))
        }
        run = ProgramRun(folder: folder)
        processID = try await run.start(configuration) {
            try ProgramFiles(input: input, mark: mark, output: outputPath, errors: errorsPath)
        }
    }

    /// Waits for its end, and ends it when that takes too long or the test is cancelled.
    package func result(limitSeconds: Double = 300) async -> ProgramResult {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [run] in _ = await run.waitUntilEnded() }
            group.addTask { [run] in
                // A wait that is cut short means a cancelled test, or a program that has ended.
                try? await Task.sleep(for: .seconds(limitSeconds))
                run.send(SIGKILL)
            }
            _ = await group.next()
            group.cancelAll()
        }
        return ProgramResult(status: await run.waitUntilEnded(), output: output, errors: errors)
    }

    /// Waits until its output satisfies a condition, or it has ended; false if it never does.
    package func waitForOutput(
        seconds: Double = 90,
        _ isSo: (String) -> Bool
    ) async -> Bool {
        _ = await eventually(seconds: seconds) { isSo(output) || !isRunning }
        return isSo(output)
    }

    /// Sends keys to a program whose input is typed.
    package func type(_ keys: String) throws { try run.type(keys) }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) { run.send(signal) }

    package func terminate() { send(SIGTERM) }

    /// Asks it to stop, and kills it if it does not.
    @discardableResult
    package func stop() async -> ProgramResult {
        terminate()
        return await result(limitSeconds: 10)
    }

    /// Ends it without a warning, as a power cut would.
    package func kill() async {
        send(SIGKILL)
        _ = await result(limitSeconds: 10)
    }

    private static func text(_ path: String) -> String {
        // What cannot be read was not written.
        String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
    }
}
