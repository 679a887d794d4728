import Foundation
import KSTestPrograms
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
        func `broken rows are reported by number, and the others imported`() async throws {
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

        /// The dry run also compares the rows with existing items.
        @Test
        func `a dry run counts all that the import then does, and does none of it`()
            async throws
        {
            let rows = """
                name,url,username,password,note
                one,https://one.example.org/,ada,first,
                one,https://one.example.org/,ada,first,
                two,https://two.example.org/,ada,second,
                two,https://two.example.org/,ada,further,
                kept,https://kept.example.org/,ada,older,
                there,https://there.example.org/,ada,same,
                broken,https://broken.example.org/,ada,,

                """
            func summary(_ first: String, kept: Bool = true) -> String {
                let keptLine = """
                    1 exists with another password, which stays the current one; the file's \
                    is in their history.

                    """
                return first + "\n" + (kept ? keptLine : "") + """
                    1 row repeats an earlier row.
                    1 further password of the same login is in the history.
                    1 row was not imported.

                    """
            }
            try await World.withDevices("laptop") { world, devices in
                let device = devices[0]
                for (server, password) in [("kept", "current"), ("there", "same")] {
                    let saved = try await device.keychain(
                        "add-internet-password",
                        "--sync",
                        "-r",
                        "htps",
                        "-s",
                        server + ".example.org",
                        "-a",
                        "ada",
                        "-w",
                        password
                    )
                    #expect(saved.status == 0, "\(saved)")
                }
                let file = try world.write(rows, to: "counted.csv")
                let finding = "sync-client: Row 8 (line 8): not imported: it has no password.\n"
                let dry = try await device.client("import", file, "--dry-run")
                #expect(dry.status == 0 && dry.errors == finding, "\(dry)")
                #expect(
                    dry.output
                        == summary("7 rows, 4 items: 2 would be added, 1 was there already.")
                )
                #expect(try await secret(device, "one.example.org").status == 44)
                let result = try await device.client("import", file)
                #expect(result.status == 0 && result.errors == finding, "\(result)")
                #expect(
                    result.output == summary("7 rows, 4 items: 2 added, 1 was there already.")
                )
                let again = try await device.client("import", file)
                #expect(
                    again.output
                        == summary("7 rows, 4 items: 0 added, 4 were there already.", kept: false)
                )
                #expect(try await secret(device, "kept.example.org").output == "current\n")
            }
        }

        @Test
        func `a table of an unknown layout changes nothing`() async throws {
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
