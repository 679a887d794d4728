internal import Foundation
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// A program's output and exit status.
package struct ProgramResult: Sendable {
    /// The exit code, or the number of the signal that ended it, below zero.
    package let status: Int32
    package let output: String
    package let errors: String
}

/// A program's standard input.
package enum ProgramInput: Sendable {
    case nothing
    case text(String)
    /// The text of ``RunningProgram/type(_:)``, sent while it runs.
    case typed
}

/// A program that a test started, and that runs on its own.
///
/// It writes to files, not pipes: programs that it starts may outlive it and would hold a pipe
/// open. It leads a process group of its own, like a program that a shell starts.
package final class RunningProgram: Sendable {
    package let processID: Int32
    private let run: ProgramRun
    private let outputPath: String
    private let errorsPath: String

    package var output: String { Self.text(outputPath) }
    package var errors: String { Self.text(errorsPath) }
    package var isRunning: Bool { run.isRunning }

    /// Starts the program once there is a place for it.
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
        // The programs get the same sanitizer options as the tests.
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

    /// Starts the program of the first word, a path, with the other words.
    package convenience init(
        words: [String],
        folder: String,
        environment: [String: String] = [:]
    ) async throws {
        try await self.init(
            words[0],
            Array(words.dropFirst()),
            folder: folder,
            environment: environment
        )
    }

    /// Waits for the program's end, and kills it if that takes too long or the test is cancelled.
    package func result(limitSeconds: Double = 300) async -> ProgramResult {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [run] in _ = await run.waitUntilEnded() }
            group.addTask { [run] in
                // An interrupted wait means a cancelled test, or a program that has ended.
                try? await Task.sleep(for: .seconds(limitSeconds))
                run.send(SIGKILL)
            }
            _ = await group.next()
            group.cancelAll()
        }
        return ProgramResult(status: await run.waitUntilEnded(), output: output, errors: errors)
    }

    /// Waits for output that satisfies a condition; false if the program ends without any.
    package func waitForOutput(
        seconds: Double = 90,
        _ isSo: (String) -> Bool
    ) async -> Bool {
        _ = await eventually(seconds: seconds) { isSo(output) || !isRunning }
        return isSo(output)
    }

    /// Types text into a program whose input is a pipe.
    package func type(_ keys: String) throws { try run.type(keys) }

    /// Sends a signal to the program if it still runs.
    package func send(_ signal: Int32) { run.send(signal) }

    package func terminate() { send(SIGTERM) }

    /// Stops the program with a signal, and kills it if that is not enough.
    @discardableResult
    package func stop() async -> ProgramResult {
        terminate()
        return await result(limitSeconds: 10)
    }

    /// Kills the program, as a power cut would.
    package func kill() async {
        send(SIGKILL)
        _ = await result(limitSeconds: 10)
    }

    private static func text(_ path: String) -> String {
        // An unreadable file has no output.
        String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
    }
}
