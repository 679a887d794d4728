import Testing

/// Each check finds its planted fault, and accepts similar correct text.
struct PlantedFaultTests {
    private func lines(_ findings: [Finding]) -> [Int] { findings.map(\.line) }

    private func numbered(_ count: Int) -> String {
        (0..<count).map { "let value\($0) = 0\n" }.joined()
    }

    @Test
    func `a long file`() {
        #expect(SizeChecks.fileLength(SourceFile("Sources/A/A.swift", numbered(400))) == [])
        #expect(SizeChecks.fileLength(SourceFile("Sources/A/A.swift", numbered(401))).count == 1)
        #expect(SizeChecks.fileLength(SourceFile("Tests/A/A.swift", numbered(600))) == [])
        #expect(SizeChecks.fileLength(SourceFile("Tests/A/A.swift", numbered(601))).count == 1)
        let generated = SourceFile("Sources/A/Generated/A.swift", numbered(900))
        #expect(SizeChecks.fileLength(generated) == [])
    }

    @Test
    func `a long line`() {
        let wide = String(repeating: "é", count: 100)
        #expect(SizeChecks.lineLength(SourceFile("a.swift", wide)) == [])
        #expect(lines(SizeChecks.lineLength(SourceFile("a.swift", "\n" + wide + "x"))) == [2])
        #expect(SizeChecks.lineLength(SourceFile("Sources/Base/Tables/a.table", wide + "x")) == [])
    }

    @Test
    func `a long line of a document`() {
        let wide = String(repeating: "é", count: 100)
        let long = wide + "x"
        #expect(SizeChecks.lineLength(SourceFile("docs/a.md", wide)) == [])
        #expect(lines(SizeChecks.lineLength(SourceFile("docs/a.md", "\n- \(wide)"))) == [2])
        #expect(SizeChecks.lineLength(SourceFile("CHANGELOG.md", long)) == [])
        for other in ["| \(long) |", "# \(long)", "```\n\(long)\n```", "[a](\(long)) b"] {
            #expect(SizeChecks.lineLength(SourceFile("docs/a.md", other)) == [], "\(other)")
        }
        let page = SourceFile("docs/a.md", "```\n\(long)\n```\n\(long)\n[\(wide)](b)\n")
        #expect(lines(SizeChecks.lineLength(page)) == [4, 5])
    }

    @Test(arguments: ["func work(", "package static func work<T>(", "init(", "private init?("])
    func `a long function`(head: String) {
        func file(_ count: Int) -> SourceFile {
            let body = String(repeating: "    work(\"}\") // }\n", count: count - 4)
            return SourceFile("a.swift", "\(head)\n    a: Int\n) {\n\(body)}\nlet b = 0\n")
        }
        #expect(SizeChecks.functionLength(file(70)) == [])
        #expect(lines(SizeChecks.functionLength(file(71))) == [1])
    }

    @Test
    func `a requirement without a body does not count as a long function`() {
        let text = "protocol A {\n    func a()\n    func b(\n        c: Int\n    ) throws\n}\n"
        let file = SourceFile("a.swift", text + "struct B {\n" + numbered(80) + "}\n")
        #expect(SizeChecks.functionLength(file) == [])
    }

    @Test
    func `strings and comments are no code`() {
        let text = ##"""
            let a = "x { \(f("}", (1))) y" // {
            /* { /* } */ { */ let b = #"{"\#("c")""#
            let c = """
                { "quoted"
                """
            """##
        #expect(
            SwiftCode(text).texts == [
                "let a = \"\"f(\"\", (1)) ", " let b = \"\"\"\"", "let c = \"\"", "", "",
            ]
        )
    }

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
            .executableTarget(name: "SyncServer", dependencies: ["Store"]),
            """
        #expect(PackageChecks.serverRule(package(honest)) == [])
        let direct = honest.replacing("[\"Store\"]", with: "[\"Store\", \"\(module)\"]")
        #expect(lines(PackageChecks.serverRule(package(direct))) == [5])
        let hidden = honest + ".target(name: \"Records\", dependencies: [\"\(module)\"]),"
        #expect(lines(PackageChecks.serverRule(package(hidden))) == [3, 4, 5])
    }

