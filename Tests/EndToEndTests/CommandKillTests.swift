import Foundation
import KSTestSupport
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The daemon is killed while a command of `keychain` runs: the item is as before or as
    /// requested, and nothing else has changed.
    struct CommandKillTests {
        /// A call that is repeated until the daemon was killed in the middle of it.
        struct Work: CustomStringConvertible, Sendable {
            let description: String
            /// Restored before each try.
            let before: [[String]]
            let call: [String]
            /// Commands, and the last one's output if the call did nothing, and if it
            /// did everything.
            let after: [[String]]
            let old: String
            let new: String
        }

        private static let k = "k.keychain"
        private static let item = ["-s", "kept", "-a", "ada"]
        private static let find = ["find-generic-password", "-s", "kept", "-w"]
        private static let unlock = ["unlock-keychain", "-p", "old", k]

        static let works = [
            Work(
                description: "an update",
                before: [["add-generic-password", "-U", "-w", "one"] + item],
                call: ["add-generic-password", "-U", "-w", "two"] + item,
                after: [find],
                old: "one\n",
                new: "two\n"
            ),
            Work(
                description: "a deletion",
                before: [["add-generic-password", "-U", "-w", "one"] + item],
                call: ["delete-generic-password"] + item,
                after: [find],
                old: "one\n",
                new: "44"
            ),
            Work(
                description: "new settings",
                before: [unlock, ["set-keychain-settings", "-t", "300", k]],
                call: ["set-keychain-settings", "-l", "-t", "600", k],
                after: [unlock, ["show-keychain-info", k]],
                old: "Keychain \"\(k)\" use-lock-interval timeout=300s\n",
                new: "Keychain \"\(k)\" lock-on-sleep use-lock-interval timeout=600s\n"
            ),
            Work(
                description: "a keychain's deletion",
                before: [["create-keychain", "-p", "old", k]],
                call: ["delete-keychain", k],
                after: [unlock],
                old: "",
                new: "50"
            ),
        ]

        /// Runs a command, kills the daemon meanwhile, and starts another one.
        private func kill(
            _ device: Device,
            during line: [String],
            after duration: Duration
        ) async throws -> ProgramResult {
            // `run` has the option before the command, since not every command takes it at the end.
            let command = try await device.start(
                "keychain",
                ["--home", device.home] + line,
                namesHome: false
            )
            try await Task.sleep(for: duration)
            await (try device.runningDaemon).kill()
            let result = await command.result()
            // The command may have started another daemon by then.
            let stopped = try await device.client("stop")
            #expect(stopped.status == 0, "\(stopped)")
            try await device.startDaemon()
            return result
        }

        /// How long an undisturbed command takes, including the start of its program.
        private func time(_ device: Device, _ line: [String]) async throws -> Duration {
            let start = ContinuousClock.now
            try await device.expect(line)
            return ContinuousClock.now - start
        }

        @Test(arguments: works)
        func `an interrupted command is done completely or not at all`(work: Work) async throws {
            try await World.withDevice { _, device in
                try await device.expect([
                    "add-generic-password", "-s", "other", "-a", "b", "-w", "x",
                ])
                if work.call.contains(Self.k) {
                    _ = try await device.run(["create-keychain", "-p", "old", Self.k])
                }
                for line in work.before { _ = try await device.run(line) }
                let duration = try await time(device, work.call)
                for percent in [0, 20, 40, 60, 80, 95] {
                    for line in work.before { _ = try await device.run(line) }
                    let result = try await kill(
                        device,
                        during: work.call,
                        after: duration * percent / 100
                    )
                    var shown = ""
                    for line in work.after {
                        let after = try await device.run(line)
                        shown =
                            after.status == 0
                            ? after.output + after.errors : String(after.status)
                    }
                    // A command that reported success has done its work.
                    let answers = result.status == 0 ? [work.new] : [work.old, work.new]
                    #expect(
                        answers.contains(shown),
                        "\(work) after \(percent) %: \(result), then \(shown)"
                    )
                    try await device.expect(
                        ["find-generic-password", "-s", "other", "-w"],
                        output: "x\n"
                    )
                }
                let doctor = try await device.client("doctor")
                #expect(doctor.status == 0, "\(doctor)")
            }
        }

        @Test
        func `a killed daemon answers a look-up with the secret or with an error`() async throws {
            try await World.withDevice { _, device in
                try await device.expect(["add-generic-password", "-w", "one"] + Self.item)
                let lookUp =
                    #"{"fn":"SecItemCopyMatching","query":{"kSecClass":"#
                    + #""kSecClassGenericPassword","kSecAttrService":"kept","#
                    + #""kSecReturnData":true}}"# + "\n"
                let found = #"{"result":{"$data":"hex:6f6e65"},"status":0}"#
                let requests = String(repeating: lookUp, count: 10_000)
                for milliseconds in [30, 100, 300] {
                    let reader = try await device.start("keychain", ["rpc"], input: requests)
                    let writer = try await device.start(
                        "keychain",
                        ["add-generic-password", "-U", "-w", "one"] + Self.item
                    )
                    await pause(milliseconds: milliseconds)
                    await (try device.runningDaemon).kill()
                    // Both may start another daemon, which answers them.
                    let answers = await reader.result(limitSeconds: 120)
                    _ = await writer.result()
                    let lines = answers.output.split(separator: "\n")
                    let others = lines.filter { $0 != found }
                    #expect(lines.count > others.count)
                    #expect(others.allSatisfy { $0.contains(#""status":-"#) }, "\(others)")
                    _ = try await device.client("stop")
                    try await device.startDaemon()
                    try await device.expect(Self.find, output: "one\n")
                }
                let doctor = try await device.client("doctor")
                #expect(doctor.status == 0, "\(doctor)")
            }
        }

        @Test
        func `an interrupted import adds the complete identity or nothing`() async throws {
            try await World.withDevice { world, device in
                let bundle = world.path("in.p12")
                let data = Data(
                    base64Encoded: KeyFixtures.bundle,
                    options: .ignoreUnknownCharacters
                )
                try #require(data).write(to: URL(filePath: bundle))
                let take = ["import", bundle, "-P", "geheim"]
                let duration = try await time(device, take)
                try await device.expect(["delete-identity", "-c", "Ada Lovelace"])
                for percent in [0, 20, 40, 60, 80, 95] {
                    let result = try await kill(
                        device,
                        during: take,
                        after: duration * percent / 100
                    )
                    let identities = try await device.run(["find-identity"])
                    let isThere = identities.output.contains("\"Ada Lovelace\"")
                    #expect(isThere || result.status != 0, "\(result)")
                    for line in [["find-key"], ["find-certificate", "-c", "Ada"]] {
                        let part = try await device.run(line)
                        #expect((part.status == 0) == isThere, "\(result) \(part)")
                    }
                    if isThere {
                        try await device.expect(["delete-identity", "-c", "Ada Lovelace"])
                    }
                }
            }
        }

        @Test
        func `a keychain has the old password or the new one`() async throws {
            try await World.withDevice(derivation: .slow) { _, device in
                try await device.expect(["create-keychain", "-p", "old", Self.k])
                try await device.expect(
                    ["add-generic-password", "-w", "one"] + Self.item + [Self.k]
                )
                let change = ["set-keychain-password", "-o", "old", "-p", "new", Self.k]
                let back = ["set-keychain-password", "-o", "new", "-p", "old", Self.k]
                let duration = try await time(device, change)
                try await device.expect(back)
                var cutCount = 0
                // Five are enough, unless all of them come too late or too early.
                for (number, percent) in [0, 20, 40, 60, 80, 90, 70, 50, 30].enumerated() {
                    if number >= 5, cutCount > 0 { break }
                    let result = try await kill(
                        device,
                        during: change,
                        after: duration * percent / 100
                    )
                    cutCount += result.errors.contains("in the middle of the call") ? 1 : 0
                    let old = try await device.run(Self.unlock)
                    let new = try await device.run(["unlock-keychain", "-p", "new", Self.k])
                    #expect(
                        [old.status, new.status].sorted() == [0, 51],
                        "\(result) \(old) \(new)"
                    )
                    #expect(result.status != 0 || new.status == 0, "\(result)")
                    try await device.expect(Self.find + [Self.k], output: "one\n")
                    if new.status == 0 { try await device.expect(back) }
                }
                #expect(cutCount > 0)
            }
        }
    }
}
