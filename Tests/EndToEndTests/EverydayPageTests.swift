import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The lines of docs/Everyday.md, where what they print does not depend on the day.
    struct EverydayPageTests {
        private struct Line {
            let command: String
            var output = ""
        }

        /// The blocks of the page that have commands without a question or a time.
        private static let starts = [
            "keychain lst", "keychain edit Mail --add", "keychain read keychain://",
            "cat app.conf.in",
        ]

        private static func blocks() throws -> [[Line]] {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../docs/Everyday.md").standardizedFileURL
            let parts = try String(contentsOf: file, encoding: .utf8)
                .components(separatedBy: "```\n")
            return try starts.map { start in
                let block = try #require(parts.first { $0.hasPrefix("$ " + start) }, "\(start)")
                return block.split(separator: "\n").reduce(into: [Line]()) { lines, line in
                    if line.hasPrefix("$ ") {
                        lines.append(Line(command: String(line.dropFirst(2))))
                    } else if !lines.isEmpty {
                        lines[lines.count - 1].output += line + "\n"
                    }
                }
            }
        }

        /// What the page takes for granted.
        private static func prepare(_ world: World, _ device: Device) async throws {
            for (title, site, password) in [
                ("Mail", "mail.example.org", "2x3jxp334hx7wkox"),
                ("Database", "db.example", "a password of the database"),
            ] {
                let file = try world.write(password + "\n", to: "password of an item")
                try await device.expect([
                    "new", "--title", title, "--site", site, "--user", "ann",
                    "--password-file", file,
                ])
            }
            _ = try world.write(
                "DB_USER=ann\nDB_PASSWORD=keychain://db.example/ann\n",
                to: "app.env"
            )
            _ = try world.write("password = {{ keychain://db.example/ann }}\n", to: "app.conf.in")
        }

        /// Whether a text is what the page shows, in which a line may end in "…".
        private static func isShown(_ text: String, as output: String) -> Bool {
            let (lines, wanted) = (text.split(separator: "\n"), output.split(separator: "\n"))
            guard lines.count == wanted.count else { return false }
            return zip(lines, wanted).allSatisfy { line, wanted in
                wanted.hasSuffix("…") ? line.hasPrefix(wanted.dropLast()) : line == wanted
            }
        }

        @Test
        func `the lines of the page print what it says`() async throws {
            let blocks = try Self.blocks()
            #expect(blocks.joined().count { !$0.output.isEmpty } >= 6)
            try await World.withDevice { world, device in
                try await Self.prepare(world, device)
                for line in blocks.joined() {
                    let shell = try await RunningProgram(
                        "/bin/sh",
                        ["-c", "exec 2>&1; " + line.command],
                        folder: world.folder,
                        environment: [
                            "PATH": Programs.folder + ":/usr/bin:/bin",
                            "KEYCHAIN_SYNC_HOME": device.home,
                        ]
                    )
                    let result = await shell.result()
                    #expect(
                        Self.isShown(result.output, as: line.output),
                        "\(line.command): \(result.output)"
                    )
                    // Only an error is explained in a sentence of the program.
                    #expect((result.status != 0) == line.output.hasPrefix("keychain: "))
                }
                let item = try await device.item("Mail")
                #expect(item["customer"] == "A-2044" && item["recovery code"] == nil)
                let filled = try String(contentsOfFile: world.path("app.conf"), encoding: .utf8)
                #expect(filled == "password = a password of the database\n")
                #expect(try permissions(world.path("app.conf")) == 0o600)
            }
        }
    }
}
