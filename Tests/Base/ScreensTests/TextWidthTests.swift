import KSScreens
import Testing

struct TextWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("ｱ", 1), ("Ａ", 2),
        ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("\u{200B}", 0),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("…•", 2), ("ä\u{308}ö", 2),
    ])
    func `text takes the columns that a terminal gives it`(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    @Test
    func `a text is cut at a whole character, with an ellipsis`() {
        #expect(TextWidth.cut("password", to: 8) == "password")
        #expect(TextWidth.cut("password", to: 5) == "pass…")
        #expect(TextWidth.cut("日本語", to: 6) == "日本語")
        #expect(TextWidth.cut("日本語", to: 4) == "日…")
        #expect(TextWidth.cut("日本語", to: 5) == "日本…")
        #expect(TextWidth.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
        #expect(TextWidth.cut("ab", to: 1) == "…")
        #expect(TextWidth.cut("ab", to: 0) == "")
    }

    @Test(arguments: 0..<40)
    func `a cut or filled text never takes more columns than it may`(columns: Int) {
        for text in ["password of a bank", "日本語の長い文", "👨‍👩‍👧‍👦👍🏽 family", "e\u{301}a\u{308}"] {
            #expect(TextWidth.columns(of: TextWidth.cut(text, to: columns)) <= columns)
            #expect(TextWidth.columns(of: TextWidth.fit(text, to: columns)) == columns)
        }
    }

    @Test
    func `characters that would change the screen become visible`() {
        #expect(TextWidth.visible("a\u{1B}[2Jb\n\t\u{7F}") == "a␛[2Jb␊␉␡")
        #expect(TextWidth.visible("\u{9B}2J \u{202E}evil\u{2028}") == "�2J �evil�")
        #expect(TextWidth.visible("Grüße 日本") == "Grüße 日本")
    }

    @Test
    func `a text is wrapped at its line breaks and at the edge`() {
        #expect(TextWidth.wrap("abcdef\n\nxy", columns: 4) == ["abcd", "ef", "", "xy"])
        #expect(TextWidth.wrap("日本語", columns: 5) == ["日本", "語"])
        #expect(TextWidth.wrap("", columns: 5) == [""])
        #expect(TextWidth.wrap("a\r\nb", columns: 5) == ["a", "b"])
    }
}

struct PlainTableTests {
    @Test
    func `no line ends in spaces, whichever cell is empty`() {
        let columns = [PlainTable.Column("A"), .init("B", isRightAligned: true), .init("C")]
        let rows = [["a", "", ""], ["", "b", ""], ["long", "1234", "c"]]
        let text = PlainTable(columns: columns, rows: rows).text(fitting: nil)
        #expect(text == "A        B  C\na\n         b\nlong  1234  c\n")
    }

    private static let table = PlainTable(
        columns: [
            .init("Name", isKept: true), .init("User"), .init("Notes"),
            .init("Age", isRightAligned: true),
        ],
        rows: [
            ["bank", "ada.lovelace@example.org", "", "3"], ["日本", "ada", "", "120"],
        ]
    )

    @Test
    func `without a terminal nothing is cut, and empty columns are left out`() {
        let lines = [
            "Name  User                      Age", "bank  ada.lovelace@example.org    3",
            "日本  ada                       120",
        ]
        #expect(Self.table.text(fitting: nil) == lines.joined(separator: "\n") + "\n")
    }

    @Test
    func `on a terminal the longest texts are cut`() {
        let lines = [
            "Name  User            Age", "bank  ada.lovelace@…    3", "日本  ada             120",
        ]
        #expect(Self.table.text(fitting: 25) == lines.joined(separator: "\n") + "\n")
    }

    @Test(arguments: 14..<60)
    func `no line is wider than the terminal`(width: Int) {
        for line in Self.table.text(fitting: width).split(separator: "\n") {
            #expect(TextWidth.columns(of: String(line)) <= width)
        }
    }
}
