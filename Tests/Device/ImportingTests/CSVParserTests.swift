import KSImporting
import KSTestSupport
import Testing

struct CSVParserTests {
    @Test(arguments: 0..<500 as Range<UInt64>)
    func `any table that was written parses back`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let width = Int.random(in: 1...4, using: &random)
        let rows = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            (0..<width).map { _ in random.csvText() }
        }
        var writer = TableMaker(random: random)
        let parsed = records(TableBytes(writer.table(rows)).bytes)
        #expect(parsed.map(\.fields) == rows.map { $0.map { Array($0.utf8) } }, "seed \(seed)")
        #expect(parsed.map(\.number) == Array(1...rows.count), "seed \(seed)")
    }

    @Test
    func `line breaks inside quotes belong to the field and move the line, not the row`() {
        let table = "a,b\r\n\"1\r\n\"\"2\",\"x,y\"\r\n\r\nlast,\n"
        #expect(
            records(table) == [
                CSVRow(number: 1, line: 1, fields: ["a", "b"].map { Array($0.utf8) }),
                CSVRow(
                    number: 2,
                    line: 2,
                    fields: ["1\r\n\"2", "x,y"].map { Array($0.utf8) },
                    quoted: 0b11
                ),
                CSVRow(number: 4, line: 5, fields: ["last", ""].map { Array($0.utf8) }),
            ]
        )
    }

    @Test
    func `a quote in a field that begins without one breaks its row`() {
        // No program writes this: it is the rest of a quoted field, or has one quote too many.
        let found = all("h,h\na,5\" disk\nb,2\n")
        #expect(found[1] == .failure(CSVFault(row: 2, line: 2, reason: .quoteInField)))
        #expect(
            found[2]
                == .success(CSVRow(number: 3, line: 3, fields: [Array("b".utf8), Array("2".utf8)]))
        )
    }

    @Test
    func `an unclosed quote breaks only its row`() {
        let found = all("h,h\na,\"open\nb,2\nc,3\n")
        #expect(found.count == 4)
        #expect(found[1] == .failure(CSVFault(row: 2, line: 2, reason: .unterminatedQuote)))
        #expect(
            found[3]
                == .success(CSVRow(number: 4, line: 4, fields: [Array("c".utf8), Array("3".utf8)]))
        )
    }

    @Test
    func `an open quote that meets a later row's quote breaks only its row`() {
        let found = all("h,h\na,\"open\nb,2\nc,\"3\"\nd,4\n")
        #expect(found[1] == .failure(CSVFault(row: 2, line: 2, reason: .textAfterQuote)))
        #expect(
            found.dropFirst(2)
                == [
                    .success(
                        CSVRow(number: 3, line: 3, fields: [Array("b".utf8), Array("2".utf8)])
                    ),
                    .success(
                        CSVRow(
                            number: 4,
                            line: 4,
                            fields: [Array("c".utf8), Array("3".utf8)],
                            quoted: 0b10
                        )
                    ),
                    .success(
                        CSVRow(number: 5, line: 5, fields: [Array("d".utf8), Array("4".utf8)])
                    ),
                ]
        )
    }

    @Test(arguments: 0..<500 as Range<UInt64>)
    func `garbage ends, and gives at most one row a line`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("\"\",,\n\n\rab".utf8) + [0, 0xFF, 0xC3]
        let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? 0
        }
        let lineCount = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        #expect(all(bytes).count <= lineCount, "seed \(seed)")
    }

    @Test(.timeLimit(.minutes(10)))
    func `many broken rows take no longer than as many good ones, nearly`() {
        // Each line opens a quote that the next line's quote seems to close.
        let broken = Array(repeating: "a,\"\"\"b\"\"\n", count: 50_000).joined()
        #expect(all(broken).count == 50_000)
    }

    @Test(arguments: [
        ("a,b\n\"1\"\n", 1), ("a,b\n\"1\",2,3\n", nil), ("a,b\n\"1\n2\"\n", nil),
        ("a,b\n1,2,3\n", 3),
    ])
    func `a row with quotes may lack cells, unless they enclose a line break`(
        table: String,
        cells: Int?
    ) {
        guard case .success(let row) = all(table)[1] else {
            #expect(cells == nil)
            return
        }
        #expect(row.fields.count == cells)
    }

    @Test
    func `an empty text in quotes differs from none`() {
        let row = records("a,\"\",,\"x\"\n")[0]
        #expect((0...4).map(row.isQuoted) == [false, true, false, true, false])
    }

    @Test(arguments: [false, true])
    func `UTF-16 of both orders, a mark and a named separator are understood`(isLittle: Bool) {
        let text = "sep=;\nname;ä🔑\n"
        func bytes(_ text: String) -> [UInt8] {
            text.utf16.flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isLittle ? [low, high] : [high, low]
            }
        }
        for table in [bytes("\u{FEFF}" + text), bytes(text), Array(("\u{FEFF}" + text).utf8)] {
            let read = TableBytes(table)
            #expect(read.separator == UInt8(ascii: ";"))
            var parser = CSVParser(read.bytes, separator: UInt8(ascii: ";"))
            let fields = ["name", "ä🔑"].map { Array($0.utf8) }
            #expect(parser.next() == .success(CSVRow(number: 2, line: 2, fields: fields)))
        }
        // Half of a pair is no text.
        let broken = TableBytes(bytes("\u{FEFF}a") + (isLittle ? [0, 0xD8] : [0xD8, 0]))
        #expect(broken.bytes == [UInt8(ascii: "a"), 0xFF])
    }

    private func all(_ text: String) -> [Result<CSVRow, CSVFault>] { all(Array(text.utf8)) }

    private func all(_ bytes: [UInt8]) -> [Result<CSVRow, CSVFault>] {
        var parser = CSVParser(bytes)
        var found: [Result<CSVRow, CSVFault>] = []
        while let record = parser.next() { found.append(record) }
        return found
    }

    private func records(_ text: String) -> [CSVRow] { records(Array(text.utf8)) }

    private func records(_ bytes: [UInt8]) -> [CSVRow] {
        all(bytes).compactMap { record in
            guard case .success(let row) = record else { return nil }
            return row
        }
    }
}
