import Testing

/// Each check of the code finds its planted fault, and accepts similar correct text.
struct PlantedCodeFaultTests {
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
}
