import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Commands that have a password in their memory refuse debuggers and core files.
    struct MemoryProtectionTests {
        private static let setpriv = "/usr/bin/setpriv"
        /// The superuser may look at every process: both programs give up that right, and with it
        /// every other, as one that has more rights can be looked at by nobody who has fewer.
        private static let canLook =
            geteuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv)
        private static let words = geteuid() == 0 ? [setpriv, "--bounding-set=-all"] : []

        /// Whether another program of the same user may inspect the process.
        private static func mayLook(at process: Int32, in world: World) async throws -> Bool {
            let words = Self.words + ["/bin/cat", "/proc/\(process)/environ"]
            return try await RunningProgram(
                words[0],
                Array(words.dropFirst()),
                folder: world.folder
            ).result().status == 0
        }

        /// Runs a command up to its prompt, and ends it there.
        private func expectClosed(
            _ device: Device,
            _ world: World,
            _ words: [String],
            at prompt: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let file = world.path("\(words[0]).pid")
            let terminal = try await TerminalProgram(
                device,
                words,
                before: (Self.words + ["/bin/sh -c 'echo $$ >\(file); exec \"$0\" \"$@\"' "])
                    .joined(separator: " ")
            )
            try await terminal.type("", at: prompt)
            let number = try String(contentsOfFile: file, encoding: .utf8).dropLast()
            let mayLook = try await Self.mayLook(at: try #require(Int32(number)), in: world)
            #expect(!mayLook, "\(words[0])", sourceLocation: sourceLocation)
            try await terminal.type("\u{3}", at: prompt)
            _ = try await terminal.end()
        }

        @Test(.enabled(if: TerminalProgram.canRun && canLook))
        func `a debugger cannot read a password that a command asks for`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                // Others can be looked at. Until it is `sleep`, the process has all rights.
                let words = Self.words + ["/bin/sleep", "600"]
                let sleep = try await RunningProgram(
                    words[0],
                    Array(words.dropFirst()),
                    folder: world.folder
                )
                let canLook = try await eventually {
                    try await Self.mayLook(at: sleep.processID, in: world)
                }
                #expect(canLook)
                await sleep.kill()

                let backup = world.path("backup")
                try await expectClosed(
                    laptop,
                    world,
                    ["backup", backup],
                    at: "Passphrase of the backup: "
                )
                let passphrase = try world.write("a passphrase", to: "passphrase")
                let file = ["--passphrase-file", passphrase]
                let made = try await laptop.start("sync-client", ["backup", backup] + file)
                #expect(await made.result().status == 0)
                try await expectClosed(
                    laptop,
                    world,
                    ["restore", backup],
                    at: "Passphrase of the backup: "
                )
                try await expectClosed(laptop, world, ["passcode", "set"], at: "New passcode: ")
                let set = try await laptop.client("passcode", "set", "--passcode-file", passphrase)
                #expect(set.status == 0, "\(set)")
                try await expectClosed(
                    laptop,
                    world,
                    ["unlock"],
                    at: "Passcode of this device: "
                )
                let phone = world.device("phone")
                let join = try [
                    "--server", world.server.url, "--pin", world.server.pin, "--account", "bea",
                    "--device", "phone",
                ]
                try await phone.startDaemon()
                for words in [
                    ["signup", "--kit", world.path("new-kit")],
                    ["login", "--kit", world.path(World.kit)],
                ] {
                    try await expectClosed(
                        phone,
                        world,
                        words + join,
                        at: "Password of the account: "
                    )
                }
            }
        }
    }
}
