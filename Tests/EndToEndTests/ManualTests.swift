import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Manual pages and shell completions agree with the programs.
    struct ManualTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL.path

        private func script(
            _ name: String,
            _ arguments: [String],
            _ world: World
        ) async throws -> ProgramResult {
            try await RunningProgram(
                Self.root + "/scripts/" + name,
                arguments,
                folder: world.folder,
                environment: ["PATH": "/usr/bin:/bin"]
            ).result()
        }

        @Test
        func `the manual pages are what the programs describe`() async throws {
            try await World.with { world in
                let made = try await script(
                    "generate-manuals",
                    [Programs.folder, world.path("man")],
                    world
                )
                #expect(made.status == 0, "\(made)")
                for name in ["keychain", "sync-client", "sync-server", "sync-simulate"] {
                    let new = try String(
                        contentsOfFile: world.path("man/\(name).1"),
                        encoding: .utf8
                    )
                    let kept = try String(
                        contentsOfFile: Self.root + "/docs/man/\(name).1",
                        encoding: .utf8
                    )
                    let lines = Set(kept.split(separator: "\n"))
                    let other = new.split(separator: "\n").first { !lines.contains($0) }
                    #expect(new == kept, "run scripts/generate-manuals; it says \(other ?? "less")")
                }
            }
        }

        @Test
        func `pages and completions are installed, and bash reads them`() async throws {
            try await World.with { world in
                let prefix = world.path("prefix")
                let installed = try await script(
                    "install-manuals",
                    [Programs.folder, prefix],
                    world
                )
                #expect(installed.status == 0, "\(installed)")
                let folder = prefix + "/share/bash-completion/completions"
                let reading = "for file in '\(folder)'/*; do . \"$file\"; done; complete -p"
                let shown = try await RunningProgram(
                    "/bin/bash",
                    ["-c", reading],
                    folder: world.folder
                ).result()
                for name in ["keychain", "sync-client", "sync-server", "sync-simulate"] {
                    #expect(shown.output.contains(" \(name)\n"), "\(shown)")
                    for file in [
                        "man/man1/\(name).1", "zsh/site-functions/_\(name)",
                        "fish/vendor_completions.d/\(name).fish",
                    ] {
                        let path = prefix + "/share/" + file
                        #expect(FileManager.default.isReadableFile(atPath: path), "\(file)")
                    }
                }
                let path = folder + "/sync-client"
                let completions = try String(contentsOfFile: path, encoding: .utf8)
                #expect(completions.contains("--account-key"))
                #expect(!completions.contains("rpc"), "a hidden command")
            }
        }

        /// Completes the last of these words in bash, with the program that was built.
        private func candidates(_ words: [String], _ world: World) async throws -> [String] {
            let file = Self.root + "/docs/completions/keychain.bash"
            let script = """
                . '\(file)'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keychain
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let result = try await RunningProgram(
                "/bin/bash",
                ["-c", script, "bash", Programs.path("keychain")] + words,
                folder: world.folder,
                environment: ["PATH": "/usr/bin:/bin"]
            ).result()
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            return result.output.split(separator: "\n").map(String.init)
        }

        @Test
        func `completion offers the commands and options of keychain's help`() async throws {
            try await World.with { world in
                _ = try world.write("", to: "a-file")
                let help = try await RunningProgram("keychain", ["help"], folder: world.folder)
                    .result()
                // A line of a command is indented; the others are headings.
                let commands = help.output.split(separator: "\n").filter { $0.hasPrefix(" ") }
                    .compactMap { $0.split(separator: " ").first.map(String.init) }
                #expect(commands.count > 45)
                #expect(try await candidates([""], world) == commands)
                for command in commands where !["help", "error"].contains(command) {
                    let options = try await candidates([command, "-"], world)
                    #expect(options.contains("--home"), "\(command)")
                }
                let settings = ["set-keychain-settings", "-"]
                #expect(try await candidates(settings, world) == ["-l", "-u", "-t", "--home"])
                #expect(try await candidates(["export", "-f", "pk"], world).contains("pkcs12"))
                #expect(try await candidates(["--home", "x", "lock-"], world) == ["lock-keychain"])
                #expect(try await candidates(["import", "a-"], world) == ["a-file"])
                #expect(try await candidates(["no-such-command", "-"], world) == [])
            }
        }

        @Test
        func `completion of items quotes their titles and makes no keychain`() async throws {
            try await World.with { world in
                let home = world.path("home")
                let noHome = ["--home", home, "show", "b"]
                #expect(try await candidates(noHome, world) == [])
                #expect(!FileManager.default.fileExists(atPath: home))
                for (title, field) in [("bank card", "pin code"), ("böse \"$x'", "b"), ("-x", "c")]
                {
                    let made = try await RunningProgram(
                        "keychain",
                        ["new", "note", "--home", home, "--title", title, "--field", field + "=1"],
                        folder: world.folder
                    ).result()
                    #expect(made.status == 0, "\(made)")
                }
                func complete(_ words: String...) async throws -> [String] {
                    try await candidates(["--home", home] + words, world)
                }
                #expect(try await complete("show", "ba") == [#"bank\ card"#])
                #expect(try await complete("show", "\"ba") == ["bank card"])
                #expect(try await complete("show", #"bank\ c"#) == [#"bank\ card"#])
                #expect(try await complete("copy", "\"bö") == [#"böse \"\$x'"#])
                #expect(try await complete("copy", "'bö") == [#"böse "$x'\''"#])
                #expect(try await complete("copy", "bank card", "p") == [#"pin\ code"#])
                #expect(try await complete("edit", "'bank card'", "--set", "p") == [#"pin\ code"#])
                #expect(try await complete("new", "ss") == ["ssh-key"])
                #expect(try await complete("show", "--se") == ["--secrets"])
                let stopped = try await RunningProgram(
                    "sync-client",
                    ["stop", "--home", home],
                    folder: world.folder
                ).result()
                #expect(stopped.status == 0, "\(stopped)")
            }
        }
    }
}
