import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    struct FileTests {
        @Test
        func `a protected file is not readable while locked`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let passcode = try world.write("2580\n", to: "passcode")
                let set = try await device.client("passcode", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                let file = try world.write("a letter", to: "letter")
                let sealed = try await device.run(["protect", file, "--class", "complete"])
                #expect(sealed.status == 0, "\(sealed)")
                #expect(
                    try String(contentsOfFile: file, encoding: .isoLatin1).contains("letter")
                        == false
                )
                #expect(try await device.client("lock").status == 0)
                let refused = try await device.run(["unprotect", file])
                #expect(refused.status == 75, "\(refused)")
                let second = try world.write("another", to: "second")
                let written = try await device.run(
                    ["protect", second, "--class", "unless-open", "-o", world.path("sealed")]
                )
                #expect(written.status == 0, "\(written)")
                #expect(try String(contentsOfFile: second, encoding: .utf8) == "another")
                _ = try await device.client("unlock", "--passcode-file", passcode)
                for name in [file, world.path("sealed")] {
                    let opened = try await device.run(["unprotect", name])
                    #expect(opened.status == 0, "\(opened)")
                }
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "a letter")
                #expect(
                    try String(contentsOfFile: world.path("sealed"), encoding: .utf8) == "another"
                )
                let own = try await device.run(
                    ["protect", device.home + "/keychain.db", "--class", "none"]
                )
                #expect(own.status == 64, "\(own)")
            }
        }

        /// Whenever the daemon is killed, the file is unchanged or sealed, never partly.
        @Test
        func `a killed daemon leaves the file complete`() async throws {
            try await World.with { world in
                let contents = Data(repeating: 7, count: 24 << 20)
                let file = world.path("large")
                let protect = ["protect", file, "--class", "none"]
                let undisturbed = world.device("undisturbed")
                func timeToProtect() async throws -> Duration {
                    try await undisturbed.startDaemon()
                    try contents.write(to: URL(filePath: file))
                    let start = ContinuousClock.now
                    let sealed = try await undisturbed.start("keychain", protect).result()
                    let duration = ContinuousClock.now - start
                    #expect(sealed.status == 0, "\(sealed)")
                    _ = try await undisturbed.client("stop")
                    return duration
                }
                var duration = try await timeToProtect()
                var cutCount = 0
                // Three are enough, unless all of them come too late or too early.
                let percents = [20, 50, 80, 65, 35, 90, 10]
                for (number, percent) in (1...4).flatMap({ _ in percents }).enumerated() {
                    if number >= 3 {
                        if cutCount > 0 { break }
                        // The machine may have more or less to do now.
                        duration = try await timeToProtect()
                    }
                    let device = world.device("\(number) after \(percent) percent")
                    try await device.startDaemon()
                    try contents.write(to: URL(filePath: file))
                    let command = try await device.start("keychain", protect)
                    try await Task.sleep(for: duration * percent / 100)
                    await (try device.runningDaemon).kill()
                    let result = await command.result()
                    cutCount += result.errors.contains("in the middle of the call") ? 1 : 0
                    #expect(try Self.leftovers(in: world.folder).isEmpty)
                    if try Data(contentsOf: URL(filePath: file)) != contents {
                        // It starts a daemon, or finds the one that the first command started.
                        let opened = try await device.run(["unprotect", file])
                        #expect(opened.status == 0, "\(opened)")
                    }
                    _ = try await device.client("stop")
                    #expect(try Data(contentsOf: URL(filePath: file)) == contents)
                }
                #expect(cutCount > 0)
            }
        }

        /// Names that only an unfinished command leaves there.
        private static func leftovers(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".new") }
        }

        /// Whenever the daemon is killed, it has restored all items or none; a repetition works.
        @Test
        func `a killed daemon restores all of a backup or nothing`() async throws {
            try await World.with { world in
                let count = 200
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let rows = (0..<count).map {
                    "site \($0),https://\($0).example.org,ada,secret \($0)"
                }
                let table = (["name,url,username,password"] + rows).joined(separator: "\n")
                let imported = try await laptop.client(
                    "import",
                    world.write(table + "\n", to: "passwords.csv")
                )
                #expect(imported.status == 0, "\(imported)")
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let backup = world.path("backup")
                let options = ["--passphrase-file", passphrase]
                let written = try await laptop.start(
                    "sync-client",
                    ["backup", backup] + options
                ).result()
                #expect(written.status == 0, "\(written)")

                let nothing = "Items: 0 added, 0 joined, \(count) unchanged, 0 left out\n"
                let all = "Items: \(count) added, 0 joined, 0 unchanged, 0 left out\n"
                let whole = world.device("whole")
                try await whole.startDaemon()
                let start = ContinuousClock.now
                let restore = ["restore", backup] + options
                let first = try await whole.start("sync-client", restore).result()
                let duration = ContinuousClock.now - start
                #expect(first.output == all, "\(first)")

                for percent in [50, 70, 80, 85, 90, 95, 100] {
                    let device = world.device("after \(percent) percent")
                    try await device.startDaemon()
                    let command = try await device.start("sync-client", restore)
                    try await Task.sleep(for: duration * percent / 100)
                    await (try device.runningDaemon).kill()
                    let killed = await command.result()
                    try await device.startDaemon()
                    let again = try await device.start("sync-client", restore).result()
                    let isDone = killed.status == 0
                    #expect(again.output == nothing || !isDone && again.output == all, "\(again)")
                    let once = try await device.start("sync-client", restore).result()
                    #expect(once.output == nothing, "\(once)")
                    _ = try await device.client("stop")
                }
            }
        }

        @Test
        func `a backup restores the items in a new home, with their history`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let laptop = devices[0]
                try await laptop.save("mail", "first")
                try await laptop.save("mail", "second")
                let local = try await laptop.keychain(
                    "add-generic-password",
                    "-s",
                    "local",
                    "-a",
                    "ada",
                    "-w",
                    "stays"
                )
                #expect(local.status == 0, "\(local)")
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let wrong = try world.write("correct horsf\n", to: "wrong")
                let backup = world.path("backup")
                let written = try await laptop.client(
                    "backup",
                    backup,
                    "--passphrase-file",
                    passphrase
                )
                #expect(written.status == 0 && written.output.contains("2 items"), "\(written)")
                let again = try await laptop.client(
                    "backup",
                    backup,
                    "--passphrase-file",
                    passphrase
                )
                #expect(again.status == 64, "\(again)")

                let other = world.device("other")
                let refused = try await other.client("restore", backup, "--passphrase-file", wrong)
                #expect(refused.status == 77, "\(refused)")
                let restored = try await other.client(
                    "restore",
                    backup,
                    "--passphrase-file",
                    passphrase
                )
                #expect(
                    restored.output == "Items: 2 added, 0 joined, 0 unchanged, 0 left out\n",
                    "\(restored)"
                )
                #expect(try await other.password("mail") == "second")
                let same = try await laptop.client(
                    "restore",
                    backup,
                    "--passphrase-file",
                    passphrase
                )
                #expect(
                    same.output == "Items: 0 added, 0 joined, 2 unchanged, 0 left out\n",
                    "\(same)"
                )
            }
        }
    }
}
