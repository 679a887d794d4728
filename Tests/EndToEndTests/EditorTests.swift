import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `keychain edit`, with small scripts as editors.
    struct EditorTests {
        private static let secret = "never on a disk"

        /// A login with fields and an attachment, whose password no file of the world has.
        private static func addLogin(to device: Device, in world: World) async throws {
            let password = try world.write(secret + "\n", to: "password of the login")
            try await device.expect([
                "new", "login", "--title", "Mail", "--site", "mail.example", "--user", "ada",
                "--password-file", password, "--field", "branch=Nord", "--secret", "PIN=1234",
                "--otp", "JBSWY3DPEHPK3PXP", "--tag", "one", "--note", "first line\nsecond: line",
            ])
            try FileManager.default.removeItem(atPath: password)
            let file = try world.writeBytes(1000, to: "contract")
            try await device.expect(["attach", "Mail", file])
        }

        private static func withLogin(
            _ body: (World, Device) async throws -> Void
        ) async throws {
            try await World.withDevice { world, device in
                try await addLogin(to: device, in: world)
                try await body(world, device)
            }
        }

        /// Starts `edit` with an editor that first writes the path of its file to `path`.
        private static func start(
            _ lines: String,
            _ device: Device,
            in world: World,
            name: String = "Mail"
        ) async throws -> RunningProgram {
            let note =
                "printf %s \"$1\" >\(world.path("path.new"))\n"
                + "mv \(world.path("path.new")) \(world.path("path"))\n"
            let editor = try world.writeScript(note + lines, to: "editor")
            return try await RunningProgram(
                "keychain",
                ["--home", device.home, "edit", name],
                folder: world.folder,
                environment: ["EDITOR": editor]
            )
        }

        /// Edits to the end, and checks that nothing is left of the file.
        private static func edit(
            _ lines: String,
            _ device: Device,
            in world: World,
            name: String = "Mail",
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> ProgramResult {
            let result = try await start(lines, device, in: world, name: name).result()
            let folder = try folder(in: world)
            #expect(folder.hasPrefix("/dev/shm/"), sourceLocation: sourceLocation)
            #expect(
                !FileManager.default.fileExists(atPath: folder),
                sourceLocation: sourceLocation
            )
            return result
        }

        /// The folder of the latest file that was edited.
        private static func folder(in world: World) throws -> String {
            let path = try String(contentsOfFile: world.path("path"), encoding: .utf8)
            return URL(filePath: path).deletingLastPathComponent().path
        }

        private static let show = ["show", "Mail", "--secrets", "--json"]

        // MARK: Changes

        @Test
        func `what an editor changes is changed, and all else is as it was`() async throws {
            try await Self.withLogin { world, device in
                let result = try await Self.edit(
                    """
                    sed -i -e 's/^user name: ada$/user name: eve/' \\
                        -e 's/^PIN (secret): .*/PIN: 99/' \\
                        -e 's/^tags: one/tags: two, one, three words/' \\
                        -e 's/^branch: .*//' -e 's/second: line/other line/' "$1"
                    echo 'card (secret): 4111' >>"$1"
                    echo '"a: b": <<<' >>"$1"
                    printf ' x\\ny\\n>>>\\n' >>"$1"
                    """,
                    device,
                    in: world
                )
                #expect(result.status == 0 && result.errors == "", "\(result)")
                let item = try await device.item("Mail")
                #expect(item.userName == "eve" && item.title == "Mail")
                #expect(item.place == "mail.example" && item.password == Self.secret)
                #expect(item.note == "first line\nother line")
                #expect(item.tags == ["one", "three words", "two"])
                #expect(
                    item.fields == [
                        .init("PIN", "99"),
                        .init(
                            "one-time code",
                            "otpauth://totp/?secret=JBSWY3DPEHPK3PXP",
                            kind: "otp"
                        ),
                        .init("contract", nil, kind: "file"), .init("card", "4111", kind: "secret"),
                        .init("a: b", " x\ny"),
                    ]
                )
                let copy = world.path("copy")
                #expect(
                    try await device.bytes(of: "contract", in: "Mail", to: copy)
                        == Data(contentsOf: URL(filePath: world.path("contract")))
                )
            }
        }

        @Test
        func `lines that are moved move the fields`() async throws {
            try await Self.withLogin { world, device in
                try await device.expect(
                    ["new", "login", "--title", "Order", "--no-password"]
                        + ["a", "b", "c"].flatMap {
                            ["--field", "\($0)=1"]
                        }
                )
                for (script, order) in [
                    (#"sed -i -e '/^a: 1/d' "$1"; echo 'a: 1' >>"$1""#, ["b", "c", "a"]),
                    (#"sed -i -e '/^c: 1/d' -e 's/^b: 1/c: 1\nb: 1/' "$1""#, ["c", "b", "a"]),
                    (#"sed -i 's/^b: 1/x: 1\ny: 1\nb: 1/' "$1""#, ["c", "x", "y", "b", "a"]),
                ] {
                    let result = try await Self.edit(script, device, in: world, name: "Order")
                    #expect(result.status == 0, "\(result)")
                    #expect(try await device.item("Order").fields.map(\.name) == order)
                }
            }
        }

        // MARK: No changes

        @Test
        func `an editor that leaves the file as it is changes nothing`() async throws {
            try await Self.withLogin { world, device in
                let before = try await device.run(Self.show).output
                for script in [":", "touch \"$1\"", "cp \"$1\" \"$1.new\"; mv \"$1.new\" \"$1\""] {
                    let result = try await Self.edit(script, device, in: world)
                    #expect(result.status == 1 && result.output == "")
                    #expect(result.errors == "keychain: nothing was changed.\n")
                    #expect(try await device.run(Self.show).output == before)
                }
            }
        }

        /// The shell that starts the editor may say that it was killed, before the sentence.
        @Test
        func `an editor that fails, or leaves no item, is one sentence, and the item is as it was`()
            async throws
        {
            try await Self.withLogin { world, device in
                let before = try await device.run(Self.show).output
                let change = "sed -i 's/^PIN (secret): .*/PIN: 99/' \"$1\"\n"
                for (script, part) in [
                    ("exit 3", "failed with code 3"), ("kill -9 $$", "was ended by signal 9"),
                    ("kill -TERM $$", "was ended by signal 15"),
                    ("rm \"$1\"", "the editor has left no file"),
                    ("ln -sf /etc/passwd \"$1\"", "cannot write or read"),
                    ("echo 'no colon' >>\"$1\"", "write NAME: VALUE"),
                    ("echo 'PIN: 1' >>\"$1\"", "there are two fields PIN"),
                    ("echo 'x: <<<' >>\"$1\"", "line "),
                    ("printf 'x: \\377\\n' >>\"$1\"", "not UTF-8"),
                    ("echo 'code (otp): none!' >>\"$1\"", "not Base32"),
                    ("echo 'day (date): soon' >>\"$1\"", "2027-05-31"),
                    ("sed -i '/^title:/d' \"$1\"", "\"title:\" is missing"),
                    (": >\"$1\"", "\"title:\" is missing"),
                    ("sed -i 's/^title:.*/title:/;s/^place:.*/place:/' \"$1\"", "needs a title"),
                    ("sed -i 's/^password:/pasword:/' \"$1\"", "\"password:\" is missing"),
                    ("sed -i 's/^tags:/tag:/' \"$1\"", "\"tags:\" is missing"),
                    ("head -c 70000 /dev/zero | tr '\\0' x | sed 's/^/x: /' >>\"$1\"", "65536"),
                    ("head -c 5000000 /dev/zero >>\"$1\"", "more than 4194304 bytes"),
                ] {
                    let result = try await Self.edit(change + script, device, in: world)
                    #expect(result.status == 1 && result.output == "", "\(script): \(result)")
                    let last = result.errors.split(separator: "\n").last ?? ""
                    #expect(last.hasPrefix("keychain: ") && last.hasSuffix("."), "\(result)")
                    #expect(last.contains(part), "\(script): \(result)")
                    #expect(!result.errors.contains(Self.secret))
                    #expect(try await device.run(Self.show).output == before, "\(script)")
                }
            }
        }

        @Test
        func `an editor that is not there is named`() async throws {
            try await Self.withLogin { world, device in
                let before = try await device.run(Self.show).output
                let result = try await RunningProgram(
                    "keychain",
                    ["--home", device.home, "edit", "Mail"],
                    folder: world.folder,
                    environment: ["EDITOR": "/nowhere/editor", "VISUAL": " "]
                ).result()
                #expect(result.status == 1, "\(result)")
                #expect(result.errors.contains("there is no editor /nowhere/editor; set VISUAL"))
                #expect(try await device.run(Self.show).output == before)
            }
        }

        @Test
        func `without a terminal and an editor of the user's, edit names --set`() async throws {
            try await Self.withLogin { world, device in
                for (environment, part) in [
                    ([:], "change the item with --set"), (["EDITOR": " "], "--set"),
                    (["VISUAL": "/bin/true"], "nothing was changed"),
                ] {
                    let result = try await RunningProgram(
                        "keychain",
                        ["--home", device.home, "edit", "Mail"],
                        folder: world.folder,
                        environment: environment
                    ).result(limitSeconds: 20)
                    #expect(result.status == 1)
                    expectOneSentence(result, saying: part)
                }
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `a draft with a mistake is lost only to the word discard`() async throws {
            try await Self.withLogin { world, device in
                // Each time another step: a mistake; an editor that fails; one that changes
                // nothing; the mistake is repaired.
                let script = """
                    echo x >>\(world.path("rounds"))
                    case $(wc -l <\(world.path("rounds"))) in
                        1) sed -i 's/^PIN (secret): .*/PIN: 99/;s/^tags:/tag:/' "$1" ;;
                        2) exit 3 ;;
                        3) : ;;
                        *) sed -i 's/^tag:/tags:/' "$1" ;;
                    esac
                    """
                let editor = try world.writeScript(script, to: "editor")
                func edit() async throws -> TerminalProgram {
                    try await TerminalProgram(
                        device,
                        program: "keychain",
                        ["edit", "Mail"],
                        before: "EDITOR='\(editor)' "
                    )
                }
                let question = "edit again, or discard your changes? [EDIT/discard] "
                let draft = try await edit()
                try await draft.answer(question, "no", after: "\"tags:\" is missing")
                try await draft.answer(question, "", after: "your changes are still there")
                try await draft.answer(question, "edit", after: "failed with code 3")
                try await draft.answer(question, "")
                #expect(try await draft.end().contains("changed Mail  ada  mail.example: set PIN"))
                #expect(try await device.item("Mail")["PIN"] == "99")
                #expect(try await device.item("Mail").tags == ["one"])

                try FileManager.default.removeItem(atPath: world.path("rounds"))
                let dropped = try await edit()
                try await dropped.answer(question, "discard")
                #expect(try await dropped.end().contains("nothing was changed"))
                let rounds = try String(contentsOfFile: world.path("rounds"), encoding: .utf8)
                #expect(rounds == "x\n")
            }
        }

        // MARK: What is left

        /// The disk is the world's folder, which is the editor's home too.
        @Test
        func `the file is in memory and private, and no disk has a secret of it`() async throws {
            try await Self.withLogin { world, device in
                let seen = world.path("seen")
                let result = try await Self.edit(
                    """
                    stat -c %a "$1" "$(dirname "$1")" >\(seen)
                    grep -c '^password: \(Self.secret)$' "$1" >>\(seen)
                    cp "$1" "$1~"; cp "$1" "$TMPDIR/other"; cp "$1" "$(dirname "$1")/.swap"
                    echo 'added: 1' >>"$1"
                    """,
                    device,
                    in: world
                )
                #expect(result.status == 0, "\(result)")
                #expect(try String(contentsOfFile: seen, encoding: .utf8) == "600\n700\n1\n")
                let editor = world.path("editor")
                try FileManager.default.removeItem(atPath: editor)
                #expect(try World.files(below: world.folder, holding: Self.secret).isEmpty)
            }
        }

        @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
        func `a signal to keychain ends the editor, and nothing is left or changed`(
            signal: Int32
        ) async throws {
            try await Self.withLogin { world, device in
                let before = try await device.run(Self.show).output
                let program = try await Self.start(
                    "echo 'added: 1' >>\"$1\"; echo $$ >\(world.path("editing")); exec sleep 600",
                    device,
                    in: world
                )
                let mark = world.path("editing")
                let isEditing = await eventually {
                    // It is there, but still empty, for a moment.
                    (try? String(contentsOfFile: mark, encoding: .utf8))?.hasSuffix("\n") == true
                }
                try #require(isEditing)
                let number = try String(contentsOfFile: mark, encoding: .utf8).dropLast()
                let editor = try #require(Int32(number))
                program.send(signal)
                let result = await program.result()
                #expect(result.status == -signal, "\(result)")
                let hasEnded = await eventually { kill(editor, 0) != 0 || Self.isZombie(editor) }
                if !hasEnded { kill(editor, SIGKILL) }
                #expect(hasEnded, "the editor still runs")
                #expect(try !FileManager.default.fileExists(atPath: Self.folder(in: world)))
                #expect(try await device.run(Self.show).output == before)
            }
        }

        /// Whether a process has ended, and the one that adopted it has not asked how.
        private static func isZombie(_ processID: Int32) -> Bool {
            let path = "/proc/\(processID)/stat"
            // It may be gone meanwhile.
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.contains(") Z ")
        }

        @Test
        func `a killed keychain leaves no file`() async throws {
            try await Self.withLogin { world, device in
                let go = world.path("go")
                let program = try await Self.start(
                    "while [ ! -e \(go) ]; do sleep 0.05; done",
                    device,
                    in: world
                )
                let path = world.path("path")
                let files = FileManager.default
                #expect(await eventually { files.fileExists(atPath: path) })
                let left = try Self.folder(in: world)
                #expect(files.fileExists(atPath: left))
                await program.kill()
                #expect(await eventually { !files.fileExists(atPath: left) })
                // The editor of a killed program goes on.
                try Data().write(to: URL(filePath: go))
            }
        }
    }
}
