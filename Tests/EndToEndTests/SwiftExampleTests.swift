import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The Swift examples of pages and doc comments compile with the present modules.
    struct SwiftExampleTests {
        /// The lines between two fences.
        private struct Example {
            let page: String
            /// The number of its first line.
            let line: Int
            var code: [String] = []

            /// A part of a manifest, which is no program.
            var isOfManifest: Bool { code.first?.hasPrefix(".package(") ?? true }

            /// The declarations that the example takes for granted.
            private static let given = """
                keychain: Keychain, keyBytes: Data, privateKeyBytes: Data, data: Data, file: URL
                """

            /// A file with the example as a function; the compiler reports errors at their place on
            /// the page.
            func file(number: Int) -> String {
                let isImport: (String) -> Bool = { $0.hasPrefix("import ") }
                let own = code.filter(isImport)
                let imports = own.isEmpty ? ["import Foundation", "import KeychainSync"] : own
                let lines =
                    imports + [
                        "func example\(number)(\(own.isEmpty ? Self.given : "")) async throws {",
                        "#sourceLocation(file: \"\(page)\", line: \(line))",
                    ] + code.map { isImport($0) ? "" : $0 } + ["}", ""]
                return lines.joined(separator: "\n")
            }
        }

        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL.path

        private func examples(in text: String, page: String) -> [Example] {
            var found: [Example] = []
            var open: Example?
            for (index, line) in text.components(separatedBy: "\n").enumerated() {
                // In a doc comment, each line begins with the comment's mark.
                let bare = page.hasSuffix(".swift") ? line.replacing(/^ *\/\/\/ ?/, with: "") : line
                if var example = open {
                    if bare == "```" {
                        found.append(example)
                        open = nil
                    } else {
                        example.code.append(bare)
                        open = example
                    }
                } else if bare == "```swift" {
                    open = Example(page: page, line: index + 2)
                }
            }
            return found
        }

        private func compile(_ examples: [Example], in world: World) async throws -> ProgramResult {
            let files = try examples.enumerated().map { number, example in
                try world.write(example.file(number: number), to: "Example\(number).swift")
            }
            let options = [
                "-typecheck", "-wmo", "-swift-version", "6", "-parse-as-library",
                "-module-name", "Examples",
                "-I", Programs.folder + "/Modules",
                "-I", Self.root + "/Sources/Base/CLinux", "-I",
                Self.root + "/Sources/Base/COpenSSL", "-I", Self.root + "/Sources/Base/CCurl",
                // `Simulation` runs the server's store.
                "-I", Programs.folder + "/../../checkouts/GRDB.swift/Sources/GRDBSQLite",
                "-module-cache-path", Programs.folder + "/ModuleCache",
            ]
            return try await RunningProgram(
                "/usr/bin/env",
                ["swiftc"] + options + files,
                folder: world.folder
            ).result(limitSeconds: 600)
        }

        @Test
        func `every example compiles`() async throws {
            try await World.with { world in
                var examples: [Example] = []
                for folder in ["docs", "Sources"] {
                    let path = Self.root + "/" + folder
                    for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
                    where name.hasSuffix(".md") || name.hasSuffix(".swift") {
                        let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
                        examples += self.examples(in: text, page: folder + "/" + name)
                    }
                }
                examples.removeAll { $0.isOfManifest }
                #expect(examples.count >= 15)
                for page in [
                    "docs/SecItem.md",
                    "Sources/Products/KeychainSync/KeychainError.swift",
                ] {
                    #expect(examples.contains { $0.page == page }, "\(page)")
                }
                let result = try await compile(examples, in: world)
                #expect(result.status == 0, "\(result.errors)")
            }
        }

        @Test
        func `an example that does not compile is reported with its page and line`() async throws {
            try await World.with { world in
                let text = "# Page\n\n```swift\nlet one = 1\nkeychain.make(one)\n```\n"
                let result = try await compile(examples(in: text, page: "Page.md"), in: world)
                #expect(result.status != 0)
                #expect(result.errors.contains("Page.md:5:"), "\(result.errors)")
                #expect(result.errors.contains("'make'"), "\(result.errors)")
            }
        }
    }
}
