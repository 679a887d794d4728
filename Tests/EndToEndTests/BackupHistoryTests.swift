import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The history in a backup.
    struct BackupHistoryTests {
        private static let other = "eve-of-the-test"

        private func signUpOther(_ device: Device) async throws {
            let result = try await device.signUp(account: Self.other, kit: "kit of the other")
            try #require(result.status == 0, "\(result)")
        }

        /// A device of another account, so that nothing can come from the server.
        @Test
        func `a backup includes older passwords, and no deletions`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let other = world.device("other")
                try await other.startDaemon()
                try await signUpOther(other)
                // A deletion is not restored: what is here stays.
                try await other.save("gone", "old")
                try await laptop.save("gone", "old")
                try await laptop.save("mail", "first")
                try await laptop.save("mail", "second")
                try await laptop.expect(["delete-generic-password", "-s", "gone"])

                let passphrase = try world.write("correct horse\n", to: "passphrase")
                let file = [world.path("backup"), "--passphrase-file", passphrase]
                let written = try await laptop.start("sync-client", ["backup"] + file).result()
                #expect(written.status == 0, "\(written)")
                let restored = try await other.start("sync-client", ["restore"] + file).result()
                #expect(restored.status == 0, "\(restored)")

                let history = try await other.client(
                    "history",
                    "-s",
                    "mail",
                    "-a",
                    "ada",
                    "--show-secrets"
                )
                #expect(history.output.contains("first"), "\(history)")
                #expect(history.output.contains("second"), "\(history)")
                try await other.expect(
                    ["find-generic-password", "-s", "mail", "-w"],
                    output: "second\n"
                )
                try await other.expect(
                    ["find-generic-password", "-s", "gone", "-w"],
                    output: "old\n"
                )
            }
        }
    }
}
