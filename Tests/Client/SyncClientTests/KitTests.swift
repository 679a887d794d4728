import KSDaemon
import KSSyncClient
import Testing

struct KitTests {
    private static let kit = KitContents(
        account: "ada of the test",
        server: "https://sync.example.org",
        pins: ["sha256//AAAA", "sha256//BBBB"],
        accountKey: "K1-00000-11111"
    )

    private func read(_ text: String) throws -> KitContents {
        try KitContents(reading: Array(text.utf8), of: "kit.txt")
    }

    @Test
    func `a kit is read as it was written, with pins and without`() throws {
        #expect(try read(Self.kit.text) == Self.kit)
        var other = Self.kit
        other.pins = []
        #expect(try read(other.text) == other)
        #expect(other.text.contains("\nAccount Key  K1-00000-11111\n"))
    }

    @Test
    func `a kit may be typed off, indented, with notes or other line breaks`() throws {
        let typed = """
            \u{FEFF}  kept in the safe
              Account:ada of the test \r
            \tServer   https://sync.example.org\r
            Pin sha256//AAAA
            Pin:   sha256//BBBB
            Account Key K1-00000-11111
            Accounting is another word.
            """
        #expect(try read(typed) == Self.kit)
    }

    @Test(arguments: ["Account ", "Server", "Account Key"])
    func `a kit that lacks a line, or has it twice, is refused by its name`(label: String) throws {
        let lines = Self.kit.text.split(separator: "\n", omittingEmptySubsequences: false)
        let isNamed = { (line: Substring) in
            line.hasPrefix(label) && (label != "Account " || !line.hasPrefix("Account Key"))
        }
        let without = lines.filter { !isNamed($0) }.joined(separator: "\n")
        let twice = (lines + lines.filter(isNamed)).joined(separator: "\n")
        for text in [without, twice] {
            let failure = try #require(throws: CommandFailure.self) { try read(text) }
            #expect(failure.exit == .usage && failure.sentence.hasPrefix("kit.txt is not a kit: "))
            let name = label.last == " " ? String(label.dropLast()) : label
            #expect(failure.sentence.contains(" \(name). "))
        }
    }
}
