import Foundation
import KSAgent
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What ends a daemon and a server, and what does not.
    struct ProgramEndTests {
        @Test
        func `a closed terminal ends neither daemon nor server, and both say so`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let daemon = try laptop.runningDaemon
                let server = try world.server.runningProgram
                for program in [daemon, server] {
                    program.send(SIGHUP)
                    let hasSaid = await eventually {
                        program.errors.contains("SIGHUP") || !program.isRunning
                    }
                    #expect(hasSaid && program.isRunning, "\(program.errors)")
                }
                #expect(try await laptop.sync().status == 0)
            }
        }

        /// The state of a process by the kernel; nil without such a process.
        private static func state(of process: Int32) -> Character? {
            // It is gone when the file cannot be read.
            let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return line?.split(separator: ") ").last?.first
        }

        @Test
        func `stop returns when the daemon is gone`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                for _ in 0..<3 {
                    try await device.startDaemon()
                    let process = try device.runningDaemon.processID
                    #expect(try await device.client("stop").status == 0)
                    // A zombie is gone but for this process, which has not looked yet.
                    let state = Self.state(of: process)
                    #expect(state == nil || state == "Z", "\(String(describing: state))")
                }
            }
        }

        @Test
        func `stop says so when a daemon stops listening and does not end`() async throws {
            try await World.with { world in
                let home = try AgentHome(argument: world.path("held"))
                let lock = try AgentLock(home: home)
                // Answers every call, and lives as long as this process.
                let listener = try AgentListener(lock: lock) { _, _ in .now(.result(.null)) }
                try listener.start()
                let result = try await RunningProgram(
                    "sync-client",
                    ["stop", "--home", home.path],
                    folder: world.folder
                ).result()
                listener.stop()
                #expect(result.status == 75, "\(result)")
                expectOneSentence(result, saying: "(process \(getpid()))", "has not ended")
                withExtendedLifetime(lock) {}
            }
        }

        // MARK: A home that is not there

        @Test
        func `a home that is made because its path was mistyped is named`() async throws {
            try await World.with { world in
                func run(
                    _ program: String,
                    _ words: [String],
                    home: String
                ) async throws -> ProgramResult {
                    try await RunningProgram(
                        program,
                        words,
                        folder: world.folder,
                        environment: ["KEYCHAIN_SYNC_HOME": home]
                    ).result()
                }
                let add = ["add-generic-password", "-s", "s", "-a", "a", "-w", "pw"]
                let typo = world.path("laptpo")
                let first = try await run("keychain", add, home: typo)
                #expect(first.status == 0, "\(first)")
                #expect(first.errors.contains("There was no device at \(typo)"), "\(first)")
                let second = try await run("keychain", add + ["-U"], home: typo)
                #expect(second.status == 0 && second.errors.isEmpty, "\(second)")
                _ = try await run("sync-client", ["stop"], home: typo)

                let other = world.path("other")
                let file = try world.write("name,url,username,password\n", to: "new.csv")
                let words = ["import", file, "--format", "chrome"]
                let imported = try await run("sync-client", words, home: other)
                #expect(imported.errors.contains("There was no device at \(other)"), "\(imported)")
                _ = try await run("sync-client", ["stop"], home: other)
                // A user who names a new home on the command line for a sign-up means it.
                let new = world.path("new")
                let join = [
                    "signup", "--server", "https://127.0.0.1:1", "--account", "ada", "--device",
                    "laptop", "--password-file", world.passwordFile, "--kit", world.path("kit"),
                ]
                let named = try await run("sync-client", join + ["--home", new], home: typo)
                expectOneSentence(named, saying: "out of reach")
                _ = try await run("sync-client", ["stop"], home: new)
            }
        }

        // MARK: Versions

        @Test(arguments: [
            "keychain", "sync-client", "sync-server", "sync-simulate", "keychain-test-bench",
        ])
        func `every program says its version`(program: String) async throws {
            let result = try await Programs.run(program, ["--version"])
            #expect(result.status == 0, "\(result)")
            #expect(result.output.contains(/^[0-9]+\.[0-9]+\.[0-9]+(-dev)?\n$/), "\(result)")
            let client = try await Programs.run("sync-client", ["--version"])
            #expect(result.output == client.output)
        }
    }
}
