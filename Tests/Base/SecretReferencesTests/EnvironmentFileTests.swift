import KSSecretReferences
import Testing

struct EnvironmentFileTests {
    private func values(_ text: String) throws -> [String] {
        try EnvironmentFile(parsing: Array(text.utf8)).entries
            .map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
    }

    @Test(
        arguments: [
            ("A=1\nB=2", ["A=1", "B=2"]),
            ("A=1\r\nB=2\r\n", ["A=1", "B=2"]),
            ("\u{FEFF}A=1", ["A=1"]),
            ("# c\n\n  # c\nexport A=1\nexport B\nexport\tC = 2 ", ["A=1", "C=2"]),
            ("A=", ["A="]),
            ("A=1 # c\nB=1#2\nC=#3\nD= # c\nE='#4' # c", ["A=1", "B=1#2", "C=#3", "D=", "E=#4"]),
            ("A=it's\nB=x\"y\"", ["A=it's", "B=x\"y\""]),
            (#"A='a\n$B'"#, [#"A=a\n$B"#]),
            (#"A="a\n\t\"\\\$\`\x" "#, ["A=a\n\t\"\\$`\\x"]),
            ("A=`'\"`", ["A='\""]),
            ("A=\"one\r\ntwo\n\"\nB='x\ny'", ["A=one\ntwo\n", "B=x\ny"]),
            ("A=$B ${C} $(d)\nE=\"$B ${C}\"", ["A=$B ${C} $(d)", "E=$B ${C}"]),
            ("a.b-c_9=1\nA=1=2", ["a.b-c_9=1", "A=1=2"]),
            ("exported=1\nexport=2", ["exported=1", "export=2"]),
            ("A=keychain://my site/ada # c", ["A=keychain://my site/ada"]),
        ] as [(String, [String])]
    )
    func `the file as people have it`(text: String, variables: [String]) throws {
        #expect(try values(text) == variables)
    }

    @Test(
        arguments: [
            ("A=1\nB\n", .noEqualsSign(line: 2)), ("A=1\nexport\n", .noEqualsSign(line: 2)),
            ("\n\n1A=2", .badName(line: 3)), ("A B=2", .badName(line: 1)),
            ("=2", .badName(line: 1)),
            ("A=\"x\ny\nz", .notClosed(line: 1)), ("B='\n'\nA='x", .notClosed(line: 3)),
            ("A=\"x\ny\" z", .textAfterQuote(line: 2)), ("A=x\0", .zeroByte(line: 1)),
        ] as [(String, EnvironmentFileError)]
    )
    func `a mistake is named by its line`(text: String, error: EnvironmentFileError) {
        #expect(throws: error) { try values(text) }
        #expect(error.description.hasPrefix("line "))
    }

    @Test
    func `a line number counts the lines of values too`() throws {
        let file = try EnvironmentFile(parsing: Array("A='x\ny\nz'\nB=\"\n\"\nC=1".utf8))
        #expect(file.entries.map(\.line) == [1, 4, 6])
    }

    @Test
    func `bytes that are not UTF-8 pass`() throws {
        let file = try EnvironmentFile(parsing: [0x41, 0x3D, 0xFF, 0xFE, 0x0A])
        #expect(file.entries.map(\.value) == [[0xFF, 0xFE]])
    }
}
