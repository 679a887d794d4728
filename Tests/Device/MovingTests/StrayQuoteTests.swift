import KSMoving
import KSTestSupport
import Testing

/// One quote too many, anywhere in an export, is always reported.
struct StrayQuoteTests {
    /// A good export of logins, each with its own server, and the places of its rows.
    private struct Export {
        private(set) var bytes: [UInt8] = []
        /// The first byte of the header and of each row.
        private(set) var starts: [Int] = []
        private(set) var logins: [[String]] = []

        /// Chrome writes quotes where they are needed; others write them everywhere.
        init(_ random: inout SeededGenerator) {
            let lineEnd = ["\r\n", "\n", "\r"].randomElement(using: &random) ?? "\n"
            let quotesAll = Int.random(in: 0..<4, using: &random) == 0
            var rows = [["name", "url", "username", "password", "note"]]
            for index in 0..<Int.random(in: 2...7, using: &random) {
                func text(_ common: String) -> String {
                    Int.random(in: 0..<3, using: &random) == 0
                        ? Self.text(&random) : common
                }
                rows.append([
                    text("name"), "https://h\(index).example.org/", text("ada"),
                    text("") + "p\(index)", text(""),
                ])
            }
            logins = Array(rows.dropFirst())
            if Bool.random(using: &random) { bytes = [0xEF, 0xBB, 0xBF] }
            for row in rows {
                starts.append(bytes.count)
                let fields = row.map { field in
                    let isPlain = !field.utf8.contains { "\",\r\n".utf8.contains($0) }
                    let doubled = field.utf8.flatMap { $0 == 0x22 ? [$0, $0] : [$0] }
                    return isPlain && !quotesAll ? Array(field.utf8) : [0x22] + doubled + [0x22]
                }
                bytes += fields.joined(separator: ",".utf8) + Array(lineEnd.utf8)
            }
        }

        /// So few commas in a line that none looks like a row of five fields.
        private static func text(_ random: inout SeededGenerator) -> String {
            let pieces = ["a", "\"", "\"\"", ",", "\n", "\r\n", "\r", "b c", "\n\n", "\",\"", "é"]
            let count = Int.random(in: 0...8, using: &random)
            var text = ""
            for _ in 0..<count {
                let piece = pieces.randomElement(using: &random) ?? ""
                let commas = text.utf8.count { $0 == 0x2C } + piece.utf8.count { $0 == 0x2C }
                if commas <= 3 { text += piece }
            }
            return text
        }
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func `it is reported, and every other imported row is right`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let export = Export(&random)
        let good = try EntryFormat.readFile(SourceFile(export.bytes))
        #expect(good.notes.isEmpty && good.entries.count == export.logins.count, "seed \(seed)")
        var places = Array(0...export.bytes.count)
        places.shuffle(using: &random)
        for place in places.prefix(60) {
            var bytes = export.bytes
            bytes.insert(UInt8(ascii: "\""), at: place)
            check(export, good, bytes, place, "seed \(seed), byte \(place)")
        }
    }

    private func check(
        _ export: Export,
        _ good: ReadEntries,
        _ bytes: [UInt8],
        _ place: Int,
        _ comment: Comment
    ) {
        let damaged = (export.starts.lastIndex { $0 <= place } ?? 0) - 1
        let plan: ReadEntries
        do {
            plan = try EntryFormat.readFile(SourceFile(bytes))
        } catch {
            // Without a header there is nothing to import, which is reported.
            #expect(damaged == -1, comment)
            return
        }
        #expect(plan.leftOutCount > 0, comment)
        for (index, entry) in good.entries.enumerated() {
            let found = plan.entries.filter { $0.addresses == entry.addresses }
            // A quote that a later one closes takes the text between into the field: the damaged
            // row's text is then longer, and the rows in that text are missing.
            if index == damaged { continue }
            #expect(found.count == 1 || index > damaged, comment)
            for found in found { #expect(found == entry, comment) }
        }
    }

    // MARK: As users met it

    private static let header = "name,url,username,password,note\n"

    private func accounts(_ rows: String) throws -> (ReadEntries, [String]) {
        let plan = try EntryFormat.readFile(SourceFile(Array((Self.header + rows).utf8)))
        let items = plan.entries.map { "\($0.userName):" + ($0.secretText ?? "") }
        return (plan, items)
    }

    @Test
    func `a quote that a later password closes swallows no rows`() throws {
        let (plan, items) = try accounts(
            """
            n1,https://a1.example.org/,"ada,pw1,note1
            n2,https://a2.example.org/,us2,pw2,note2
            n3,https://a3.example.org/,us3,",secret",note3
            n4,https://a4.example.org/,us4,pw4,note4

            """
        )
        #expect(items == ["us2:pw2", "us3:,secret", "us4:pw4"])
        #expect(plan.notes.map(\.entry) == [2])
    }

    @Test
    func `a stray quote that a later note closes makes one field of the text between`() throws {
        let (plan, items) = try accounts(
            """
            n1,https://a1.example.org/,us1,pw1,"note1
            n2,https://a2.example.org/,us2,pw2,note2
            n3,https://a3.example.org/,us3,pw3,"
            first line
            second line"
            n4,https://a4.example.org/,us4,pw4,note4

            """
        )
        #expect(items == ["us1:pw1", "us4:pw4"])
        #expect(plan.entries[0].note.contains("us2,pw2"))
        #expect(
            plan.notes.map(\.detail) == [
                "it does not have as many fields as the header, at line 5",
                "it has a quote in a field that does not begin with one, at line 6",
            ]
        )
    }

    @Test
    func `rows with a quote too many are each named, and no other`() throws {
        let (plan, items) = try accounts(
            """
            n1,https://a1.example.org/,"us1,pw1,note1
            n2,https://a2.example.org/,us2,",pw2",note2
            n3,https://a3.example.org/,us3,pw"3,"note3"
            n4,https://a4.example.org/,us4,"pw,4",note4
            n5,https://a5.example.org/,us5,pw5,"a note"" without an end

            """
        )
        #expect(items == ["us2:,pw2", "us4:pw,4"])
        #expect(plan.notes.map(\.entry) == [2, 4, 6])
    }

    @Test
    func `after a broken row reading continues with the next line`() throws {
        let (plan, items) = try accounts(
            """
            n1,https://a1.example.org/,us1,pw1,"an "old note
            of two lines"
            n2,https://a2.example.org/,us2,pw2,"a note
            in two lines"

            """
        )
        #expect(items == ["us2:pw2"])
        #expect(plan.notes.map(\.entry) == [2, 3])
    }

    @Test
    func `a header that has swallowed rows is refused`() {
        let table = "name,url,username,password,\"note\nn,https://a.example.org/,a,p,\"\nb\"\n"
        #expect(throws: MovingError.unknownLayout) {
            try EntryFormat.readFile(SourceFile(Array(table.utf8)))
        }
    }

    @Test
    func `rows in the notes of a good table are notes`() throws {
        let (plan, items) = try accounts(
            """
            n1,https://a1.example.org/,us1,pw1,"an old row:
            x,https://b.example.org/,y,z,v
            end"
            n2,https://a2.example.org/,us2,pw2,n,too many

            """
        )
        #expect(items == ["us1:pw1"])
        #expect(plan.entries.first?.note.contains("b.example.org") == true)
        #expect(plan.notes.map(\.entry) == [3])
    }
}
