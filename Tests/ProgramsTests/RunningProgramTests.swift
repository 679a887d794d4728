import Foundation
import KSTestPrograms
import Testing

struct RunningProgramTests {
    @Test
    func `a program ends with a code or a signal, and its output is there`() async throws {
        let ended = try await Programs.run("/bin/sh", ["-c", "echo out; echo no >&2; exit 7"])
        #expect(ended.status == 7 && ended.output == "out\n" && ended.errors == "no\n")
        let killed = try await Programs.run("/bin/sh", ["-c", "kill -SEGV $$"])
        #expect(killed.status == -SIGSEGV)
        await #expect(throws: (any Error).self) {
            try await Programs.run("/nowhere/at/all", [])
        }
    }

    @Test
    func `a program that takes too long is ended`() async throws {
        try await withFolder { folder in
            let program = try await RunningProgram("/bin/sleep", ["1000"], folder: folder)
            #expect(await Programs.processIDs(startedIn: folder) == [program.processID])
            let result = await program.result(limitSeconds: 0)
            #expect(result.status == -SIGKILL)
            #expect(await eventually { await Programs.processIDs(startedIn: folder).isEmpty })
        }
    }

    @Test
    func `a program hears signals, and inherits no open file`() async throws {
        try await withFolder { folder in
            let lines = "trap 'echo heard; exit 3' TERM; ls /proc/$$/fd; echo ready; read -r line"
            let program = try await RunningProgram(
                "/bin/bash",
                ["-c", lines],
                folder: folder,
                input: .typed
            )
            #expect(await program.waitForOutput { $0.contains("ready\n") })
            let result = await program.stop()
            #expect(result.status == 3, "\(result)")
            // Some versions of bash have their script open as 255.
            let files = result.output.split(separator: "\n").prefix { $0 != "ready" }
            #expect(files.filter { $0 != "255" } == ["0", "1", "2"], "\(result)")
            #expect(result.output.hasSuffix("heard\n"))
        }
    }

    @Test
    func `running programs are ended when the tests are killed`() async throws {
        let killed = await #expect(
            processExitsWith: .signal(SIGKILL),
            observing: [\.standardOutputContent]
        ) {
            let folder = FileManager.default.temporaryDirectory.path
            // The program has a child, which is ended too.
            let program = try await RunningProgram(
                "/bin/sh",
                ["-c", "sleep 1000 & echo $!; wait"],
                folder: folder
            )
            _ = await program.waitForOutput { $0.hasSuffix("\n") }
            let ended = try await RunningProgram("/bin/true", [], folder: folder)
            _ = await ended.result()
            FileHandle.standardOutput.write(
                Data("ids \(program.processID) \(program.output)".utf8)
            )
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: try #require(killed).standardOutputContent, as: UTF8.self)
        let match = try #require(output.firstMatch(of: /ids ([0-9]+) ([0-9]+)\n/), "\(output)")
        for id in [match.1, match.2] {
            let processID = try #require(Int32(id))
            #expect(await eventually { Self.isGone(processID) })
        }
    }

    /// Whether a process has ended, even if its parent has not waited for it.
    private static func isGone(_ processID: Int32) -> Bool {
        // Without a file there is no process.
        let line = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        return line.map { $0.contains(") Z ") } ?? true
    }
}