    @Test
    func `an unchecked Sendable without a reason`() {
        let bare = "final class A: @unchecked Sendable {\n    let a = 1\n}\n"
        #expect(lines(CodeChecks.unsafeSendable(SourceFile("a.swift", bare))) == [1])
        let said = "final class A: @unchecked Sendable {\n    // Safety: it is never written.\n}\n"
        #expect(CodeChecks.unsafeSendable(SourceFile("a.swift", said)) == [])
    }

    @Test(arguments: ["// TODO: later", "FIXME", "# TODO(x)", "let a = 1 // XXX"])
    func `unfinished work`(text: String) {
        #expect(CodeChecks.unfinishedWork(SourceFile("a.sh", text)).count == 1)
        #expect(CodeChecks.unfinishedWork(SourceFile("a.sh", "let TODOS = toDo")) == [])
    }

    @Test(arguments: ["let a = try! b()", "b(a as! C)", "f(try! b())"])
    func `a forced try or cast`(text: String) {
        #expect(CodeChecks.force(SourceFile("Sources/A/a.swift", text)).count == 1)
        #expect(CodeChecks.force(SourceFile("Tests/A/a.swift", text)) == [])
        #expect(CodeChecks.force(SourceFile("Sources/A/a.swift", "// \(text)")) == [])
    }

    @Test
    func `an error that is lost without a word`() {
        let file = { SourceFile("Sources/A/a.swift", $0) }
        #expect(lines(CodeChecks.lostErrors(file("let a = 1\nlet b = try? c()\n"))) == [2])
        #expect(lines(CodeChecks.lostErrors(file("b((try? c()) ?? 1)\n"))) == [1])
        #expect(CodeChecks.lostErrors(file("let entry: Entry? = try c()\n")) == [])
        #expect(CodeChecks.lostErrors(file("let b = try? c()  // It says so itself.\n")) == [])
        #expect(CodeChecks.lostErrors(file("// It says so itself.\nlet b = try? c()\n")) == [])
    }

    @Test(arguments: [
        "// It is set aside.", "let a = \"Sync is held: look.\"", "    /// Whose items are kept.",
        "    func `a code that is none`() {", "/// Says what came of it.",
        "    func `an error is told as such`() {", "// The name of who asks.",
    ])
    func `a riddle`(text: String) {
        #expect(WordChecks.riddles(SourceFile("Sources/A/a.swift", text)).count == 1)
    }

    @Test(arguments: [
        "a.table", "a.sql", "a.proto", "a.suppressions", "Makefile", "scripts/a", "docs/A.md",
    ])
    func `a riddle outside of the code, over two lines`(path: String) {
        let file = SourceFile(path, "# One.\n# The server asks\n# for patience.\n# Two.\n")
        #expect(lines(WordChecks.riddles(file)) == [2])
        let plain = SourceFile(path, "# What the server asks\n# needs patience.\n")
        #expect(WordChecks.riddles(plain) == [])
    }

    @Test
    func `a Mutex that is missing from the thread sanitizer's list`() {
        let files = ["a", "b"].map { SourceFile("Sources/A/\($0).swift", "\nlet a = Mutex(1)\n") }
        let named = SourceFile(SanitizerChecks.suppressions, "race:a.swift\n")
        let found = SanitizerChecks.mutexes(named, files)
        #expect(found.map(\.path) == ["Sources/A/b.swift"] && found.map(\.line) == [2])
    }

    @Test
    func `words that are plain`() {
        let text = "// A client\n// whose code is set. There is none.\nlet isHeld = true\n"
        #expect(WordChecks.riddles(SourceFile("Sources/A/a.swift", text)) == [])
        let page = SourceFile("docs/A.md", "```\nlest\n```\nset aside\n")
        #expect(lines(WordChecks.riddles(page)) == [4])
    }

    @Test(arguments: ["cd /root/x", "\"/home/ada/a\"", "`/Users/ada/a`"])
    func `a path of one machine`(text: String) {
        #expect(CodeChecks.machinePaths(SourceFile("a.md", text)).count == 1)
        let address = "https://example.org/home/a docs/home/b $HOME/root/ {x}/root/"
        #expect(CodeChecks.machinePaths(SourceFile("a.md", address)) == [])
    }

    @Test
    func `a generated file that does not say so`() {
        func found(_ path: String, _ text: String) -> [Int] {
            lines(GeneratedChecks.marks(SourceFile(path, text)))
        }
        #expect(found("Sources/A/Generated/A.swift", "// DO NOT EDIT: x\nlet a = 1\n") == [])
        #expect(found("Sources/A/Generated/A.swift", "let a = 1\n// DO NOT EDIT\n") == [1])
        #expect(found("Sources/A/A.swift", "let a = 1\n") == [])
    }

