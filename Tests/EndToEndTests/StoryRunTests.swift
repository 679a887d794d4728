import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `sync-simulate run` and `sync-simulate actions`.
    struct StoryRunTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL.path

        private func simulate(
            _ world: World,
            _ arguments: [String],
            input: ProgramInput = .nothing
        ) async throws -> ProgramResult {
            try await RunningProgram(
                "sync-simulate",
                arguments,
                folder: world.folder,
                input: input
            ).result()
        }

        private static let failing = """
            devices laptop phone
            laptop add mail first
            sync
            expect phone mail password is "<second> & more"
            expect agreement

            """

        @Test
        func `the program keeps every story of the repository`() async throws {
            try await World.with { world in
                let folder = Self.root + "/Examples/Stories"
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                    .filter { $0.hasSuffix(".story") }.sorted()
                let junit = world.path("junit.xml")
                let arguments = ["run"] + names.map { "\(folder)/\($0)" } + ["--junit", junit]
                let first = try await simulate(world, arguments)
                #expect(first.status == 0, "\(first)")
                // What a device tells its user, such as of a full disk, is a line, too.
                let lines = first.output.split(separator: "\n").filter { $0.hasPrefix(folder) }
                #expect(lines.count == names.count && names.count > 30)
                for (line, name) in zip(lines, names) {
                    #expect(line.contains("/\(name): kept, "))
                }
                let text = try String(contentsOfFile: junit, encoding: .utf8)
                let head = "tests=\"\(names.count)\" failures=\"0\" errors=\"0\">"
                #expect(text.contains(head))
                #expect(text.split(separator: "<testcase ").count == names.count + 1)
                // The order of dictionaries and sets differs between processes.
                let again = try await simulate(world, arguments + ["--trace"])
                let third = try await simulate(world, arguments + ["--trace"])
                #expect(again.output == third.output)
                #expect(again.output.contains("laptop sends"))
                #expect(lines.allSatisfy { again.output.contains($0) })
            }
        }

        @Test
        func `a failed expectation is printed with its line, and ends with 1`() async throws {
            try await World.with { world in
                let path = try world.write(Self.failing, to: "failing.story")
                let junit = world.path("junit.xml")
                let result = try await simulate(world, ["run", path, "--junit", junit])
                #expect(result.status == 1, "\(result)")
                let wanted = """
                    \(path):4: expect phone mail password is "<second> & more"
                      expected: "<second> & more"
                      shown:    "first"
                    \(path): 1 of 2 expectations failed, trace
                    """
                #expect(result.output.hasPrefix(wanted), "\(result)")
                let text = try String(contentsOfFile: junit, encoding: .utf8)
                #expect(text.contains("failures=\"1\""))
                #expect(text.contains("&lt;second&gt; &amp; more"))
                let json = try await simulate(world, ["run", "--json", path])
                #expect(json.status == 1, "\(json)")
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(json.output.utf8))
                        as? [String: Any]
                )
                #expect(object["kept"] as? Bool == false)
                #expect(object["expectations"] as? Int == 2)
                let failures = try #require(object["failures"] as? [[String: Any]])
                #expect(failures.count == 1 && failures[0]["line"] as? Int == 4)
                #expect(failures[0]["shown"] as? String == "\"first\"")
            }
        }

        @Test
        func `a mistake is printed with its line and column, and ends with 64`() async throws {
            try await World.with { world in
                let kept = try world.write("devices a\nexpect agreement\n", to: "kept.story")
                let wrong = "devices laptop\nlaptop flies\n"
                let result = try await simulate(world, ["run", kept, "-"], input: .text(wrong))
                #expect(result.status == 64, "\(result)")
                #expect(result.output.contains("kept.story: kept, 1 expectation, trace"))
                let slip = "-:2:8: expected a word such as offline"
                #expect(result.output.contains(slip), "\(result)")
                let unknown = try world.write("devices a\nb offline\n", to: "unknown.story")
                let second = try await simulate(world, ["run", unknown])
                #expect(second.status == 64, "\(second)")
                #expect(second.output.contains(":2:1: there is no device b; the story has a"))
                let missing = try await simulate(world, ["run", world.path("none.story")])
                #expect(missing.status == 64, "\(missing)")
                #expect(missing.errors.contains("none.story cannot be read."), "\(missing)")
            }
        }

        @Test
        func `the first story of the page prints what the page says`() async throws {
            try await World.with { world in
                let page = try String(
                    contentsOfFile: Self.root + "/docs/Simulation.md",
                    encoding: .utf8
                )
                let blocks = page.components(separatedBy: "\n```").map { block in
                    String(block.drop { $0 != "\n" }.dropFirst())
                }
                let command = "$ .build/release/sync-simulate run first.story\n"
                let place = try #require(blocks.firstIndex { $0.hasPrefix(command) })
                // Between the two blocks stands the text that leads from one to the other.
                _ = try world.write(blocks[place - 2] + "\n", to: "first.story")
                let result = try await simulate(world, ["run", "first.story"])
                #expect(result.output == blocks[place].dropFirst(command.count) + "\n")
                #expect(result.status == 1)
            }
        }

        @Test
        func `the page of stories has the table of the program`() async throws {
            try await World.with { world in
                let page = try String(
                    contentsOfFile: Self.root + "/docs/Simulation.md",
                    encoding: .utf8
                )
                let tables = try await simulate(world, ["actions", "--markdown"])
                #expect(tables.status == 0 && tables.output.count > 2000)
                #expect(
                    page.contains(tables.output),
                    "put the output of sync-simulate actions --markdown into docs/Simulation.md"
                )
                let list = try await simulate(world, ["actions"])
                #expect(list.output.contains("  DEVICE set ITEM FIELD VALUE\n      sets password"))
            }
        }
    }
}
