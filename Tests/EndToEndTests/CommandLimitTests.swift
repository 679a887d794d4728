import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What `keychain` cannot do, through the whole program.
    struct CommandLimitTests {
        @Test
        func `on a locked device a file is sealed and opened as its level allows`() async throws {
            try await World.withDevice { world, device in
                let passcode = try world.write("2580\n", to: "passcode")
                let set = try await device.client("passcode", "set", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                let levels = ["complete", "unless-open", "until-first-unlock", "none"]
                for level in levels {
                    let file = try world.write("of \(level)", to: level)
                    try await device.expect(["protect", file, "--class", level])
                }
                _ = try await device.client("lock")
                for (level, isSealed, isRead) in [
                    ("complete", false, false), ("unless-open", true, false),
                    ("until-first-unlock", true, true), ("none", true, true),
                ] {
                    let late = try world.write("late", to: "late \(level)")
                    let sealed = try await device.run(["protect", late, "--class", level])
                    #expect(sealed.status == (isSealed ? 0 : 75), "\(level): \(sealed)")
                    let left = try String(contentsOfFile: late, encoding: .isoLatin1)
                    #expect((left == "late") != isSealed, "\(level)")
                    let file = world.path(level)
                    let read = try await device.run(["unprotect", file, "-o", file + " open"])
                    #expect(read.status == (isRead ? 0 : 75), "\(level): \(read)")
                    #expect(FileManager.default.fileExists(atPath: file + " open") == isRead)
                }
                _ = try await device.client("unlock", "--passcode-file", passcode)
                for level in levels {
                    let file = world.path(level)
                    try await device.expect(["unprotect", file])
                    #expect(try String(contentsOfFile: file, encoding: .utf8) == "of \(level)")
                    guard level != "complete" else { continue }
                    try await device.expect(["unprotect", world.path("late \(level)")])
                }
            }
        }

        @Test
        func `every command fails alike on a missing file`() async throws {
            try await World.withDevice { world, device in
                let none = world.path("none")
                let passphrase = ["--passphrase-file", try world.write("x\n", to: "passphrase")]
                for line in [
                    ["import", none], ["restore", none] + passphrase,
                    ["backup", none, "--passphrase-file", none],
                ] {
                    let result = try await device.start("sync-client", line).result()
                    #expect(result.status == 74, "\(line): \(result)")
                    expectOneSentence(result, saying: "cannot be read", "No such file")
                }
            }
        }

        @Test
        func `a line that is too long is skipped, and the next one runs`() async throws {
            try await World.withDevice { _, device in
                let add = "add-generic-password -a ada -s "
                let digits = String(repeating: "78", count: 17 << 20)
                let lines = "\(add)long -X \(digits)\n\(add)short -w pw\n"
                let result = try await device.run(["-i"], input: lines)
                #expect(result.status == 0)
                #expect(result.output.isEmpty)
                #expect(result.errors.hasSuffix(" bytes is too long, and was ignored\n"))
                #expect(!result.errors.contains("7878"))
                let find = ["find-generic-password", "-w", "-s"]
                try await device.expect(find + ["long"], status: 44)
                try await device.expect(find + ["short"], output: "pw\n")
                // The last line's status is the exit status.
                let last = try await device.run(["-i"], input: "\(add)long -X \(digits)")
                #expect(last.status == 1)
                try await device.expect(find + ["long"], status: 44)
            }
        }

        @Test
        func `a secret that is too long for sync is refused, and nothing is added`()
            async throws
        {
            try await World.withDevice { _, device in
                let item = ["-s", "long", "-a", "ada"]
                let long = String(repeating: "x", count: 100_000)
                let add = ["add-generic-password", "--sync", "-w", long] + item
                let refused = try await device.run(add)
                #expect(refused.status == 42, "\(refused.errors)")
                #expect(refused.output.isEmpty && !refused.errors.contains("xxx"))
                let find = ["find-generic-password", "-s", "long"]
                try await device.expect(find, status: 44)
                // The existing secret stays when a longer one is refused.
                try await device.expect(["add-generic-password", "--sync", "-w", "short"] + item)
                #expect(try await device.run(add + ["-U"]).status == 42)
                try await device.expect(find + ["-w"], output: "short\n")
            }
        }
    }
}