    @Test
    func `an edited, a missing and a forgotten generated file`() {
        let mark = "// DO NOT EDIT: scripts/generate-tables makes this from a.table.\n"
        let made = [SourceFile("Sources/A/Generated/A.swift", mark + "let a = 1\n")]
        func found(_ path: String, _ text: String) -> [String] {
            GeneratedChecks.differences(made: made, committed: [SourceFile(path, mark + text)])
                .map(\.description)
        }
        let run = "Sources/A/Generated/A.swift:%: run scripts/generate-tables"
        #expect(found("Sources/A/Generated/A.swift", "let a = 1\n") == [])
        #expect(
            found("Sources/A/Generated/A.swift", "let a = 2\n") == [run.replacing("%", with: "2")]
        )
        #expect(
            found("Sources/A/Generated/B.swift", "let a = 1\n") == [
                run.replacing("%", with: "1"),
                "Sources/A/Generated/B.swift:1: no script makes it any more",
            ]
        )
    }

    @Test
    func `an edited, an unlisted and a missing migration`() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let path = "Sources/A/Migrations/v01-a.sql"
        let list = SourceFile(MigrationChecks.listPath, "\(digest)  \(path)\n")
        let empty = SourceFile(MigrationChecks.listPath, "")
        let found = { (files: [SourceFile], list: SourceFile) in
            MigrationChecks.hashes(files, list: list).map { $0.message.prefix(6) }
        }
        #expect(found([SourceFile(path, "abc")], list) == [])
        #expect(found([SourceFile(path, "abd")], list) == ["not in", "no lon"])
        #expect(found([SourceFile(path, "abc")], empty) == ["not in"])
        #expect(found([], list) == ["no lon"])
    }

    @Test
    func `a call that the daemon does not know`() {
        let table = SourceFile(CallChecks.tablePath, "let handled = [AddItem.self, FindItem.self]")
        let calls = """
            package struct AddItem: AgentCall {
                package static let name = "item.add"
            }

            package struct FindItems: AgentCall {
                package static let name = "item.find"
            }

            package struct FoundItem {}
            """
        let file = SourceFile("Sources/Device/Agent/Calls/ItemCalls.swift", calls)
        #expect(
            CallChecks.handled([file], table: table).map(\.description) == [
                "\(file.path):6: FindItems is not in the table of CallHandler"
            ]
        )
    }

    @Test
    func `a decision that lacks a part`() {
        let whole = DocumentChecks.decisionHeadings.map { "## \($0)\n\nText.\n" }.joined()
        #expect(DocumentChecks.decision(SourceFile("docs/decisions/0001-a.md", whole)) == [])
        let lacking = whole.replacing("## Options", with: "## Choices")
        #expect(
            DocumentChecks.decision(SourceFile("docs/decisions/0001-a.md", lacking)).count == 1
        )
    }

    @Test
    func `a gap in the numbers of decisions`() {
        func found(_ names: [String]) -> [String] {
            DocumentChecks.decisionNumbers(names.map { SourceFile("docs/decisions/" + $0, "") })
                .map(\.message)
        }
        #expect(found(["0001-a.md", "0002-b.md", "template.md"]) == [])
        #expect(found(["0001-a.md", "0003-b.md"]) == ["its number is not 0002"])
        #expect(found(["0001-a.md", "0001-b.md"]) == ["its number is not 0002"])
    }

    @Test
    func `a unit that cannot be enabled`() {
        func found(_ text: String) -> [Int] {
            lines(DocumentChecks.units(SourceFile("docs/A.md", text)))
        }
        let service = "```ini\n[Service]\nUser=a\n"
        #expect(found(service + "\n[Install]\nWantedBy=multi-user.target\n```\n") == [])
        #expect(found(service + "```\n[Install]\n") == [2])
        #expect(found("no unit\n") == [])
    }

    @Test
    func `a link that leads nowhere`() {
        func found(_ text: String) -> [Int] {
            let file = SourceFile("docs/A.md", text)
            let paths: Set<String> = ["docs/B.md", "Sources/A", "Sources/A/a.swift"]
            return lines(DocumentChecks.links(file, paths: paths) { _ in 10 })
        }
        #expect(
            found("[b](B.md) [b](./B.md#title) [a](../Sources/A/) [a](../Sources/A/a.swift#L10)")
                == []
        )
        #expect(found("[o](https://example.org) [t](#title)\n```\n[x](y)\n```") == [])
        #expect(found("a\n[b](C.md)") == [2])
        #expect(found("[a](../Sources/A/a.swift#L11)") == [1])
        #expect(found("[a](../Sources/A/a.swift#L2-L11)") == [1])
        #expect(found("[b](B.md), [b](../B.md)") == [1])
    }

    @Test
    func `a step that leads to no code`() {
        func found(_ steps: [String]) -> [Int] {
            let text = "# Title\n" + steps.joined(separator: "\n")
            return lines(DocumentChecks.walkthrough(SourceFile("docs/Walkthrough.md", text)))
        }
        let whole = (1...12).map { "\($0). Text [a](../A.swift)." }
        #expect(found(whole) == [])
        #expect(found(whole.dropLast()) == [1])
        #expect(found(whole.reversed()) == [1])
        var lacking = whole
        lacking[4] = "5. Text [a](A.md)."
        #expect(found(lacking) == [6])
        lacking[4] += "\n   More [a](../A.swift)."
        #expect(found(lacking) == [])
    }

    @Test
    func `a command that is missing, or does not build on a new machine`() {
        let names = MakefileChecks.commands
        func found(_ rules: [String]) -> [String] {
            MakefileChecks.commandRule(SourceFile("Makefile", rules.joined(separator: "\n")))
                .map(\.message)
        }
        #expect(found(names.map { $0 + ": packages\n\tx\n" }) == [])
        #expect(found(names.dropLast().map { $0 + ": packages" }) == ["there is no `fuzz`"])
        let bare = names.map { $0 == "up" || $0 == "lint" ? $0 + ":" : $0 + ": a packages" }
        #expect(found(bare) == ["`up` does not need `packages`"])
    }

    @Test(arguments: [
        ("", "", 0), ("lint demo", "demo", 1), ("make test", "make test TESTS=", 1),
        ("make demo\n", "", 1), ("scripts/build-checked", "true", 1),
        ("swift test $(RELEASE)", "swift test", 2), ("1024", "4096", 1),
    ])
    func `a check that runs less than the tests`(part: String, instead: String, count: Int) {
        let makefile = """
            test: packages
            \tswift test $(RELEASE) --skip-build --disable-xctest

            check: lint demo test imports thorough
            imports: packages
            \tscripts/build-checked
            thorough: packages
            \tA=1 swift test $(RELEASE) --skip-build --disable-xctest
            """
        let ci = """
            #!/bin/sh
            ulimit -Sn 1024
            make lint
            make demo
            make test
            exec make imports
            """
        func changed(_ text: String) -> String {
            part.isEmpty ? text : text.replacing(part, with: instead)
        }
        let findings = MakefileChecks.checkRule(
            SourceFile("Makefile", changed(makefile)),
            ci: SourceFile(".ci/run", changed(ci))
        )
        #expect(findings.count == count)
    }

    @Test(arguments: [
        ("Tests/ATests/B.swift", 0), ("Tests/CTests/DTests.swift", 0), ("Tests/CTests/E.swift", 1),
        ("Tests/Floor/ATests/B.swift", 0), ("Tests/Floor/CTests/E.swift", 1),
    ])
    func `a suite that is never thorough`(path: String, count: Int) {
        let makefile = SourceFile("Makefile", "MORE := ATests|DTests\n")
        let tests = [SourceFile(path, "let count = isThorough ? 2 : 1\n")]
        #expect(MakefileChecks.thoroughRule(makefile, tests: tests).count == count)
    }

    @Test
    func `a make command that does not exist`() {
        let makefile = SourceFile("Makefile", "A := b\nall: demo\n\tmake x\ndemo:\n")
        func found(_ text: String) -> [String] {
            DocumentChecks.makeCommands(SourceFile("README.md", text), makefile: makefile)
                .map(\.message)
        }
        #expect(
            found("`make demo` and `make all demo`; please make sure\n```\nmake all # it\n```")
                == []
        )
        #expect(found("`make dmo`") == ["make has no `dmo`"])
        #expect(found("```\nmake A\n```") == ["make has no `A`"])
        #expect(found("`make demo SECONDS=60`") == [])
    }
}
