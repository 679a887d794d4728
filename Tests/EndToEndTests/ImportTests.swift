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
                #expect(dry.status == 1, "\(dry)")
                #expect(try await secret(device, "one.example.org").status == 44)

                let result = try await device.client("import", file)
                #expect(result.status == 1, "\(result)")
                for run in [dry, result] {
                    let text = run.output + run.errors
                    for row in [3, 4, 5] { #expect(text.contains("Row \(row) "), "\(text)") }
                    #expect(!text.contains("Row 2 "), "\(text)")
                    #expect(!text.contains("Row 6 "), "\(text)")
                    #expect(text.contains("3 rows were not imported: 3-5.\n"), "\(text)")
                    for value in ["first", "fifth", "open-ended"] {
                        #expect(!text.contains(value), "\(text)")
                    }
                    #expect(!text.contains("\u{1B}") && !text.contains("\r"), "\(text)")
                }
                #expect(try await secret(device, "one.example.org").output == "first\n")
                #expect(try await secret(device, "five.example.org").output == "fifth\n")
                #expect(try await secret(device, "three.example.org").status == 44)

                // Nothing that it could import is left, and the broken rows are still not imported.
                let again = try await device.client("import", file)
                #expect(again.status == 1, "\(again)")
            }
        }

        @Test
        func `an item that is there gets the password and the note that it lacks, and no more`()
            async throws
        {
            try await World.withDevice { world, device in
                let password = try world.write("same\n", to: "password")
                let new = ["new", "login", "--user", "ada", "--site"]
                try await device.expect(
                    new + ["one.example", "--title", "One", "--password-file", password]
                )
                try await device.expect(new + ["two.example", "--title", "Two", "--no-password"])
                let rows = """
                    name,url,username,password,note
                    x,https://one.example/,ada,same,first note
                    y,https://two.example/,ada,given,
                    """
                for (number, table) in [rows, rows.replacing("first", with: "second")].enumerated()
                {
                    let file = try world.write(table + "\n", to: "rows.csv")
                    let result = try await device.client("import", file)
                    #expect(result.status == 0, "\(result)")
                    let text = result.output + result.errors
                    #expect(text.contains("another comment already") == (number == 1), "\(text)")
                    #expect(!text.contains("another password"), "\(text)")
                    let (one, two) = (try await device.item("One"), try await device.item("Two"))
                    #expect(one.note == "first note" && one.password == "same")
                    #expect(two.password == "given" && two.note == "")
                }
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
                return "Layout: chrome.\n" + first + "\n" + (kept ? keptLine : "") + """
                    1 row repeats an earlier row.
                    1 further password of the same login is in the history.
                    1 row was not imported: 8.

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
                #expect(dry.status == 1 && dry.errors == finding, "\(dry)")
                #expect(
                    dry.output
                        == summary("7 rows, 4 items: 2 would be added, 1 was there already.")
                )
                #expect(try await secret(device, "one.example.org").status == 44)
                let result = try await device.client("import", file)
                #expect(result.status == 1 && result.errors == finding, "\(result)")
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
        func `what is not imported of a row is named by column and row, and never shown`()
            async throws
        {
            let rows = """
                url;username;password;totp;extra;name;grouping;fav;lucky number
                https://heron.example/login;ada;first;SEEDSEED;;Heron;;0;4711
                finch.example;ada;second;;a note;Finch;;1;
                http://sn;;;;a secret note;Safe;;0;12

                """
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let file = try world.write(rows, to: "lastpass.csv")
                let dry = try await device.client("import", file, "--dry-run")
                let result = try await device.client("import", file)
                #expect(dry.status == 1 && result.status == 1)
                #expect(dry.errors == result.errors)
                #expect(
                    result.errors == """
                        sync-client: Row 4 (line 4): not imported: it is not a login.
                        sync-client: The column "fav" is not imported; it is filled in row 3.
                        sync-client: The column "lucky number" is not imported; it is filled in \
                        row 2.
                        sync-client: Only scheme, host and port of the column "url" are imported; \
                        row 2 has more.
                        sync-client: The column "url" has addresses without a scheme, which are \
                        taken as https: row 3.

                        """
                )
                #expect(
                    result.output == """
                        Layout: lastpass, with semicolons.
                        3 rows, 2 items: 2 added, 0 were there already.
                        1 one-time code is in a field of its item: "keychain totp".
                        1 row was not imported: 4.

                        """
                )
                let json = try await device.client("import", file, "--json")
                #expect(json.status == 1)
                for word in ["lastpass", "semicolon", "column_left_out", "lucky number", "4"] {
                    #expect(json.output.contains(word), "\(json)")
                }
                for value in ["SEEDSEED", "4711", "a secret note"] {
                    #expect(!(result.errors + result.output + json.output).contains(value))
                }
                #expect(try await secret(device, "finch.example").output == "second\n")
                let item = try await device.item("heron.example")
                #expect(item["one-time code"] == "otpauth://totp/?secret=SEEDSEED")
                #expect(!item.note.contains("SEEDSEED"))
            }
        }

        @Test
        func `an item that is there gets the one-time code, once, and what is none is named`()
            async throws
        {
            try await World.withDevice { world, device in
                func importing(_ code: String) async throws -> ProgramResult {
                    let row = "https://heron.example,ada,pw,n,\(code)\n"
                    let file = try world.write("url,username,password,note,otp\n" + row, to: "f")
                    return try await device.client("import", file)
                }
                let before = try await importing("")
                #expect(before.status == 0, "\(before)")
                for code in ["SEEDSEED", "seed seed", "NBSWY3DP", "SEEDSEED"] {
                    let result = try await importing(code)
                    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
                }
                let item = try await device.item("heron.example")
                #expect(
                    item.fields == [
                        .init("one-time code", "otpauth://totp/?secret=SEEDSEED", kind: "otp"),
                        .init("one-time code 2", "otpauth://totp/?secret=NBSWY3DP", kind: "otp"),
                    ]
                )
                #expect(item.note == "n")
                try await device.expect(["rm", "heron.example", "--yes"])
                let wrong = try await importing("no code!")
                #expect(wrong.status == 0, "\(wrong)")
                expectOneSentence(wrong, saying: "Row 2: imported, but its one-time code is wrong")
                #expect(!wrong.output.contains("one-time code"), "\(wrong)")
                let kept = try await device.item("heron.example")
                #expect(kept.note == "n\none-time code: no code!" && kept.fields.isEmpty)
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
