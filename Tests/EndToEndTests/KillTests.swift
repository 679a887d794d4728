import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The daemon is killed in the middle of a call: existing data stays, and stays complete.
    struct KillTests {
        /// When the daemon is killed: after hundredths of the time that the whole call takes, or
        /// as soon as it has a new file open in the folder of the world.
        private enum Moment {
            case percent(Int)
            case writing
        }

        /// Three observations of the file are enough, unless all of them come too late.
        private static let moments: [Moment] =
            [.percent(30), .percent(80), .percent(100)] + Array(repeating: .writing, count: 25)
        private static let momentsMin = 6

        /// Runs a command, kills the daemon meanwhile, and starts another one.
        private func kill(
            _ device: Device,
            of world: World,
            during arguments: [String],
            lasting duration: Duration,
            at moment: Moment
        ) async throws -> ProgramResult {
            let command = try await begin(device, arguments)
            let daemon = try device.runningDaemon
            switch moment {
            case .percent(let percent): try await Task.sleep(for: duration * percent / 100)
            case .writing:
                while command.isRunning, !isWriting(daemon, in: world.folder) {
                    await pause(milliseconds: 1)
                }
            }
            await daemon.kill()
            let result = await command.result()
            // The command may have started another daemon, which may still have
            // been starting when it was stopped.
            for _ in 0..<30 {
                _ = try await device.client("stop")
                if await eventually(seconds: 3, { world.processIDs.isEmpty }) { break }
            }
            try await device.startDaemon()
            return result
        }

        private func begin(_ device: Device, _ arguments: [String]) async throws -> RunningProgram {
            let isOfTool = ["protect", "unprotect"].contains(arguments.first)
            return try await device.start(isOfTool ? "keychain" : "sync-client", arguments)
        }

        /// Whether a program has an unnamed or hidden file open in a folder.
        private func isWriting(_ program: RunningProgram, in folder: String) -> Bool {
            let open = "/proc/\(program.processID)/fd"
            // The program may close them, or end, during the search.
            let files = (try? FileManager.default.contentsOfDirectory(atPath: open)) ?? []
            return files.contains { file in
                // The file may be closed by now.
                let path = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: open + "/" + file
                )
                return path.map {
                    $0.hasPrefix(folder + "/#") || $0.hasPrefix(folder + "/.keychain-sync-")
                } ?? false
            }
        }

        private func isCut(_ result: ProgramResult) -> Bool {
            result.errors.contains("in the middle of the call")
        }

        /// How long an undisturbed command takes.
        private func time(_ device: Device, _ arguments: [String]) async throws -> Duration {
            let start = ContinuousClock.now
            let result = try await begin(device, arguments).result()
            try #require(result.status == 0, "\(result)")
            return ContinuousClock.now - start
        }

        private func leftovers(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasPrefix(".keychain-sync-") || $0.hasSuffix(".new") }
        }

        private func addItem(_ device: Device) async throws {
            try await device.expect(
                ["add-generic-password", "-s", "kept", "-a", "ada", "-w", "one"]
            )
        }

        private static let find = ["find-generic-password", "-s", "kept", "-w"]

        // MARK: Files

        @Test
        func `an interrupted unprotect leaves the file sealed or open, and complete`() async throws
        {
            try await World.withDevice { world, device in
                try await addItem(device)
                let contents = Data((0..<(24 << 20)).map { UInt8(truncatingIfNeeded: $0 % 251) })
                let (file, kept) = (world.path("large"), world.path("kept"))
                try contents.write(to: URL(filePath: file))
                let protect = ["protect", file, "--class", "complete", "-o", kept]
                _ = try await time(device, protect)
                let sealed = try Data(contentsOf: URL(filePath: kept))
                let open = ["unprotect", kept, "-o", world.path("open")]
                let duration = try await time(device, open)
                var cutCount = 0
                for (number, moment) in Self.moments.enumerated() {
                    if number >= Self.momentsMin, cutCount > 0 { break }
                    try sealed.write(to: URL(filePath: file))
                    let result = try await kill(
                        device,
                        of: world,
                        during: ["unprotect", file],
                        lasting: duration,
                        at: moment
                    )
                    if case .writing = moment { cutCount += isCut(result) ? 1 : 0 }
                    let left = try Data(contentsOf: URL(filePath: file))
                    #expect(left == contents || result.status != 0 && left == sealed, "\(result)")
                    // A new file has a hidden name for a moment before it replaces another one; if
                    // the daemon is killed then, the next write removes it.
                    let namesMax = left == sealed ? 1 : 0
                    #expect(try leftovers(in: world.folder).count <= namesMax)
                    if left == sealed { _ = try await time(device, ["unprotect", file]) }
                    #expect(try leftovers(in: world.folder).isEmpty)
                    #expect(try Data(contentsOf: URL(filePath: file)) == contents)
                    try await device.expect(Self.find, output: "one\n")
                }
                #expect(cutCount > 0)
            }
        }

        @Test
        func `an interrupted backup is complete or missing`() async throws {
            try await World.withDevice { world, device in
                try await addItem(device)
                let count = 150
                let note = String(repeating: "note ", count: 6_000)
                let rows = (0..<count).map {
                    "site \($0),https://\($0).example.org,ada,secret \($0),\(note)"
                }
                let table = ["name,url,username,password,note"] + rows
                let imported = try await device.client(
                    "import",
                    world.write(table.joined(separator: "\n") + "\n", to: "passwords.csv")
                )
                try #require(imported.status == 0, "\(imported)")
                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let options = ["--passphrase-file", passphrase]
                let duration = try await time(device, ["backup", world.path("whole")] + options)
                let nothingNew = "Items: 0 added, 0 joined, \(count + 1) unchanged, 0 left out\n"
                var cutCount = 0
                for (number, moment) in Self.moments.enumerated() {
                    if number >= Self.momentsMin, cutCount > 0 { break }
                    let file = world.path("backup-\(number)")
                    let result = try await kill(
                        device,
                        of: world,
                        during: ["backup", file] + options,
                        lasting: duration,
                        at: moment
                    )
                    if case .writing = moment { cutCount += isCut(result) ? 1 : 0 }
                    #expect(try leftovers(in: world.folder).isEmpty)
                    if !FileManager.default.fileExists(atPath: file) {
                        #expect(result.status != 0, "\(result)")
                        _ = try await time(device, ["backup", file] + options)
                    }
                    let restored = try await device.start(
                        "sync-client",
                        ["restore", file] + options
                    ).result()
                    #expect(restored.output == nothingNew, "\(restored)")
                    try await device.expect(Self.find, output: "one\n")
                }
                #expect(cutCount > 0)
            }
        }

        // MARK: The passcode

        enum PasscodeChange: String, CaseIterable {
            case set
            case change
            case remove
        }

        /// The passcode that opens the keychain of a daemon that has just started; nil if it needs
        /// none.
        private func passcode(_ device: Device, of files: [String]) async throws -> String? {
            let locked = try await device.run(Self.find)
            if locked.status == 0 { return nil }
            #expect(locked.status == 36, "\(locked)")
            var opening: [String] = []
            for file in files {
                // The right passcode would leave the keychain open for the wrong one as well.
                let tried = try await device.client("unlock", "--passcode-file", file)
                if tried.status == 0 { opening.append(file) }
                #expect(tried.status == 0 || tried.status == 77, "\(tried)")
                _ = try await device.client("lock")
            }
            #expect(opening.count == 1)
            let file = try #require(opening.first)
            let unlocked = try await device.client("unlock", "--passcode-file", file)
            #expect(unlocked.status == 0, "\(unlocked)")
            return file
        }

        @Test(arguments: PasscodeChange.allCases)
        func `the passcode is the old one or the new one`(change: PasscodeChange) async throws {
            try await World.withDevice(derivation: .slow) { world, device in
                try await addItem(device)
                let old = try world.write("2580", to: "old")
                let new = try world.write("1357", to: "new")
                let before = change == .set ? nil : old
                let after = change == .remove ? nil : new
                func line(from present: String?, to wanted: String?) -> [String] {
                    let action = present == nil ? "set" : wanted == nil ? "remove" : "change"
                    return ["passcode", action]
                        + (present.map { ["--passcode-file", $0] } ?? [])
                        + (wanted.map { ["--new-passcode-file", $0] } ?? [])
                }
                if let before { _ = try await time(device, line(from: nil, to: before)) }
                let duration = try await time(device, line(from: before, to: after))
                var cutCount = 0
                // Three are enough, unless all of them come too late or too early.
                for (number, percent) in [60, 95, 100, 45, 30, 80, 70, 20, 10].enumerated() {
                    if number >= 3, cutCount > 0 { break }
                    _ = try await time(device, line(from: after, to: before))
                    let result = try await kill(
                        device,
                        of: world,
                        during: line(from: before, to: after),
                        lasting: duration,
                        at: .percent(percent)
                    )
                    cutCount += isCut(result) ? 1 : 0
                    let present = try await passcode(device, of: [old, new])
                    #expect(present == after || result.status != 0 && present == before)
                    try await device.expect(Self.find, output: "one\n")
                    if present != after {
                        _ = try await time(device, line(from: before, to: after))
                    }
                }
                #expect(cutCount > 0)
            }
        }
    }
}
