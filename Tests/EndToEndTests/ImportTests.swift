import Foundation
import Testing

extension EndToEndTests {
    /// A device without an account and without a server: importing needs neither.
    struct ImportTests {
        private static let broken = """
            name,url,username,password,note
            one,https://one.example.org/,ada,first,
            two,https://two.example.org/,ada
            three,https://three.example.org/,ada,,
            four,https://four.example.org/,ada,"open-ended,
            five,https://five.example.org/,ada,fifth,

            """

        private func secret(_ device: Device, _ server: String) async throws -> ProgramResult {
            try await device.keychain("find-internet-password", "-s", server, "-w")
        }

        @Test
        func `broken rows are named by number, and the rest is imported`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let file = try world.write(Self.broken, to: "broken.csv")

                let dry = try await device.client("import", file, "--dry-run")
                #expect(dry.status == 0, "\(dry)")
                #expect(try await secret(device, "one.example.org").status == 44)

                let result = try await device.client("import", file)
                #expect(result.status == 0, "\(result)")
                for run in [dry, result] {
                    let text = run.output + run.errors
                    for row in [3, 4, 5] { #expect(text.contains("Row \(row) "), "\(text)") }
                    #expect(!text.contains("Row 2 "), "\(text)")
                    #expect(!text.contains("Row 6 "), "\(text)")
                    for value in ["first", "fifth", "open-ended"] {
                        #expect(!text.contains(value), "\(text)")
                    }
                    #expect(!text.contains("\u{1B}") && !text.contains("\r"), "\(text)")
                }
                #expect(try await secret(device, "one.example.org").output == "first\n")
                #expect(try await secret(device, "five.example.org").output == "fifth\n")
                #expect(try await secret(device, "three.example.org").status == 44)

                let again = try await device.client("import", file)
                #expect(again.status == 0, "\(again)")
            }
        }

        @Test
        func `a table that is none of the known ones changes nothing`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let unknown = try world.write("who,what\nada,secret-of-hers\n", to: "unknown.csv")
                let result = try await device.client("import", unknown)
                #expect(result.status == 1, "\(result)")
                expectOneSentence(result, saying: "--format")
                #expect(!result.errors.contains("secret-of-hers"))

                let chrome = try world.write(Self.broken, to: "chrome.csv")
                let forced = try await device.client("import", chrome, "--format", "bitwarden")
                #expect(forced.status == 1)
                expectOneSentence(forced, saying: "login_uri")
                #expect(try await secret(device, "one.example.org").status == 44)

                let missing = try await device.client("import", world.path("no-such-file"))
                #expect(missing.status != 0)
                #expect(missing.errors.contains("no-such-file"))
            }
        }
    }
}
