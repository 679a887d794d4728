import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The device has the last copy, since its server has lost what was sent.
    struct LastCopyTests {
        /// The ways in which a device cannot hear what its server has lost.
        enum State: CaseIterable {
            case otherKey
            case suspended
            case unreachable
        }

        private static func operate(_ world: World, _ words: String...) async throws {
            let result = try await world.server.command(words)
            #expect(result.status == 0, "\(result)")
        }

        private static func bring(_ world: World, _ laptop: Device, into state: State) async throws
        {
            let backup = world.path("backup")
            try await operate(world, "backup", backup)
            try await laptop.save("precious", "two")
            #expect(try await laptop.sync().status == 0)
            try await world.server.stop()
            switch state {
            case .otherKey:
                let aside = world.path("lost data")
                try FileManager.default.moveItem(atPath: world.server.data, toPath: aside)
                try await world.server.start()
            case .suspended:
                try await operate(world, "restore", backup, "--force")
                try await operate(world, "accounts", "suspend", World.account)
                try await world.server.start()
            case .unreachable: break
            }
        }

        @Test(arguments: State.allCases)
        func `neither a logout nor a reset takes the server's word for granted`(
            state: State
        ) async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let sure = try await laptop.client("reset")
                expectOneSentence(sure, saying: "lost: nothing")
                try await Self.bring(world, laptop, into: state)
                let logout = try await laptop.client("logout")
                #expect(logout.status == 77, "\(logout)")
                expectOneSentence(logout, saying: "may not have all", "--keep-items")
                #expect(try await laptop.password("precious") == "two")
                let reset = try await laptop.client("reset")
                #expect(reset.status == 77, "\(reset)")
                expectOneSentence(reset, saying: "did not confirm now")
                if state == .suspended {
                    try await Self.operate(world, "accounts", "resume", World.account)
                    // What the backup lacked goes up first.
                    #expect(
                        try await eventually { try await laptop.client("logout").status == 0 }
                    )
                    #expect(try await laptop.logIn().status == 0)
                    #expect(try await laptop.sync().status == 0)
                    #expect(try await laptop.password("precious") == "two")
                } else {
                    let kept = try await laptop.client("logout", "--keep-items")
                    #expect(kept.status == 0, "\(kept)")
                    #expect(try await laptop.password("precious") == "two")
                }
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `a reset asks with what may be lost`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                #expect(try await laptop.sync().status == 0)
                try await world.server.stop()
                let terminal = try await TerminalProgram(laptop, ["reset"])
                try await terminal.answer("Give up the keychain of this device? [y/N]: ", "")
                let shown = try await terminal.end()
                #expect(shown.contains("This would be lost: whatever the server"), "\(shown)")
            }
        }

        @Test
        func `a deletion without the server says that nothing was changed`() async throws {
            try await World.withDevices("laptop") { world, devices in
                #expect(try await devices[0].sync().status == 0)
                try await world.server.stop()
                let result = try await devices[0].client(
                    "delete-account",
                    "--yes",
                    "--password-file",
                    world.passwordFile
                )
                #expect(result.status == 69, "\(result)")
                expectOneSentence(result, saying: "Nothing was changed")
                #expect(!result.errors.contains("sent later"), "\(result)")
            }
        }
    }
}
