import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Programs get secrets by reference: `run`, `inject` and `read`.
    struct SecretsForProgramsTests {
        private static let token = "s3cr3t/value+of the token"
        private static let concealed = "<concealed by keychain>"

        /// A database with two users, one of whom has a token and a one-time code.
        private static func addDatabase(to device: Device, in world: World) async throws {
            let password = try world.write("first password\n", to: "app password")
            try await device.expect([
                "new", "login", "--title", "DB", "--site", "db.example", "--user", "app",
                "--password-file", password, "--secret", "token=\(token)", "--note", "a note",
                "--otp", "JBSWY3DPEHPK3PXP",
            ])
            let other = try world.write("second password\n", to: "root password")
            try await device.expect([
                "new", "login", "--title", "DB", "--site", "db.example", "--user", "root",
                "--password-file", other,
            ])
        }

        private static func withDatabase(
            _ body: (World, Device) async throws -> Void
        ) async throws {
            try await World.withDevice { world, device in
                try await addDatabase(to: device, in: world)
                try await body(world, device)
            }
        }

        private static func shell(_ options: [String], _ script: String) -> [String] {
            ["run"] + options + ["--", "/bin/sh", "-c", script]
        }

        // MARK: read

        @Test
        func `a reference is read as its value, and a wrong one is named`() async throws {
            try await Self.withDatabase { _, device in
                for (reference, value) in [
                    ("db.example/app", "first password"), ("db.example/root", "second password"),
                    ("DB/app", "first password"), ("db.example/app/token", Self.token),
                    ("db.example/app/username", "app"), ("db.example/app/notes", "a note"),
                    ("db.example/app/user%20name", "app"), ("db.example/app/note", "a note"),
                ] {
                    try await device.expect(
                        ["read", "keychain://" + reference],
                        output: value + "\n",
                        errors: ""
                    )
                }
                try await device.expect(
                    ["read", "keychain://db.example/root", "keychain://db.example/app"],
                    output: "second password\nfirst password\n"
                )
                // All or none.
                try await device.expect(
                    ["read", "keychain://db.example/root", "keychain://none/app"],
                    status: 44,
                    output: ""
                )
                let listed =
                    ": 2 items match; give one of these in its place:\n"
                    + ["app", "root"].map { "  keychain://db.example/\($0)\n" }.joined()
                let ambiguous = try await device.run(["read", "keychain://db.example"])
                #expect(ambiguous.status == 44 && ambiguous.output.isEmpty, "\(ambiguous)")
                #expect(ambiguous.errors == "keychain: keychain://db.example" + listed)
                for (reference, part, status) in [
                    ("keychain://db.example/eve", "there is no such item", 44),
                    ("keychain://none/app", "there is no such item", 44),
                    ("keychain://db.example/root/token", "the item has no such field", 44),
                    ("keychain://db.example/root/otp", "the item has no such field", 44),
                    ("db.example/app", "a reference starts with keychain://", 1),
                    ("keychain://", "name a site or service", 1),
                    ("keychain://db.example/app?x", "a question mark", 1),
                ] as [(String, String, Int32)] {
                    let result = try await device.run(["read", reference])
                    #expect(result.status == status && result.output.isEmpty, "\(result)")
                    expectOneSentence(result, saying: part, reference)
                }
            }
        }

        /// A generic password with a label, as scripts and apps add it.
        @Test
        func `a service of a script is read by its name, and a title if it is the only one`()
            async throws
        {
            try await World.withDevice { _, device in
                let add = ["add-generic-password", "-a", "me", "-w"]
                try await device.expect(add + ["one", "-s", "svc", "-l", "A Label"])
                for reference in ["keychain://svc/me", "keychain://svc", "keychain://A%20Label"] {
                    try await device.expect(["read", reference], output: "one\n")
                }
                // A service goes before a title.
                try await device.expect(add + ["two", "-s", "A Label"])
                try await device.expect(["read", "keychain://A%20Label/me"], output: "two\n")
            }
        }

        // MARK: run

        @Test
        func `a program gets its secrets, and their values are masked in what it prints`()
            async throws
        {
            try await Self.withDatabase { world, device in
                let options = [
                    "-e", "P=keychain://db.example/app", "-e", "T=keychain://db.example/app/token",
                    "--env-file", try world.write("PLAIN=visible\n", to: "plain.env"),
                ]
                let script = """
                    [ "$P" = "first password" ] && [ "$T" = "\(Self.token)" ] && echo same $PLAIN
                    echo "p $P, t $T."
                    printf '%s' "$T" | base64
                    printf 's3cr3t/va'; sleep 0.01; printf 'lue+of the token\\n'
                    echo 's3cr3t%2Fvalue%2Bof%20the%20token'
                    echo "error $P" >&2
                    exit 7
                    """
                try await device.expect(
                    Self.shell(options, script),
                    status: 7,
                    output: """
                        same visible
                        p \(Self.concealed), t \(Self.concealed).
                        \(Self.concealed)
                        \(Self.concealed)
                        \(Self.concealed)

                        """,
                    errors: "error \(Self.concealed)\n"
                )
                try await device.expect(
                    Self.shell(options + ["--no-masking"], "echo $P; exit 8"),
                    status: 8,
                    output: "first password\n"
                )
            }
        }

        @Test
        func `the exit code is the program's, and input passes through`() async throws {
            try await Self.withDatabase { _, device in
                let options = ["-e", "P=keychain://db.example/app"]
                for (script, status) in [
                    ("exit 0", 0), ("exit 255", 255), ("exit 130", 130),
                    // It ends by the same signal, which a shell then sees.
                    ("kill -TERM $$", -15), ("kill -9 $$", -9), ("kill -INT $$", -2),
                ] as [(String, Int32)] {
                    try await device.expect(Self.shell(options, script), status: status, errors: "")
                }
                let echo = try await device.run(
                    ["run"] + options + ["--", "/bin/cat"],
                    input: "typed\nfirst password\n"
                )
                #expect(echo.output == "typed\n\(Self.concealed)\n", "\(echo)")
                for (words, status) in [(["no-such-program"], 127), (["/etc/passwd"], 126)]
                    as [([String], Int32)]
                {
                    let result = try await device.run(["run", "--"] + words)
                    #expect(result.status == status)
                    expectOneSentence(result, saying: words[0])
                }
                for line in [
                    ["run"], ["run", "/bin/true"], ["run", "-e", "P", "--", "/bin/true"],
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 2 && result.errors.contains("\nUsage: "), "\(result)")
                }
            }
        }

        @Test
        func `a value of -e that is no reference starts nothing, and the form is shown`()
            async throws
        {
            try await Self.withDatabase { _, device in
                for value in ["db.example", "", "keychain:/db.example/app"] {
                    let result = try await device.run(Self.shell(["-e", "P=\(value)"], "echo ran"))
                    #expect(result.status == 2 && result.output == "", "\(result)")
                    let sentence = "keychain: P is no reference; give it as P=keychain://SITE/USER"
                    #expect(result.errors.hasPrefix(sentence), "\(result)")
                }
            }
        }

        @Test
        func `a signal to run is one to the program`() async throws {
            try await Self.withDatabase { world, device in
                let script = """
                    trap 'echo caught $P; exit 9' TERM
                    echo ready
                    while :; do sleep 0.05; done
                    """
                let options = ["-e", "P=keychain://db.example/app"]
                let program = try await device.start(
                    "keychain",
                    ["--home", device.home] + Self.shell(options, script),
                    namesHome: false
                )
                #expect(await program.waitForOutput { $0.contains("ready\n") })
                program.terminate()
                let result = await program.result()
                #expect(result.status == 9, "\(result)")
                #expect(result.output == "ready\ncaught \(Self.concealed)\n")
            }
        }

        @Test
        func `a reference without a value starts nothing, and all such are named`() async throws {
            try await Self.withDatabase { world, device in
                let mark = world.path("started")
                func run(_ references: [String]) async throws -> ProgramResult {
                    let options = references.enumerated().flatMap { number, reference in
                        ["-e", "V\(number)=\(reference)"]
                    }
                    return try await device.run(["run"] + options + ["--", "/bin/touch", mark])
                }
                let result = try await run([
                    "keychain://db.example/app", "keychain://none/app", "keychain://db.example",
                    "keychain://db.example/root/token",
                ])
                #expect(result.status == 44 && result.output.isEmpty, "\(result)")
                #expect(
                    result.errors == """
                        keychain: V1: keychain://none/app: there is no such item; \
                        "keychain list" shows the names
                        keychain: V2: keychain://db.example: 2 items match; give one of these in \
                        its place:
                          keychain://db.example/app
                          keychain://db.example/root
                        keychain: V3: keychain://db.example/root/token: the item has no such \
                        field; "keychain show" shows its fields
                        keychain: nothing was started

                        """
                )
                let malformed = try await run(["keychain://db.example/app", "keychain://"])
                #expect(malformed.status == 44)
                #expect(malformed.errors.contains("V1: keychain://: name a site"), "\(malformed)")

                let passcode = ["--passcode-file", try world.write("2580\n", to: "passcode")]
                let set = ["passcode", "set"] + passcode
                #expect(try await device.start("sync-client", set).result().status == 0)
                #expect(try await device.client("lock").status == 0)
                let locked = try await run(["keychain://db.example/app"])
                #expect(locked.status == 36, "\(locked)")
                #expect(locked.errors.contains("keychain://db.example/app: the keychain is locked"))
                #expect(!FileManager.default.fileExists(atPath: mark))
                // Without a reference nothing is asked of the keychain.
                try await device.expect(["run", "--", "/bin/touch", mark])
                #expect(FileManager.default.fileExists(atPath: mark))
            }
        }

        @Test
        func `variables come from files, the environment and options, the latter first`()
            async throws
        {
            try await Self.withDatabase { world, device in
                let file = try world.write(
                    """
                    # a comment
                    P=keychain://db.example/app
                    export Q="two words"
                    R='keychain://db.example/root'

                    """,
                    to: "variables"
                )
                let script = #"echo "$P|$Q|$R"; [ "$P$R" = "second passwordsecond password" ]"#
                let given = ["--env-file", file, "-e", "P=keychain://db.example/root"]
                try await device.expect(
                    Self.shell(given, script),
                    output: "\(Self.concealed)|two words|\(Self.concealed)\n"
                )
                let inherited = try await RunningProgram(
                    "keychain",
                    ["--home", device.home] + Self.shell([], #"[ "$X" = "first password" ]"#),
                    folder: world.folder,
                    environment: ["X": "keychain://db.example/app"]
                ).result()
                #expect(inherited.status == 0, "\(inherited)")

                let mark = world.path("started")
                for (text, part) in [("P keychain://x\n", "line 1"), ("A=1\nB='x\n", "line 2")] {
                    let bad = try world.write(text, to: "bad")
                    let line = ["run", "--env-file", bad, "--", "/bin/touch", mark]
                    let result = try await device.run(line)
                    #expect(result.status == 1)
                    expectOneSentence(result, saying: bad, part)
                }
                let line = ["run", "--env-file", "/nowhere", "--", "/bin/touch", mark]
                expectOneSentence(try await device.run(line), saying: "/nowhere cannot be read")
                #expect(!FileManager.default.fileExists(atPath: mark))
            }
        }

        @Test
        func `a job that starts without a daemon gets its secrets`() async throws {
            try await World.with { world in
                let device = world.device("A")
                try await Self.addDatabase(to: device, in: world)
                let script = #"[ "$P" = "first password" ]"#
                for _ in 1...2 {
                    #expect(try await device.client("stop").status == 0)
                    try await device.expect(
                        Self.shell(["-e", "P=keychain://db.example/app"], script),
                        errors: ""
                    )
                }
            }
        }

        // MARK: inject

        @Test
        func `a template is filled into a file that only the user reads`() async throws {
            try await Self.withDatabase { world, device in
                let template = try world.write(
                    """
                    url = postgres://app:{{ keychain://db.example/app }}@db.example
                    token = "{{keychain://db.example/app/token}}" {{ not a reference }}

                    """,
                    to: "template"
                )
                let filled = """
                    url = postgres://app:first password@db.example
                    token = "\(Self.token)" {{ not a reference }}

                    """
                let file = world.path("filled")
                let inject = ["inject", "-i", template, "-o", file]
                try await device.expect(inject, output: "", errors: "")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == filled)
                #expect(try permissions(file) == 0o600)

                let again = try await device.run(inject)
                #expect(again.status == 1)
                expectOneSentence(again, saying: "\(file) is there already", "--force")
                try await device.expect(inject + ["--force"])
                #expect(try permissions(file) == 0o600)
                let piped = try await device.run(["inject"], input: "<{{ keychain://DB/root }}>")
                #expect(piped.status == 0 && piped.output == "<second password>", "\(piped)")
            }
        }

        @Test
        func `a template with a reference without a value makes no file`() async throws {
            try await Self.withDatabase { world, device in
                let template = try world.write(
                    "a\n {{ keychain://none/app }}\n{{ keychain://db.example }}\n",
                    to: "template"
                )
                let file = world.path("filled")
                try await device.expect(
                    ["inject", "-i", template, "-o", file],
                    status: 44,
                    output: "",
                    errors: """
                        keychain: line 2, column 5: keychain://none/app: there is no such item; \
                        "keychain list" shows the names
                        keychain: line 3, column 4: keychain://db.example: 2 items match; \
                        give one of these in its place:
                          keychain://db.example/app
                          keychain://db.example/root
                        keychain: nothing was written

                        """
                )
                for (text, part) in [("{{ keychain://db.example/app\n", "close it with }}")] {
                    let result = try await device.run(["inject", "-o", file], input: text)
                    #expect(result.status == 44 && result.errors.contains(part), "\(result)")
                }
                let missing = try await device.run(["inject", "-i", "/nowhere", "-o", file])
                expectOneSentence(missing, saying: "/nowhere cannot be read")
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }
    }
}
