import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What commands with `--json` print on standard error.
    struct JSONErrorTests {
        /// Expects one line with an object of these members.
        private func expectFailure(
            _ device: Device,
            _ words: [String],
            _ status: Int32,
            saying part: String
        ) async throws {
            let result = try await device.start("sync-client", words).result()
            let failure = try PrintedFailure(of: result, words, status: status)
            #expect(failure.message.contains(part), "\(failure)")
            if failure.next.code == "no_account" {
                #expect(failure.next.command == "sync-client setup")
            } else {
                #expect(failure.next.command == nil, "\(failure)")
            }
            let text = try await device.start("sync-client", words.filter { $0 != "--json" })
                .result()
            #expect(text.status == status && !text.errors.hasPrefix("{"), "\(words): \(text)")
            #expect(text.errors.contains(part), "\(words): \(text)")
        }

        @Test
        func `an error is JSON for every command that prints JSON`() async throws {
            try await World.withDevice { world, device in
                let none = "no account"
                for words in [["sync"], ["devices"], ["revoke", "x"], ["conflicts"]] {
                    try await expectFailure(device, words + ["--json"], 1, saying: none)
                }
                let history = ["history", "-s", "mail", "-a", "ada", "--json"]
                try await expectFailure(device, history, 1, saying: none)
                let file = world.path("none.csv")
                try await expectFailure(device, ["import", file, "--json"], 74, saying: "none.csv")
                let limits = ["kv", "limits", "--keys", "0", "--json"]
                try await expectFailure(device, limits, 64, saying: "not a possible limit")
                let missing = ["entitlements", "no-such-program", "--json"]
                try await expectFailure(device, missing, 64, saying: "no-such-program")
                // Mistakes that the parser finds.
                let unknown = ["status", "--json", "--nonsense"]
                try await expectFailure(device, unknown, 64, saying: "--nonsense")
                let both = ["kv", "limits", "--reset", "--keys", "1", "--json"]
                try await expectFailure(device, both, 64, saying: "cannot be combined")
                try await expectFailure(device, ["statsu", "--json"], 64, saying: "status?")

                let help = try await device.client("status", "--json", "--help")
                #expect(help.status == 0 && help.output.contains("USAGE"), "\(help)")
                let status = try await device.client("status", "--json")
                #expect(status.status == 0 && status.errors.isEmpty, "\(status)")
            }
        }
    }
}
