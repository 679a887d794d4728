import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A package of somebody else that uses the product `Security`.
    struct ConsumerTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        /// Plain words that such a package may have for targets of its own, and that ours had.
        private static let words = ["Agent", "Keychain", "Records", "Store"]

        private func write(in world: World) throws {
            let folder = Self.root.lastPathComponent
            func write(_ text: String, to name: String) throws {
                let file = URL(filePath: world.path(name))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            }
            try write(
                """
                // swift-tools-version: 6.2
                import PackageDescription

                let words = \(Self.words)
                let security = Target.Dependency.product(name: "Security", package: "\(folder)")
                let package = Package(
                    name: "consumer",
                    dependencies: [.package(path: "\(Self.root.path)")],
                    targets: words.map { .target(name: $0) } + [
                        .executableTarget(
                            name: "consumer",
                            dependencies: words.map { .byName(name: $0) } + [security]
                        )
                    ]
                )
                """,
                to: "Package.swift"
            )
            for word in Self.words {
                let text = "public enum Its\(word) { public static let name = \"\(word)\" }\n"
                try write(text, to: "Sources/\(word)/\(word).swift")
            }
            let imports = (Self.words + ["Security"]).map { "import \($0)\n" }.joined()
            let names = Self.words.map { "Its\($0).name" }.joined(separator: ", ")
            let main = "print(\(names), kSecClassGenericPassword)\n"
            try write(imports + main, to: "Sources/consumer/main.swift")
        }

        @Test
        func `it may have targets called Agent, Keychain, Records and Store`() async throws {
            try await World.with { world in
                try write(in: world)
                let program = try await RunningProgram(
                    "/usr/bin/env",
                    ["swift", "run", "--disable-sandbox", "consumer"],
                    folder: world.folder,
                    environment: ["HOME": NSHomeDirectory()]
                )
                let result = await program.result(limitSeconds: 1_200)
                #expect(result.status == 0, "\(result)")
                #expect(result.output == "Agent Keychain Records Store genp\n", "\(result)")
            }
        }
    }
}
