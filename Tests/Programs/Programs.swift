internal import Foundation

/// The built programs, and their running processes.
package enum Programs {
    /// The folder of the tests, in any configuration: the programs are built there too.
    package static let folder: String = {
        // Without /proc the tests of programs cannot run.
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent().path
    }()

    /// How many programs run at once.
    package static let countMax = Places.programCountMax

    package static func path(_ name: String) -> String { folder + "/" + name }

    /// The process ids of the programs that run and were started in a folder.
    package static func processIDs(startedIn folder: String) async -> [Int32] {
        // If the watch could not start, no program was started.
        (try? await ProgramWatch.shared.value)?.processIDs(folder: folder) ?? []
    }

    /// Runs a program to its end, in a folder of its own.
    package static func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        input: ProgramInput = .nothing
    ) async throws -> ProgramResult {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "program-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A leftover temporary folder does no harm.
            try? FileManager.default.removeItem(at: folder)
        }
        return try await RunningProgram(
            name,
            arguments,
            folder: folder.path,
            environment: environment,
            input: input
        ).result()
    }
}

/// Pauses between polls: other processes cannot be awaited, only looked at again.
package func pause(milliseconds: Int) async {
    // A cancelled sleep is only a shorter pause.
    try? await Task.sleep(for: .milliseconds(milliseconds))
}

/// Polls until a condition holds; false if it never does.
package func eventually(
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
