import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `reset`: the way out for a device whose passcode is lost.
    struct ResetTests {
        /// A laptop with a passcode that nobody knows any more, and something unsent.
        private func withLostPasscode(
            _ body: (World, _ laptop: Device, _ passcode: String) async throws -> Void
        ) async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                try await laptop.save("sent", "one")
                #expect(try await laptop.sync().status == 0)
                try await world.server.stop()
                try await laptop.save("unsent", "two")
                let names = ["-s", "own", "-a", "ada", "-w", "of this device"]
                let own = try await laptop.start("keychain", ["add-generic-password"] + names)
                    .result()
                #expect(own.status == 0, "\(own)")
                let passcode = try world.write("2580\n", to: "passcode")
                let set = try await laptop.client("passcode", "set", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                try await world.server.start()
                try await laptop.restartDaemonAfterKill()
                try await body(world, laptop, passcode)
            }
        }

        @Test
        func `a lost passcode costs only what is not on the server`() async throws {
            try await withLostPasscode { world, laptop, passcode in
                let refused = try await laptop.client("reset")
                #expect(refused.status == 77, "\(refused)")
                expectOneSentence(
                    refused,
                    saying: "changes of 1 item or value, 1 item of this device alone",
                    "--discard-unsent"
                )
                let locked = try await laptop.client("status")
                #expect(locked.output.contains("next         sync-client unlock"), "\(locked)")

                let reset = try await laptop.client("reset", "--discard-unsent")
                #expect(reset.status == 0, "\(reset)")
                let folder = laptop.home + "/given-up-1"
                #expect(reset.output.contains(folder), "\(reset)")
                let login = try await laptop.logIn()
                #expect(login.status == 0, "\(login)")
                #expect(try await laptop.shows("sent", "one"))
                #expect(try await laptop.shows("unsent", nil))
                #expect(try await laptop.shows("own", nil))
                let status = try await laptop.client("status")
                #expect(status.output.contains("no passcode"), "\(status)")

                // The passcode was found after all.
                let unlock = try await laptop.start(
                    "sync-client",
                    ["unlock", "--passcode-file", passcode, "--home", folder],
                    namesHome: false
                ).result()
                #expect(unlock.status == 0, "\(unlock)")
                let found = try await laptop.start(
                    "keychain",
                    ["find-generic-password", "-s", "unsent", "-w", "--home", folder],
                    namesHome: false
                ).result()
                #expect(found.output == "two\n", "\(found)")
            }
        }

        @Test
        func `a lost key file has the same way out`() async throws {
            try await World.withDevices("laptop") { _, devices in
                let laptop = devices[0]
                try await laptop.save("sent", "one")
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.client("stop").status == 0)
                try FileManager.default.removeItem(atPath: laptop.home + "/key-bag")
                let broken = try await laptop.client("status")
                #expect(broken.status == 74, "\(broken)")
                let refused = try await laptop.client("reset")
                #expect(refused.status == 77, "\(refused)")
                expectOneSentence(refused, saying: "which cannot be counted")
                let reset = try await laptop.client("reset", "--discard-unsent")
                #expect(reset.status == 0, "\(reset)")
                #expect(try await laptop.logIn().status == 0)
                #expect(try await laptop.shows("sent", "one"))
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun), arguments: [true, false])
        func `on a terminal the command asks`(isWanted: Bool) async throws {
            try await withLostPasscode { _, laptop, _ in
                let terminal = try await TerminalProgram(laptop, ["reset"])
                let question = "Give up the keychain of this device? [y/N]: "
                try await terminal.answer(question, isWanted ? "yes" : "")
                let shown = try await terminal.end()
                #expect(shown.contains("This would be lost: "), "\(shown)")
                let folder = laptop.home + "/given-up-1"
                #expect(FileManager.default.fileExists(atPath: folder) == isWanted, "\(shown)")
                let status = try await laptop.client("status")
                #expect(status.output.contains("passcode set") != isWanted, "\(status)")
            }
        }
    }
}
