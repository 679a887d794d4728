import KSSecretReferences
import KSTestSupport
import Testing

/// Answers from a table, and counts the questions.
private final class Answers {
    private(set) var questions: [[String]] = []
    private let table: [String: Result<[UInt8], ReferenceFailure>]

    init(_ table: [String: Result<[UInt8], ReferenceFailure>] = [:]) {
        self.table = table
    }

    func resolve(_ references: [SecretReference]) -> [Result<[UInt8], ReferenceFailure>] {
        questions.append(references.map(\.description))
        return references.map { table[$0.description] ?? .failure(.missing) }
    }
}

struct SecretTemplateTests {
    private func filled(_ text: String, _ answers: Answers) throws -> String {
        let bytes = try SecretTemplate(Array(text.utf8)).filled(by: answers.resolve).get()
        return String(decoding: bytes, as: UTF8.self)
    }

    private func problems(_ text: String, _ answers: Answers) -> [String] {
        let result = SecretTemplate(Array(text.utf8)).filled(by: answers.resolve)
        guard case .failure(let error) = result else { return [] }
        return error.problems.map(\.description)
    }

    private let known = [
        "keychain://a/b": Result<[UInt8], ReferenceFailure>.success(Array("VALUE".utf8)),
        "keychain://a/b/otp": .success(Array("123456".utf8)),
        "keychain://locked": .failure(.locked), "keychain://two": .failure(.ambiguous(count: 2)),
        "keychain://three": .failure(
            .ambiguous(count: 3, references: ["keychain://three/a", "keychain://three/b"])
        ),
    ]

    @Test(
        arguments: [
            ("x={{ keychain://a/b }}\n", "x=VALUE\n"),
            ("{{keychain://a/b}}{{\tKEYCHAIN://a/b/otp  }}", "VALUE123456"),
            ("{{{ keychain://a/b }}}", "{VALUE}"),
            ("{{{{ keychain://a/b }}}}", "{{VALUE}}"),
            ("keychain://a/b {{ op://a/b }} {{ a }} {{ {{", nil),
            (#"\{{ keychain://a/b }}"#, "{{ keychain://a/b }}"),
            (#"c:\\{{ keychain://a/b }}\x"#, #"c:\VALUE\x"#),
            (#"\\\{{ keychain://a/b }}"#, #"\{{ keychain://a/b }}"#),
            (#"\\{{ a }} \{{ b }} \ \\"#, nil), ("", nil), ("{", nil), ("{{", nil),
        ] as [(String, String?)]
    )
    func `only braces with a reference change`(text: String, result: String?) throws {
        #expect(try filled(text, Answers(known)) == result ?? text)
    }

    @Test
    func `every reference is asked for once, all in one question`() throws {
        let answers = Answers(known)
        let text = "{{ keychain://a/b }}{{ keychain://a/b/otp }}{{ keychain://a/b/password }}"
        #expect(try filled(text, answers) == "VALUE123456VALUE")
        #expect(answers.questions == [["keychain://a/b", "keychain://a/b/otp"]])
        #expect(try filled("none", answers) == "none")
        #expect(answers.questions.count == 1)
    }

    @Test
    func `all that cannot be resolved is named by line and column`() {
        let text = """
            a: {{ keychain://a/b }}
            é: {{ keychain://gone/x }}, {{ keychain://locked }}
            {{keychain://two}}
            {{keychain://three}}
            """
        let start = "keychain://"
        #expect(
            problems(text, Answers(known)) == [
                "line 2, column 7: \(start)gone/x: \(ReferenceFailure.missing.explanation)",
                "line 2, column 32: \(start)locked: \(ReferenceFailure.locked.explanation)",
                "line 3, column 3: \(start)two: 2 items match; name the account too",
                """
                line 4, column 3: \(start)three: 3 items match; give one of these in its place:
                  \(start)three/a
                  \(start)three/b
                  and 1 more
                """,
            ]
        )
    }

    @Test
    func `malformed references are named and nothing is asked`() {
        let answers = Answers(known)
        let text = "{{ keychain://a/b }}\n {{ keychain://a/b/ }}\n{{ keychain://a/b }\n}}"
        #expect(
            problems(text, answers) == [
                "line 2, column 5: keychain://a/b/: \(ReferenceError.noField.explanation)",
                "line 3, column 4: keychain://a/b }: close it with }} on the same line",
            ]
        )
        #expect(answers.questions == [])
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `bytes around references stay`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let answers = Answers(["keychain://a/b": .success([0, 0xFF, 0x7B])])
        var template: [UInt8] = []
        var expected: [UInt8] = []
        for _ in 0..<8 {
            // No backslash, which means something in front of a reference.
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ -> UInt8 in
                let byte = UInt8.random(in: .min ... .max, using: &random)
                let braces = Bool.random(using: &random)
                return braces || byte == UInt8(ascii: "\\") ? UInt8(ascii: "{") : byte
            }
            template += bytes + Array("{{ keychain://a/b }}".utf8)
            expected += bytes + [0, 0xFF, 0x7B]
        }
        #expect(try SecretTemplate(template).filled(by: answers.resolve).get() == expected)
    }

    @Test
    func `a long text without references takes time in proportion`() {
        let growth = growth(of: 4, from: 10_000) { count in
            let text = [UInt8](repeating: UInt8(ascii: "{"), count: count)
            _ = SecretTemplate(text).filled(by: Answers().resolve)
        }
        #expect(growth < 8)
    }
}

struct SecretVariablesTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func entries(_ variables: [SecretVariables.Resolved]) -> [String] {
        variables.map { String(decoding: $0.entry, as: UTF8.self) + ($0.isSecret ? " *" : "") }
    }

    @Test
    func `later variables replace earlier ones, and references become values`() throws {
        let answers = Answers(["keychain://a/b": .success(bytes("V"))])
        let own = ["A=1", "A=2", "R=keychain://a/b", "X", "E="].map(bytes)
        var variables = SecretVariables(inherited: own)
        variables.set(try EnvironmentFile(parsing: bytes("A=3\nN=keychain://a/b/password\nA=4")))
        variables.set(bytes("E"), to: bytes("see keychain://a/b"))
        let resolved = try variables.resolved(by: answers.resolve).get()
        #expect(entries(resolved) == ["A=4", "R=V *", "E=see keychain://a/b", "N=V *"])
        #expect(answers.questions == [["keychain://a/b"]])
    }

    @Test
    func `all variables that cannot be resolved are named`() {
        let answers = Answers(["keychain://zero": .success([1, 0])])
        let own = ["A=keychain://zero", "B=keychain://gone/x", "C=d"].map(bytes)
        let result = SecretVariables(inherited: own).resolved(by: answers.resolve)
        guard case .failure(let error) = result else {
            Issue.record("it was resolved")
            return
        }
        #expect(
            error.problems.map(\.description) == [
                "A: keychain://zero: \(ReferenceFailure.zeroByte.explanation)",
                "B: keychain://gone/x: \(ReferenceFailure.missing.explanation)",
            ]
        )
    }

    @Test
    func `a malformed reference stops before the question`() {
        let answers = Answers()
        let own = ["A=keychain://a/b", "B=keychain://"].map(bytes)
        let result = SecretVariables(inherited: own).resolved(by: answers.resolve)
        guard case .failure(let error) = result else {
            Issue.record("it was resolved")
            return
        }
        #expect(error.problems.map(\.reason) == [.malformed(.noSite)])
        #expect(answers.questions == [])
    }
}
