import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Items that a device kept at its logout, when it joins another account.
    struct KeptItemsTests {
        private static let flag = "--into-other-account"
        private static let kept = "1 item or value kept from another account"

        /// A laptop that keeps an item of the account that it left, and the account of another
        /// person, on the tablet.
        private func withTwoAccounts(
            _ body: (World, _ laptop: Device, _ tablet: Device) async throws -> Void
        ) async throws {
            try await World.withDevices("tablet") { world, devices in
                let (tablet, laptop) = (devices[0], world.device("laptop"))
                try await laptop.startDaemon()
                let signedUp = try await laptop.signUp(account: "eve", kit: "eve.txt")
                try #require(signedUp.status == 0, "\(signedUp)")
                try await laptop.save("mail", "secret")
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.client("logout", "--keep-items").status == 0)
                try await body(world, laptop, tablet)
            }
        }

        private func deviceCount(_ device: Device) async throws -> Int {
            #expect(try await device.sync().status == 0)
            let listed = try await device.client("devices")
            return listed.output.split(separator: "\n").count
        }

        @Test
        func `they go into another account only if the login says so`() async throws {
            try await withTwoAccounts { _, laptop, tablet in
                let count = try await deviceCount(tablet)
                let refused = try await laptop.logIn()
                #expect(refused.status == 77, "\(refused)")
                expectOneSentence(refused, saying: Self.kept, Self.flag)
                // The account has not got a device by it.
                #expect(try await deviceCount(tablet) == count)
                let joined = try await laptop.logIn(options: [Self.flag])
                #expect(joined.status == 0, "\(joined)")
                #expect(try await laptop.sync().status == 0)
                #expect(try await tablet.sync().status == 0)
                #expect(try await tablet.shows("mail", "secret"))
            }
        }

        @Test
        func `the account that was left gets them back without a question`() async throws {
            try await withTwoAccounts { world, laptop, _ in
                let words = [
                    "login", "--kit", world.path("eve.txt"), "--no-passcode", "--password-file",
                    world.passwordFile,
                ]
                let login = try await laptop.start("sync-client", words).result()
                #expect(login.status == 0, "\(login)")
                #expect(try await laptop.shows("mail", "secret"))
            }
        }

        @Test
        func `they go into a new account only if the sign-up says so`() async throws {
            try await withTwoAccounts { world, laptop, _ in
                let refused = try await laptop.signUp(account: "new", kit: "new.txt")
                #expect(refused.status == 77, "\(refused)")
                expectOneSentence(refused, saying: Self.kept, Self.flag)
                #expect(!FileManager.default.fileExists(atPath: world.path("new.txt")))
                let words = try [
                    "signup", "--server", world.server.url, "--pin", world.server.pin,
                    "--account", "new", "--no-passcode", "--password-file", world.passwordFile,
                    "--kit", world.path("new.txt"), Self.flag,
                ]
                let made = try await laptop.start("sync-client", words).result()
                #expect(made.status == 0, "\(made)")
                let sync = try await laptop.sync()
                #expect(sync.status == 0, "\(sync)")
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun), arguments: [true, false])
        func `on a terminal the login asks`(isWanted: Bool) async throws {
            try await withTwoAccounts { world, laptop, tablet in
                let words = try [
                    "login", "--server", world.server.url, "--pin", world.server.pin,
                    "--account", World.account, "--account-key", world.accountKey,
                    "--no-passcode", "--password-file", world.passwordFile,
                ]
                let terminal = try await TerminalProgram(laptop, words)
                try await terminal.answer("May they? [y/N]: ", isWanted ? "yes" : "no")
                let shown = try await terminal.end()
                #expect(shown.contains(Self.kept + " will go into this one."), "\(shown)")
                #expect(shown.contains("Logged in to") == isWanted, "\(shown)")
                #expect(shown.contains(Self.flag) != isWanted, "\(shown)")
            }
        }
    }
}
