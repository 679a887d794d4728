import Foundation
import KSTestPrograms
import KSTestTerminals
import Testing

extension EndToEndTests {
    /// Completion of `keychain` in the shells themselves.
    struct CompletionTests {
        /// What is typed before Tab, and what stands there afterwards.
        private static let lines = [
            ("show ba", #"show bank\ card"#), ("new wi", "new wifi"),
            ("list --tag wo", "list --tag work"),
            (#"tag bank\ card wo"#, #"tag bank\ card work"#),
            (#"tag bank\ card a wo"#, #"tag bank\ card a work"#),
            ("tag Mail --remove wo", "tag Mail --remove work"),
            (#"copy bank\ card pi"#, #"copy bank\ card pin\ code"#),
            (#"show bank\ card --field pi"#, #"show bank\ card --field pin\ code"#),
            ("read keychain://mai", "read keychain://mail.example/ada"),
            ("read x keychain://mai", "read x keychain://mail.example/ada"),
            ("read keychain://mail.example/ada/o", "read keychain://mail.example/ada/otp"),
            ("read keychain://mail.example/ada/P", "read keychain://mail.example/ada/PIN"),
            ("read keychain://bank%20card//pi", "read keychain://bank%20card//pin%20code"),
            ("run -e P=keychain://mai", "run -e P=keychain://mail.example/ada"),
            (
                "run --env P=keychain://mail.example/ada/o",
                "run --env P=keychain://mail.example/ada/otp"
            ),
        ]

        private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/completions").standardizedFileURL.path

        private static func isThere(_ shell: String) -> Bool {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/" + shell)
        }

        private static func environment(_ device: Device, _ world: World) -> [String: String] {
            [
                "PATH": Programs.folder + ":/usr/bin:/bin", "HOME": world.folder, "TERM": "dumb",
                "KEYCHAIN_SYNC_HOME": device.home,
            ]
        }

        /// A device with two items of which a shell completes names.
        private static func withItems(
            _ body: (World, Device) async throws -> Void
        ) async throws {
            try await World.withDevice { world, device in
                try await device.expect([
                    "new", "note", "--title", "bank card", "--field", "pin code=1", "--tag", "work",
                ])
                try await device.expect([
                    "new", "login", "--title", "Mail", "--site", "mail.example", "--user", "ada",
                    "--otp", "JBSWY3DPEHPK3PXP", "--secret", "PIN=1234", "--tag", "work",
                    "--no-password",
                ])
                try await body(world, device)
            }
        }

        /// Types lines with Tab into a shell, whose Ctrl-T shows what stands on its line.
        private static func complete(
            in shell: String,
            _ arguments: [String],
            setUp: String
        ) async throws {
            try await withItems { world, device in
                let terminal = try PseudoTerminal(
                    "/usr/bin/" + shell,
                    arguments,
                    environment: environment(device, world),
                    columns: 200
                )
                terminal.type(setUp + "; echo is' 'ready\n")
                #expect(await terminal.waits { $0.text.contains("\nis ready") }, "\(terminal.text)")
                for (typed, whole) in lines {
                    terminal.type("keychain \(typed)\t\u{14}")
                    let shown = "<keychain \(whole)>"
                    let isShown = await terminal.waits(seconds: 20) { $0.text.contains(shown) }
                    #expect(isShown, "\(typed): \(terminal.text.suffix(300))")
                }
                #expect(!terminal.text.contains("1234"))
            }
        }

        @Test
        func `bash completes names, tags, fields and references`() async throws {
            try await Self.complete(
                in: "bash",
                ["--norc", "--noprofile", "-i"],
                setUp: """
                    . '\(Self.folder)/keychain.bash'; \
                    bind -x '"\\C-t": printf "\\n<%s>\\n" "${READLINE_LINE% }"; READLINE_LINE='
                    """
            )
        }

        @Test(.enabled(if: isThere("zsh")))
        func `zsh completes names, tags, fields and references`() async throws {
            try await Self.complete(
                in: "zsh",
                ["-f", "-i"],
                setUp: """
                    fpath=('\(Self.folder)' $fpath); autoload -Uz compinit; compinit -u -D; \
                    line() { print -r -- "<${BUFFER% }>"; BUFFER= }; zle -N line; bindkey '^T' line
                    """
            )
        }

        @Test(.enabled(if: isThere("fish")))
        func `fish completes names, tags, fields and references`() async throws {
            try await Self.withItems { world, device in
                for (typed, whole) in Self.lines {
                    let script = """
                        source '\(Self.folder)/keychain.fish'
                        complete -C 'keychain \(typed.replacing("\\", with: "\\\\"))'
                        """
                    let result = try await RunningProgram(
                        "/usr/bin/fish",
                        ["--no-config", "-c", script],
                        folder: world.folder,
                        environment: Self.environment(device, world)
                    ).result()
                    // It prints whole words without quotes.
                    let word = whole.replacing("\\ ", with: "\0").split(separator: " ").last ?? ""
                    let expected = word.replacing("\0", with: " ")
                    #expect(result.output == expected + "\n", "\(typed): \(result)")
                }
            }
        }
    }
}
