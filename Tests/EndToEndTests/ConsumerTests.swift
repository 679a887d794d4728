import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A foreign package that uses `Security` and `UbiquitousKeyValueStore`.
    struct ConsumerTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        /// Plain words that such a package may use for its own targets, as ours once did.
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
                let cloud = Target.Dependency.product(
                    name: "UbiquitousKeyValueStore",
                    package: "\(folder)"
                )
                let package = Package(
                    name: "consumer",
                    dependencies: [.package(path: "\(Self.root.path)")],
                    targets: words.map { .target(name: $0) } + [
                        .executableTarget(
                            name: "consumer",
                            dependencies: words.map { .byName(name: $0) } + [security]
                        ),
                        .target(name: "Cloud", dependencies: [cloud]),
                        .executableTarget(name: "CloudCheck", dependencies: ["Cloud"]),
                    ],
                    swiftLanguageModes: [.v5]
                )
                """,
                to: "Package.swift"
            )
            for word in Self.words {
                let text = "public enum Its\(word) { public static let name = \"\(word)\" }\n"
                try write(text, to: "Sources/\(word)/\(word).swift")
            }
            for target in ["Cloud", "CloudCheck"] {
                try FileManager.default.copyItem(
                    at: Self.root.appending(path: "Tests/Consumer/\(target)"),
                    to: URL(filePath: world.path("Sources/\(target)"))
                )
            }
            let imports = (Self.words + ["Security"]).map { "import \($0)\n" }.joined()
            let names = Self.words.map { "Its\($0).name" }.joined(separator: ", ")
            let main = "print(\(names), kSecClassGenericPassword)\n"
            try write(imports + main, to: "Sources/consumer/main.swift")
        }

        /// Lets the build use the packages that this build has already: to clone them again takes
        /// as long as half of it.
        private func shareCheckouts(with world: World) throws {
            let files = FileManager.default
            let scratch = URL(filePath: Programs.folder).appending(path: "../..")
                .standardizedFileURL.path
            let checkouts = scratch + "/checkouts"
            for package in try files.contentsOfDirectory(atPath: checkouts) {
                let folder = world.path(".build/checkouts/") + package
                try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
                // Without its repository, whose files could be changed there.
                for name in try files.contentsOfDirectory(atPath: checkouts + "/" + package)
                where name != ".git" {
                    try files.createSymbolicLink(
                        atPath: folder + "/" + name,
                        withDestinationPath: checkouts + "/" + package + "/" + name
                    )
                }
            }
            let state = "/workspace-state.json"
            try files.copyItem(atPath: scratch + state, toPath: world.path(".build" + state))
            let versions = "/Package.resolved"
            try files.copyItem(atPath: Self.root.path + versions, toPath: world.folder + versions)
        }

        /// Which setter `Tests/Consumer/CloudCheck` reaches with each kind of value.
        ///
        /// The first three are the package's own setters of `Int` and `Float`, which call those of
        /// `Int64` and `Double`: a program's extension takes precedence over ours.
        private static let setters =
            ["Int64", "Int64", "Double"] + Array(repeating: "Any?", count: 5)
            + ["Bool", "Double", "Int64", "String?", "[Any]?", "[:]?", "Data?"]

        /// What `Tests/Consumer/CloudCheck` prints.
        private static let cloudOutput = """
            double: ["1.0", "2.0"] 6
            numbers: 7 true
            removed: 0 4
            setters: \(setters.joined(separator: " "))
            default: true
            class: text 5
            date: 0.1
            list: ["a", "b"] 5
            synchronized: false true

            """

        /// One test for both, since each build takes most of a minute.
        @Test
        func `another package may use our module names, and Apple's class as on Apple systems`()
            async throws
        {
            try await World.with { world in
                try write(in: world)
                try shareCheckouts(with: world)
                func run(
                    _ program: String,
                    _ arguments: [String] = []
                ) async throws
                    -> ProgramResult
                {
                    let running = try await RunningProgram(
                        program,
                        arguments,
                        folder: world.folder,
                        environment: [
                            "HOME": NSHomeDirectory(), "KEYCHAIN_SYNC_HOME": "/dev/null/no-home",
                        ]
                    )
                    return await running.result(limitSeconds: 1_200)
                }
                let build = try await run(
                    "/usr/bin/env",
                    ["swift", "build", "--disable-sandbox", "--disable-index-store"]
                        + ["-debug-info-format", "none"]
                        + ["--only-use-versions-from-resolved-file"]
                )
                #expect(build.status == 0, "\(build)")
                let words = try await run(world.path(".build/debug/consumer"))
                #expect(words.output == "Agent Keychain Records Store genp\n", "\(words)")
                let cloud = try await run(world.path(".build/debug/CloudCheck"))
                #expect(cloud.output == Self.cloudOutput, "\(cloud)")
            }
        }
    }
}
