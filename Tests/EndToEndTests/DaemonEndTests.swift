import Foundation
import KSAgent
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// How a daemon ends, and what is said of it afterwards.
    struct DaemonEndTests {
        private static let words = "the daemon before this one did not end in order"

        @Test
        func `a daemon says that the one before it was killed, and not that it was stopped`()
            async throws
        {
            try await World.withDevices("laptop") { _, devices in
                let laptop = devices[0]
                try await laptop.restartDaemonAfterKill()
                #expect(try laptop.runningDaemon.errors.contains(Self.words))
                #expect(try await laptop.client("stop").status == 0)
                try await laptop.startDaemon()
                #expect(try !laptop.runningDaemon.errors.contains(Self.words))
            }
        }

        /// A program whose first thread has ended, while another one holds its files.
        private static let lateThread = """
            #include <pthread.h>
            #include <unistd.h>
            static void *rest(void *unused) { for (;;) pause(); }
            int main(void) {
                pthread_t thread;
                if (pthread_create(&thread, 0, rest, 0) != 0) return 1;
                pthread_exit(0);
            }

            """

        @Test
        func `a process has ended when its last thread has`() async throws {
            try await World.with { world in
                let path = world.path("late")
                let code = try world.write(Self.lateThread, to: "late.c")
                let built = try await Programs.run("/usr/bin/env", ["clang", code, "-o", path])
                #expect(built.status == 0, "\(built)")
                let program = try await RunningProgram(path, [], folder: world.folder)
                let peer = AgentPeer(
                    processID: program.processID,
                    userID: getuid(),
                    executable: nil
                )
                let status = "/proc/\(program.processID)/status"
                #expect(
                    await eventually {
                        // Without the file the process has ended.
                        (try? String(contentsOfFile: status, encoding: .utf8))?.contains(
                            "Z (zombie)"
                        )
                            ?? false
                    }
                )
                #expect(!peer.waitUntilEnded(milliseconds: 50))
                await program.kill()
                #expect(peer.waitUntilEnded(milliseconds: 5000))
            }
        }

        @Test
        func `a mistyped home is not made, except by the commands that begin a device`()
            async throws
        {
            try await World.with { world in
                func run(_ words: [String], home: String) async throws -> ProgramResult {
                    try await RunningProgram(
                        "sync-client",
                        words + ["--home", home],
                        folder: world.folder
                    ).result()
                }
                let typo = world.path("laptpo")
                for words in [
                    ["stop"], ["status"], ["sync"], ["devices"], ["logout"], ["doctor"],
                    ["entitlements"], ["kv", "list"], ["kv", "set", "app", "k", "1"],
                    ["kv", "watch", "app"], ["conflicts"], ["lock"],
                ] {
                    let refused = try await run(words, home: typo)
                    #expect(refused.status == 64, "\(words): \(refused)")
                    #expect(refused.errors.hasPrefix("sync-client: There is no device at \(typo):"))
                    let hint = "sync-client setup, signup or login"
                    #expect(refused.errors.contains(hint), "\(refused)")
                    let empty = try await run(words, home: "")
                    #expect(empty.status == 64, "\(words): \(empty)")
                    expectOneSentence(empty, saying: "path of the home is empty")
                }
                #expect(try await run(["daemon"], home: "").status == 64)
                let passwords = try world.write("name,url,username,password\n", to: "new.csv")
                let dry = ["import", passwords, "--format", "chrome", "--dry-run"]
                let read = try await run(dry, home: typo)
                #expect(read.status == 0 && read.errors.contains("no device at \(typo) yet"))
                #expect(!FileManager.default.fileExists(atPath: typo))
                // It makes the home before it asks for the server, which is not there.
                let signUp = [
                    "signup", "--server", "https://127.0.0.1:1", "--account", "ada", "--device",
                    "laptop", "--password-file", world.passwordFile, "--kit", world.path("kit"),
                ]
                #expect(try await run(signUp, home: typo).status == 69)
                #expect(try await run(["status"], home: typo).status == 0)
                #expect(try await run(["stop"], home: typo).status == 0)
                let new = world.path("new")
                #expect(try await run(Array(dry.dropLast()), home: new).status == 0)
                #expect(try await run(["stop"], home: new).status == 0)
            }
        }
    }
}
