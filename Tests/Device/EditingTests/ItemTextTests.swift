import KSEditing
import KSTestSupport
import Testing

struct ItemTextTests {
    private func fields(_ text: String) throws -> [EditedField] {
        try ItemText.fields(of: Array(text.utf8))
    }

    @Test
    func `an item is plain text`() throws {
        let fields = [
            EditedField(name: "site", value: "github.com"),
            EditedField(name: "password", kind: "secret", value: "#a: b \"c\""),
            EditedField(name: "nickname", value: ""),
            EditedField(name: "notes", value: "one\n\n# two\n"),
            EditedField(name: "a: b", kind: "text", value: " <<< "),
        ]
        let text = """
            # Save and close the editor.
            #
            site: github.com
            password (secret): #a: b "c"
            nickname:
            notes: <<<
            one

            # two

            >>>
            "a: b" (text): <<<
             <<<\u{20}
            >>>

            """
        #expect(ItemText.text(of: fields, comment: ["Save and close the editor.", ""]) == text)
        #expect(try self.fields(text) == fields)
    }

    @Test(
        arguments: [
            ("name:value", "name", nil, "value"), ("  name :  value \t", "name", nil, "value"),
            ("a:b: c", "a:b", nil, "c"), ("url: https://a.b:1/", "url", nil, "https://a.b:1/"),
            ("https://a.b", "https", nil, "//a.b"), ("n (otp) : 1", "n", "otp", "1"),
            ("a (b) (c): 1", "a (b)", "c", "1"), (#""a (b)": 1"#, "a (b)", nil, "1"),
            (#""a\"\\b" (c) : "d""#, "a\"\\b", "c", "\"d\""), ("n: <<", "n", nil, "<<"),
            ("n: <<<\r\n a\r\n>>>\r\n", "n", nil, " a"), ("n: <<<\n a\r\n>>> \n", "n", nil, " a\r"),
            ("n: <<<<\n>>>\n>>>>", "n", nil, ">>>"), ("n: <<<\n>>>", "n", nil, ""),
            ("é(x): ü", "é", "x", "ü"), ("\n# a: b\n  # c\n\nn: 1", "n", nil, "1"),
        ] as [(String, String, String?, String)]
    )
    func `people may write it freely`(
        text: String,
        name: String,
        kind: String?,
        value: String
    ) throws {
        #expect(try fields(text) == [EditedField(name: name, kind: kind, value: value)])
    }

    @Test(
        arguments: [
            ("a: 1\nb", .noColon(line: 2)), ("a: 1\n: b", .noName(line: 2)),
            (" (secret): b", .noName(line: 1)), (#""": 1"#, .noName(line: 1)),
            (#""a: 1"#, .badQuotes(line: 1)), (#""a" b: 1"#, .badQuotes(line: 1)),
            (#""a""#, .badQuotes(line: 1)),
            ("a: <<<\nb: c\n>>", .notClosed(line: 1, mark: ">>>")),
            ("a: <<<\nb\n>>>\nc: <<<<\n>>>", .notClosed(line: 4, mark: ">>>>")),
            ("a: 1\nb: <<<\na: 2\n>>>\na (x): 3", .twice(name: "a", first: 1, second: 5)),
        ] as [(String, ItemTextError)]
    )
    func `a mistake is named by its line`(text: String, error: ItemTextError) {
        #expect(throws: error) { try fields(text) }
        #expect(error.description.hasPrefix("line"))
    }

    @Test
    func `text in another encoding is refused`() {
        #expect(throws: ItemTextError.notUTF8) { try ItemText.fields(of: [0x61, 0x3A, 0xFF]) }
    }

    @Test(arguments: 0..<500 as Range<UInt64>)
    func `what is printed is parsed to the same`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func text(_ letters: [String], _ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &random))
                .map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }.joined()
        }
        let letters = ["a", "b", ":", ": ", "\"", "\\", "(", ")", " ", "#", "\n", "\r", "\t", "é"]
        let marks = ["<<<", ">>>", "<", ">", "\n>>>\n", "\n>>>>"]
        var names: Set<String> = []
        let fields = (0..<Int.random(in: 0...5, using: &random)).compactMap { _ -> EditedField? in
            let name = text(letters, 1...4)
            guard names.insert(name).inserted else { return nil }
            return EditedField(
                name: name,
                kind: Bool.random(using: &random) ? text(["a", "b c", "-"], 1...2) : nil,
                value: text(letters + marks, 0...6)
            )
        }
        let printed = ItemText.text(of: fields, comment: ["a: b", ""])
        #expect(try self.fields(printed) == fields, "\(printed)")
    }

    @Test
    func `one name may be repeated, without a kind`() throws {
        let text = Array("address: a\naddress: b (x)\naddress (text): c\n".utf8)
        let fields = try ItemText.fields(of: text, repeating: "address")
        #expect(fields.map(\.value) == ["a", "b (x)", "c"])
        #expect(fields.map(\.kind) == [nil, nil, "text"])
        #expect(throws: ItemTextError.twice(name: "address", first: 1, second: 2)) {
            try ItemText.fields(of: text)
        }
        let twice = Array("address (text): c\naddress (url): d\n".utf8)
        #expect(throws: ItemTextError.twice(name: "address", first: 1, second: 2)) {
            try ItemText.fields(of: twice, repeating: "address")
        }
    }
}
