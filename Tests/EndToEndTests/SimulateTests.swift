import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `sync-simulate`, whose results must be repeatable.
    struct SimulateTests {
        private func simulate(_ world: World, _ arguments: [String]) async throws -> ProgramResult {
            try await RunningProgram("sync-simulate", arguments, folder: world.folder).result()
        }

        /// The order of dictionaries and sets differs between processes.
        @Test
        func `the same seed has the same output in two processes, to the last byte`() async throws {
            try await World.with { world in
                let arguments = ["--seed", "7", "--trace"]
                let first = try await simulate(world, arguments)
                let second = try await simulate(world, arguments)
                #expect(first.status == 0, "\(first)")
                let hash = /seed 7: every promise kept, trace [0-9a-f]{16}\n/
                #expect(first.output.contains(hash), "\(first)")
                #expect(first.output == second.output)
                let other = try await simulate(world, ["--seed", "8"])
                let last = try #require(other.output.split(separator: " ").last)
                #expect(!first.output.contains(last), "\(other)")
            }
        }

        @Test
        func `a story is recorded, run and drawn`() async throws {
            try await World.with { world in
                let (story, page) = (world.folder + "/my.story", world.folder + "/my.html")
                let recording = try await RunningProgram(
                    "sync-simulate",
                    ["record", story],
                    folder: world.folder,
                    input: .text("devices laptop\nlaptop add mail x\nsnyc\nsync\n")
                )
                let recorded = await recording.result()
                #expect(recorded.status == 0, "\(recorded)")
                #expect(recorded.output.contains("not recorded; column 1: found \"snyc\""))
                let drawn = try await simulate(world, ["run", story, "--html", page])
                #expect(drawn.output.contains("kept, 1 expectation, trace"), "\(drawn)")
                let html = try String(contentsOfFile: page, encoding: .utf8)
                #expect(html.hasSuffix("</html>\n"))
                let again = try await simulate(world, ["record", story])
                #expect(again.status == 64 && again.errors.contains("is there already"))
            }
        }

        @Test
        func `zero seeds are a wrong command line`() async throws {
            try await World.with { world in
                let none = try await simulate(world, ["--seeds", "0"])
                #expect(none.status == 64, "\(none)")
                #expect(none.errors.contains("--seeds takes a number above 0."), "\(none)")
                let help = try await simulate(world, ["worlds", "--help"])
                #expect(help.output.contains("The number of the users' actions. (default: 40)"))
            }
        }

        @Test
        func `a broken promise has an exit status and a command that replays it`() async throws {
            try await World.with { world in
                let bug = ["--bug", "dropsSibling"]
                let found = try await simulate(world, ["--seeds", "5"] + bug)
                #expect(found.status == 1, "\(found)")
                let line = /(seed [0-9]+: [a-zA-Z]+\(.*\))\n  to replay: sync-simulate (.*)\n/
                let match = try #require(found.output.firstMatch(of: line), "\(found)")
                let replay = match.2.split(separator: " ").map(String.init)
                let again = try await simulate(world, replay)
                #expect(again.status == 1, "\(again)")
                #expect(again.output.contains(match.1 + "\n"), "\(again)")
                // The trace is printed too.
                #expect(again.output.contains("device 1 sends"), "\(again)")
            }
        }
    }
}
