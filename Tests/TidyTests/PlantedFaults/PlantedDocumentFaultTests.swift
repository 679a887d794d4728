import Testing

/// Each check of documents, scripts and generated files finds its planted fault, and accepts
/// similar correct text.
struct PlantedDocumentFaultTests {
    private func lines(_ findings: [Finding]) -> [Int] { findings.map(\.line) }

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
