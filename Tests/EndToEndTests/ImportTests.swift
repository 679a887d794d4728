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
            three,https://three.example.org/,ada,"third" hand,
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
                    for row in [3, 4, 5] { #expect(text.contains("Row \(row): "), "\(text)") }
                    #expect(!text.contains("Row 2"), "\(text)")
                    #expect(!text.contains("Row 6"), "\(text)")
                    #expect(text.contains("3 rows were left out: 3-5.\n"), "\(text)")
                    for value in ["first", "third", "fifth", "open-ended"] {
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
                    one.example,https://one.example/,ada,same,first note
                    two.example,https://two.example/,ada,given,
                    """
                for (number, table) in [rows, rows.replacing("first", with: "second")].enumerated()
                {
                    let file = try world.write(table + "\n", to: "rows.csv")
                    let result = try await device.client("import", file)
                    // Without an account there is no history for the second note.
                    #expect(result.status == Int32(number), "\(result)")
                    let text = result.output + result.errors
                    #expect(text.contains("the note: the present") == (number == 1), "\(text)")
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
                one.example.org,https://one.example.org/,ada,first,
                one.example.org,https://one.example.org/,ada,first,
                two.example.org,https://two.example.org/,ada,second,
                two.example.org,https://two.example.org/,ada,further,
                kept.example.org,https://kept.example.org/,ada,older,
                there.example.org,https://there.example.org/,ada,same,
                broken,https://broken.example.org/,ada

                """
            func summary(_ first: String, kept: Int = 1) -> String {
                let keptLine = "\(kept) has other values, which stay current.\n"
                return "Layout: chrome.\n" + first + "\n" + (kept > 0 ? keptLine : "") + """
                    1 row repeats an earlier one.
                    1 row was left out: 8.

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
                let finding =
                    "sync-client: Row 8: left out: it does not have as many fields as the header.\n"
                let dry = try await device.client("import", file, "--dry-run")
                let earlier = """
                    sync-client: Row 6 (kept.example.org): the password goes to the history, and \
                    the present one stays current.

                    """
                #expect(dry.status == 1 && dry.errors == earlier + finding, "\(dry)")
                #expect(
                    dry.output
                        == summary(
                            "7 rows: 3 would be added, 0 would be changed, 1 was there already."
                        )
                )
                #expect(try await secret(device, "one.example.org").status == 44)
                let result = try await device.client("import", file)
                #expect(result.status == 1 && result.errors == earlier + finding, "\(result)")
                #expect(
                    result.output
                        == summary("7 rows: 3 added, 0 changed, 1 was there already.")
                )
                let again = try await device.client("import", file)
                #expect(
                    again.output
                        == summary("7 rows: 0 added, 0 changed, 5 were there already.", kept: 0)
                )
                #expect(try await secret(device, "kept.example.org").output == "current\n")
            }
        }

        @Test
        func `every column of a table is kept, and no value is shown`()
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
                #expect(dry.status == 0 && result.status == 0, "\(dry) \(result)")
                #expect(dry.errors == result.errors)
                #expect(
                    result.errors
                        == "sync-client: Addresses without a scheme are taken as https: row 3.\n"
                )
                #expect(
                    result.output == """
                        Layout: lastpass, with semicolons.
                        3 rows: 3 added, 0 changed, 0 were there already.

                        """
                )
                let json = try await device.client("import", file, "--json")
                for word in ["lastpass", "semicolon", "lucky number", "\"unchanged\":3"] {
                    #expect(json.output.contains(word), "\(json)")
                }
                for value in ["SEEDSEED", "4711", "a secret note"] {
                    #expect(!(result.errors + result.output + json.output).contains(value))
                }
                #expect(try await secret(device, "finch.example").output == "second\n")
                let item = try await device.item("heron.example")
                #expect(item["one-time code"] == "otpauth://totp/?secret=SEEDSEED")
                #expect(item["lucky number"] == "4711" && item.addresses.count == 1)
                #expect(try await device.item("Safe").password == "a secret note")
                let map = ["--map", "url=url", "--map", "username=username"]
                let line = ["import", file, "--map", "password=password", "--dry-run"] + map
                let mapped = try await device.start("sync-client", line).result()
                #expect(mapped.status == 1, "\(mapped)")
                #expect(mapped.errors.contains("not held: the column \"totp\""), "\(mapped)")
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
                for (code, status) in [("SEEDSEED", 0), ("seed seed", 0), ("NBSWY3DP", 1)] {
                    let result = try await importing(code)
                    #expect(result.status == Int32(status), "\(result)")
                    #expect(result.errors.contains("the present one stays") == (status == 1))
                }
                let item = try await device.item("heron.example")
                #expect(
                    item.fields == [
                        .init("one-time code", "otpauth://totp/?secret=SEEDSEED", kind: "otp")
                    ]
                )
                #expect(item.note == "n")
                try await device.expect(["rm", "heron.example", "--yes"])
                let wrong = try await importing("no code!")
                #expect(wrong.status == 0, "\(wrong)")
                expectOneSentence(wrong, saying: "Row 2", "one-time code is no code that works")
                let kept = try await device.item("heron.example")
                #expect(kept.fields.map(\.kind) == ["secret"])
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
