import Foundation
import KSTestPrograms
import Testing

/// The files that this process has open for running and ended programs.
struct OpenFileTests {
    /// The targets of this process's open files.
    private static var openFiles: [String] {
        let folder = "/proc/self/fd"
        // Other tests open and close files meanwhile.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap {
            // It may be closed by now.
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
        }
    }

    private static func openFiles(of folder: String) -> [String] {
        openFiles.filter { $0.hasPrefix(folder) }
    }

    /// Whether this process has a file open that stands for a process; the kernel lists its id.
    private static func isWatched(_ processID: Int32) throws -> Bool {
        let folder = "/proc/self/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
            // It may be closed by now.
            let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            return text?.contains("\nPid:\t\(processID)\n") == true
        }
    }

    @Test
    func `programs that have ended leave nothing open`() async throws {
        try await withFolder { folder in
            var programs: [RunningProgram] = []
            for number in 0..<200 {
                let program = try await RunningProgram(
                    "/bin/sh",
                    ["-c", "read -r line; echo $line; exit \(number % 3)"],
                    folder: folder,
                    input: .text("in\n")
                )
                let result = await program.result()
                #expect(result.status == Int32(number % 3))
                #expect(result.output == "in\n" && result.errors.isEmpty)
                programs.append(program)
            }
            #expect(Self.openFiles(of: folder).isEmpty)
            for program in programs {
                let isWatched = try Self.isWatched(program.processID)
                #expect(!isWatched && !program.isRunning)
            }
        }
    }

    @Test
    func `a running program has one open file, or two with typed input`() async throws {
        try await withFolder { folder in
            let silent = try await RunningProgram("/bin/sleep", ["1000"], folder: folder)
            let typed = try await RunningProgram("/bin/cat", [], folder: folder, input: .typed)
            // The last file is closed just after the program has begun.
            #expect(await eventually { Self.openFiles(of: folder).isEmpty })
            #expect(try Self.isWatched(silent.processID))
            try typed.type("one\n")
            #expect(await typed.waitForOutput { $0 == "one\n" })
            await silent.kill()
            await typed.kill()
            #expect(try !Self.isWatched(silent.processID))
        }
    }

    @Test
    func `of many programs started together some wait for a place`() async throws {
        try await withFolder { folder in
            // Each running program is counted by a file of its own.
            let line = "touch run-$$; ls | grep -c '^run-'; rm run-$$"
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<150 {
                    group.addTask {
                        let program = try await RunningProgram(
                            "/bin/sh",
                            ["-c", line],
                            folder: folder
                        )
                        return Int((await program.result()).output.dropLast()) ?? .max
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(counts.count == 150)
            #expect(try #require(counts.max()) <= Programs.countMax)
        }
    }
}

/// Runs a test in a new folder, which is removed afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "programs-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }
    try await body(folder.path)
}
