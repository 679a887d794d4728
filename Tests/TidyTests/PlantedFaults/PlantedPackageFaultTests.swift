import Testing

/// Each check of imports and packages finds its planted fault, and accepts similar correct text.
struct PlantedPackageFaultTests {
    private func lines(_ findings: [Finding]) -> [Int] { findings.map(\.line) }

    @Test(arguments: [
        "import CCurl", "internal import CCurl", "@preconcurrency import struct CCurl.A",
    ])
    func `a C library imported elsewhere`(text: String) {
        #expect(
            ImportChecks.cLibraries(SourceFile("Sources/Device/Agent/A.swift", text)).count == 1
        )
        #expect(ImportChecks.cLibraries(SourceFile("Sources/Sync/Transport/A.swift", text)) == [])
        #expect(
            ImportChecks.cLibraries(SourceFile("Sources/Device/Agent/A.swift", "// " + text)) == []
        )
    }

    @Test(arguments: ["Foundation", "GRDB", "Glibc", "Dispatch"])
    func `a pure module that could do input or output`(module: String) {
        let text = "internal import \(module)\n"
        #expect(ImportChecks.pureModules(SourceFile("Server/Merging/A.swift", text)).count == 1)
        #expect(
            ImportChecks.pureModules(SourceFile("Sources/Sync/Causality/B/A.swift", text)).count
                == 1
        )
        #expect(ImportChecks.pureModules(SourceFile("Sources/Stores/Keychain/A.swift", text)) == [])
    }

    @Test
    func `a test that imports internal declarations`() {
        let text = "import A\n@testable import B\n@testable package import C\n"
        #expect(lines(ImportChecks.testable(SourceFile("Tests/A/A.swift", text))) == [2, 3])
        let good = "// @testable import A\nlet a = \"@testable\"\npackage import B\n"
        #expect(ImportChecks.testable(SourceFile("Tests/A/A.swift", good)) == [])
    }

    @Test(
        arguments: [
            ("Sources/Sync/Records/A.swift", "Records"), ("Server/Store/A/B.swift", "Store"),
            ("Tests/Sync/RecordsTests/A.swift", "RecordsTests"),
            ("Tests/Server/StoreTests/A.swift", "StoreTests"),
            ("Tests/TidyTests/A.swift", "TidyTests"), ("docs/A.md", nil), ("Tests/A.sh", nil),
        ] as [(String, String?)]
    )
    func `the module of a path`(path: String, module: String?) {
        #expect(SourceFile(path, "").module == module)
    }

    private func package(_ targets: String) -> SourceFile {
        SourceFile("Package.swift", "let package = Package(\n    targets: [\n\(targets)\n])\n")
    }

    @Test
    func `a dependency that points up`() {
        let down = """
                .target(
                    name: "Records",
                    dependencies: [
                        "Causality", .product(name: "X", package: "Keychain"), grdb,
                        "Digests",
                    ],
                    path: "Agent"
                ),
            """
        #expect(PackageChecks.layerRule(package(down)) == [])
        #expect(
            PackageChecks.targets(package(down)).map(\.dependencies) == [["Causality", "Digests"]]
        )
        let up = "\n.target(name: \"Causality\", dependencies: [\"Records\"]),"
        #expect(lines(PackageChecks.layerRule(package(up))) == [4])
        let unknown = ".executableTarget(name: \"New\"),"
        #expect(lines(PackageChecks.layerRule(package(unknown))) == [3])
        let test = ".testTarget(name: \"CausalityTests\", dependencies: [\"Simulation\"]),"
        #expect(PackageChecks.layerRule(package(test)) == [])
    }

    @Test(arguments: [
        ("Sources/Base", 0), ("Sources/Base/Bytes", 0), ("Sources/Base/Bytes/Bytes.swift", 0),
        ("Sources/Base/Tables", 0), ("Sources/Products/Simulation", 0), ("Sources/Bytes", 1),
        ("Sources/Crypto/Bytes", 1), ("Sources/Sync/Simulation", 1), ("Sources/Base/New", 1),
    ])
    func `a module on another floor`(path: String, count: Int) {
        #expect(PackageChecks.floorRule([path, "Tests/Other"]).count == count)
    }

    @Test
    func `a target's name that others may want`() {
        let good = """
            .target(name: "KSStore"), .target(name: "Security", dependencies: ["KSStore"]),
            .testTarget(name: "StoreTests"),
            """
        #expect(PackageChecks.prefixRule(package(good)) == [])
        let bad = ".target(name: \"Store\"),\n.target(name: \"KSSecurity\"),"
        #expect(lines(PackageChecks.prefixRule(package(bad))) == [3, 4])
    }

    @Test
    func `a module that another package builds with less`() {
        let whole = ".target(name: \"Agent\", dependencies: [\"CLinux\", \"Redaction\"]),"
        let less = "\n.target(name: \"Agent\", dependencies: [\"CLinux\"], path: \"Agent\"),"
        let others = ".executableTarget(name: \"AgentFuzz\", dependencies: [\"Agent\"]),"
        let package = package(whole)
        #expect(PackageChecks.sameModulesRule(package, in: self.package(whole + others)) == [])
        #expect(lines(PackageChecks.sameModulesRule(package, in: self.package(less))) == [4])
    }

    @Test(arguments: [
        "    .strictMemorySafety(),", "    .treatAllWarnings(as: .error),",
        "    .enableUpcomingFeature(\"ExistentialAny\"),",
        "    target.swiftSettings = (target.swiftSettings ?? []) + settings",
        "    swiftLanguageModes: [.v6]",
    ])
    func `a package that is compiled less strictly`(line: String) throws {
        let package = try #require(SourceTree.shared.get().file("Package.swift"))
        func messages(_ text: String) -> [String] {
            PackageChecks.settingsRule(SourceFile("Package.swift", text)).map(\.message)
        }
        #expect(package.text.contains("\n" + line + "\n"))
        #expect(messages(package.text) == [])
        for other in ["", "    // " + line] {
            #expect(
                messages(package.text.replacing("\n" + line + "\n", with: "\n\(other)\n")).count
                    == 1
            )
        }
        let loose = package.text + "// .unsafeFlags(\nlet a = [.unsafeFlags([\"-w\"])]\n"
        #expect(messages(loose) == ["it takes a setting back"])
    }

    @Test(arguments: ["Sealing", "DeviceKeys", "Primitives", "Secrets"])
    func `a server that could open a record`(module: String) {
        let honest = """
            .target(name: "Merging", dependencies: ["Records"]),
            .target(name: "Store", dependencies: ["Merging"]),
            .target(name: "PostgreSQLStore", dependencies: ["Merging"]),
            .target(name: "OpenMetrics", dependencies: []),
            .executableTarget(name: "SyncServer", dependencies: ["Store"]),
            """
        #expect(PackageChecks.serverRule(package(honest)) == [])
        let direct = honest.replacing("[\"Store\"]", with: "[\"Store\", \"\(module)\"]")
        #expect(lines(PackageChecks.serverRule(package(direct))) == [7])
        let hidden = honest + ".target(name: \"Records\", dependencies: [\"\(module)\"]),"
        #expect(lines(PackageChecks.serverRule(package(hidden))) == [3, 4, 5, 7])
    }
}
