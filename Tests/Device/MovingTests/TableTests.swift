import KSMoving
import KSTestSupport
import Testing

/// Rows of tables as entries.
struct TableTests {
    private let header = "name,url,username,password,note\n"

    private func read(_ rows: String, format: String? = nil) throws -> ReadEntries {
        try EntryFormat.readFile(SourceFile(Array((header + rows).utf8)), format: format)
    }

    private func notes(_ read: ReadEntries) -> [String] {
        read.notes.map { "\($0.entry) \($0.reason.rawValue)" }
    }

    @Test
    func `a row becomes an entry with all that it has`() throws {
        let read = try read("Shop,https://Shop.Example.org:8443/login?x=1,ada,pw 1,my note\n")
        let entry = try #require(read.entries.first)
        #expect(entry.type == "login" && entry.title == "Shop" && entry.userName == "ada")
        #expect(entry.note == "my note" && entry.secretText == "pw 1")
        #expect(entry.addresses.map(\.text) == ["https://Shop.Example.org:8443/login?x=1"])
        #expect(read.notes.isEmpty && read.count == 1 && read.numbers == [2])
    }

    @Test
    func `a row may lack empty cells, but neither its password nor a separator`() throws {
        let rows = """
            a,https://a.example,ada,pw
            b,https://b.example,"ada",pw
            c,https://c.example,ada
            d,https://d.example,ada,pw,note,more

            """
        let read = try read(rows)
        #expect(read.entries.map(\.title) == ["a", "b"] && read.count == 4)
        #expect(notes(read) == ["4 row", "5 row"])
    }

    @Test
    func `a row without a password is an entry, and a bare note is a note`() throws {
        let read = try read("a,https://a.example,ada,,\nSafe,,,,12-34\n,,,,\n,,ada,pw,\n")
        #expect(read.entries.map(\.type) == ["login", "note", "login", "login"])
        #expect(read.entries.map(\.secretText) == [nil, "12-34", nil, "pw"])
        // Nothing names the third.
        let placing = EntryPlacing(read)
        #expect(placing.entries.map(\.place) == ["a.example", "Safe", "ada"])
        #expect(placing.notes.map(\.entry) == [4])
    }

    @Test
    func `equal rows are one entry, and two passwords, realms or paths are two`() throws {
        let rows = """
            Site,https://example.org/a,ada,pw,
            Site,https://example.org/a,ada,pw,
            Site,https://example.org/b,ada,pw,
            Site,https://example.org/b,ada,other,
            Site,https://example.org/b,cafe\u{301},pw,
            Site,https://example.org/b,caf\u{E9},pw,

            """
        let placing = EntryPlacing(try read(rows))
        #expect(placing.numbers == [2, 4, 5, 6, 7] && placing.repeated == [3])
        let keys = placing.entries.map { entry in
            [entry.itemClass ?? "", entry.place, String(Array(entry.userName.utf8).count)]
        }
        // The second path with the same password becomes an address of the first one's item.
        #expect(Set(keys).count == 4)
    }

    @Test
    func `each row that cannot be read is named, and the rest is read`() throws {
        let bytes =
            Array((header + "n,https://b.example.org,a\n").utf8)
            + Array("n,https://c.example.org,a,".utf8) + [0xFF] + Array(",\n".utf8)
            + Array("n,https://d.example.org,a,\"p\"x,\nn,https://e.example.org,a,p,\n".utf8)
            + Array("n,https://f.example.org,a,p,\"\n".utf8)
        let read = try EntryFormat.readFile(SourceFile(bytes))
        #expect(read.entries.map(\.userName) == ["a"] && read.count == 5)
        #expect(
            read.notes.map { $0.sentence(of: read.unit) } == [
                "Row 2: left out: it does not have as many fields as the header.",
                "Row 3: left out: it is not UTF-8 text.",
                "Row 4: left out: it has text between a closing quote and the next separator.",
                "Row 6: left out: it has a quote that is never closed.",
            ]
        )
    }

    @Test
    func `a broken row behind a note of two lines has its line too`() throws {
        let read = try read("a,https://a.example,a,p,\"one\ntwo\"\nb,https://b.example,a,\"p\n")
        #expect(read.notes.map(\.detail) == ["it has a quote that is never closed, at line 4"])
    }

    @Test
    func `a list and a number are JSON of no known program, and no table`() {
        for text in ["[1,2]", " [{\"a\":1}]\n", "[]"] {
            #expect(throws: MovingError.unknownFormat) {
                try EntryFormat.readFile(SourceFile(Array(text.utf8)))
            }
        }
        #expect(throws: MovingError.unknownLayout) {
            try EntryFormat.readFile(SourceFile(Array("[a],b\n1,2\n".utf8)))
        }
    }

    @Test
    func `a picture is said to be no table`() {
        let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        #expect(throws: MovingError.notText) { try EntryFormat.readFile(SourceFile(start)) }
        let table = "name\turl\tusername\tpassword\r\n\u{1}\tb.example\tme\tone\r\n"
        #expect(throws: Never.self) {
            try EntryFormat.readFile(SourceFile(Array(table.utf8)))
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `every row is an entry or named, and every password is kept`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let urls = ["https://example.org/a", "http://example.org", "android://x@org.example", ""]
        let rows = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            [
                ["n", ""].randomElement(using: &random) ?? "",
                urls.randomElement(using: &random) ?? "", random.csvText(),
                ["", "p", "q", random.csvText()].randomElement(using: &random) ?? "",
                random.csvText(),
            ]
        }
        var maker = TableMaker(random: random)
        let table = maker.table([["name", "url", "username", "password", "note"]] + rows)
        let read = try EntryFormat.readFile(SourceFile(table))
        #expect(read.entries.count == rows.count && read.notes.isEmpty, "seed \(seed)")
        let placing = EntryPlacing(read)
        #expect(
            placing.entries.count + placing.repeated.count + placing.notes.leftOutCount
                == rows.count,
            "seed \(seed)"
        )
        for (row, entry) in zip(rows, read.entries) where entry.type == "login" {
            #expect((entry.secretText ?? "").utf8.elementsEqual(row[3].utf8), "seed \(seed)")
            #expect(entry.note.utf8.elementsEqual(row[4].utf8), "seed \(seed)")
        }
    }

    private static let headers = [
        "name,url,username,password,note\n", "url\tusername\tpassword\tlucky number\n",
        "type;name;login_uri;login_username;login_password;login_totp\n",
        "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created\n",
        "Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2\n", "Title,Field,*Field,Value\n",
    ]

    @Test(arguments: 0..<600 as Range<UInt64>)
    func `garbage below a header never crashes and accounts for every row`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let header = Self.headers[Int(seed % UInt64(Self.headers.count))]
        let separators = header.utf8.filter { ",;\t".utf8.contains($0) }
        let alphabet = Array("\"\"login.\n\r:/h@[],9{".utf8) + [0xFF, 0xC3, 0xB6] + separators
        let garbage = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? 0
        }
        let read = try EntryFormat.readFile(SourceFile(Array(header.utf8) + garbage))
        #expect(read.entries.count + read.leftOutCount == read.count, "seed \(seed)")
        #expect(read.notes.map(\.entry) == read.notes.map(\.entry).sorted(), "seed \(seed)")
    }
}
