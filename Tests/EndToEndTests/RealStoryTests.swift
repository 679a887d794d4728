import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `sync-simulate run --real`: a story with a real server, real daemons and real commands.
    struct RealStoryTests {
        private static let stories = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/Stories").standardizedFileURL.path

        private func play(
            _ world: World,
            _ arguments: [String]
        ) async throws -> ProgramResult {
            try await RunningProgram(
                "sync-simulate",
                ["run", "--real"] + arguments,
                folder: world.folder,
                // What it makes is then in this world's folder, where leftovers are found.
                environment: ["TMPDIR": world.folder]
            ).result()
        }

        /// The names of what a story has left in a world's folder.
        private func leftovers(_ world: World) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: world.folder)
                .filter { $0.hasPrefix("story-") }
        }

        @Test(arguments: [
            "answer-lost-then-restored", "clone-with-batch", "counters",
            "delete-while-edit-arrives", "first", "keys-change", "leave-and-return", "lists",
            "locked-device", "many-deletions-kept", "maps", "nothing-readable", "phone-put-back",
            "registers", "rename-with-conflict", "restore-that-nobody-announced",
            "server-loses-everything", "server-moves",
        ])
        func `a story ends on real programs as it was simulated`(name: String) async throws {
            try await World.with { world in
                let path = "\(Self.stories)/\(name).story"
                let result = try await play(world, [path])
                #expect(result.status == 0, "\(result)")
                let end = /kept on real programs, \d+ expectations?, the same end as simulated/
                #expect(result.output.contains(end), "\(result)")
                #expect(try leftovers(world).isEmpty && world.processIDs.isEmpty)
            }
        }

        /// What the proxy does to a device's messages, and what its programs know of that.
        @Test
        func `networks lose and delay what travels, and nothing travels between two lines`()
            async throws
        {
            try await World.with { world in
                let text = """
                    devices laptop phone
                    laptop add mail first
                    expect laptop unsent because waiting
                    expect phone lacks mail
                    sync
                    laptop one-way
                    laptop set mail password second
                    advance 5s
                    expect phone mail password is second
                    expect laptop unsent because one-way
                    laptop online
                    laptop lossy 30
                    phone slow 100ms
                    laptop set mail note "a note"
                    sync
                    expect phone mail note is "a note"
                    expect laptop unsent 0
                    phone offline
                    phone kv set theme dark
                    sync
                    expect phone unsent because offline
                    expect laptop kv theme is nothing

                    """
                let path = try world.write(text, to: "networks.story")
                let result = try await play(world, [path])
                #expect(result.status == 0, "\(result)")
                #expect(result.output.contains("networks.story: kept on real programs, 8 "))
            }
        }

        @Test
        func `a wrong expectation fails on the real programs too, and ends with 1`() async throws {
            try await World.with { world in
                let text = """
                    devices laptop phone
                    laptop add mail first
                    sync
                    expect phone mail password is "<second> & more"
                    expect agreement

                    """
                let path = try world.write(text, to: "failing.story")
                let junit = world.path("junit.xml")
                let result = try await play(world, [path, "--junit", junit])
                #expect(result.status == 1, "\(result)")
                let wanted = """
                    \(path):4: expect phone mail password is "<second> & more"
                      expected:  "<second> & more"
                      shown:     "first"
                    \(path): 1 of 2 expectations failed on real programs, the same end
                    """
                #expect(result.output.hasPrefix(wanted), "\(result)")
                let xml = try String(contentsOfFile: junit, encoding: .utf8)
                #expect(xml.contains("failures=\"1\" errors=\"0\">"), "\(xml)")
                #expect(xml.contains("&lt;second&gt; &amp; more"), "\(xml)")
            }
        }

        @Test
        func `a story with a line that cannot be played is skipped, and ends with 2`()
            async throws
        {
            try await World.with { world in
                let path = Self.stories + "/clock-far-ahead.story"
                let junit = world.path("junit.xml")
                let result = try await play(world, [path, "--junit", junit])
                #expect(result.status == 2, "\(result)")
                let wanted = """
                    \(path):3: phone clock +10y
                      skipped: a real device has the clock of its machine
                    \(path): skipped, real programs cannot play it

                    """
                #expect(result.output == wanted)
                let xml = try String(contentsOfFile: junit, encoding: .utf8)
                #expect(xml.contains("failures=\"0\" errors=\"0\" skipped=\"1\">"), "\(xml)")
                #expect(xml.contains("<skipped message=\"3: phone clock +10y: a real"), "\(xml)")
                let json = try await play(world, [path, "--json"])
                #expect(json.status == 2, "\(json)")
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(json.output.utf8))
                        as? [String: Any]
                )
                #expect(object["kept"] as? Bool == false && object["real"] as? Bool == true)
                let skipped = try #require(object["skipped"] as? [String: Any])
                #expect(skipped["line"] as? Int == 3, "\(json)")
                // A failure counts more than what was skipped.
                let failing = try world.write(
                    "devices a\nexpect a kv x is 1\n",
                    to: "failing.story"
                )
                #expect(try await play(world, [path, failing]).status == 1)
            }
        }

        @Test
        func `a mistake of a story starts nothing, and ends with 64`() async throws {
            try await World.with { world in
                let path = try world.write("devices a\nb offline\n", to: "wrong.story")
                let result = try await play(world, [path])
                #expect(result.status == 64, "\(result)")
                #expect(result.output.contains(":2:1: there is no device b"), "\(result)")
                let drawn = try await play(world, [path, "--svg", world.path("x.svg")])
                #expect(drawn.status == 64 && drawn.errors.contains("leave out --real"))
            }
        }

        @Test
        func `without the other programs it says which one is missing`() async throws {
            try await World.with { world in
                let alone = world.path("bin/sync-simulate")
                try FileManager.default.createDirectory(
                    atPath: world.path("bin"),
                    withIntermediateDirectories: true
                )
                try FileManager.default.copyItem(
                    atPath: Programs.path("sync-simulate"),
                    toPath: alone
                )
                let program = try await RunningProgram(
                    alone,
                    ["run", "--real", Self.stories + "/first.story"],
                    folder: world.folder
                )
                let result = await program.result()
                #expect(result.status == 64, "\(result)")
                #expect(result.errors.contains("there is no keychain in"), "\(result)")
                #expect(result.errors.contains("beside sync-simulate"), "\(result)")
            }
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func `a signal ends all that was started, and removes the folder`(
            signal: Int32
        ) async throws {
            try await World.with { world in
                let lines = ["devices laptop phone", "laptop add mail first"]
                let syncs = Array(repeating: "sync", count: 200)
                let text = (lines + syncs).joined(separator: "\n")
                let path = try world.write(text, to: "long.story")
                let program = try await RunningProgram(
                    "sync-simulate",
                    ["run", "--real", path],
                    folder: world.folder,
                    environment: ["TMPDIR": world.folder]
                )
                let hasStarted = await eventually {
                    // Until the folder can be read, nothing has started.
                    let names = (try? leftovers(world)) ?? []
                    let homes = world.path(names.first ?? "none") + "/homes/phone/key-bag"
                    return FileManager.default.fileExists(atPath: homes)
                }
                try #require(hasStarted && program.isRunning, "\(program.errors)")
                // Its server and daemons, and itself, whose story is in the folder.
                #expect(world.processIDs.count >= 3)
                program.send(signal)
                let result = await program.result(limitSeconds: 30)
                #expect(result.status == -signal, "\(result)")
                #expect(try leftovers(world).isEmpty)
                #expect(await eventually(seconds: 10) { world.processIDs.isEmpty })
            }
        }
    }
}
