import KSScreens
import KSTestTerminals
import Testing

struct PainterTests {
    private static func line(_ random: inout Generator) -> StyledLine {
        var line = StyledLine()
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let text =
                ["bank ", "日本 ", "ü", "e\u{301}x", "ada@example.org"].randomElement(
                    using: &random
                ) ?? ""
            let style = [Style.plain, .bold, Style(color: .red, isReversed: true)].randomElement(
                using: &random
            )
            line.append(text, style ?? .plain)
        }
        return line
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `after any frames the screen shows the last one`(seed: UInt64) {
        var random = Generator(state: seed)
        var (rows, columns) = (5, 20)
        var painter = Painter(rows: rows, columns: columns, hasColors: seed % 2 == 0)
        var screen = ScreenModel(rows: rows, columns: columns)
        screen.take(Painter.entering.utf8)
        for _ in 0..<20 {
            if Int.random(in: 0..<8, using: &random) == 0 {
                rows = Int.random(in: 1...8, using: &random)
                columns = Int.random(in: 2...30, using: &random)
                painter.forget(rows: rows, columns: columns)
                screen.resize(rows: rows, columns: columns)
            }
            let count = Int.random(in: 0...9, using: &random)
            var frame = Frame(lines: (0..<count).map { _ in Self.line(&random) })
            if Bool.random(using: &random) { frame.cursor = .init(row: 0, column: 1) }
            screen.take(painter.paint(frame).utf8)
            let wanted = (0..<rows).map { row in
                row < count ? Self.trimmed(frame.lines[row].cut(to: columns).text) : ""
            }
            #expect(screen.lines == wanted)
            #expect(screen.isCursorVisible == (frame.cursor != nil))
            if frame.cursor != nil { #expect(screen.row == 0 && screen.column == 1) }
            #expect(screen.unknown == [])
        }
    }

    @Test
    func `only changed lines are sent`() {
        var painter = Painter(rows: 24, columns: 80, hasColors: false)
        var frame = Frame(lines: (0..<24).map { StyledLine("line \($0)") })
        #expect(painter.paint(frame).contains("line 7"))
        #expect(painter.paint(frame) == "")
        frame.lines[7] = StyledLine("other")
        #expect(painter.paint(frame) == "\u{1B}[8;1H\u{1B}[Kother")
        frame.lines.removeLast()
        #expect(painter.paint(frame) == "\u{1B}[24;1H\u{1B}[K")
    }

    @Test
    func `without colours only colours are missing`() {
        let frame = Frame(lines: [StyledLine("a", Style(color: .red, isBold: true))])
        var plain = Painter(rows: 1, columns: 9, hasColors: false)
        #expect(plain.paint(frame).contains("\u{1B}[0;1ma\u{1B}[0m"))
        var colored = Painter(rows: 1, columns: 9, hasColors: true)
        #expect(colored.paint(frame).contains("\u{1B}[0;1;31ma\u{1B}[0m"))
    }

    @Test
    func `no text reaches the terminal as a control sequence`() {
        var painter = Painter(rows: 2, columns: 40, hasColors: false)
        let output = painter.paint(Frame(lines: [StyledLine("x\u{1B}]52;c;eA==\u{7}y\u{9B}K")]))
        #expect(output.contains("x␛]52;c;eA==␇y�K"))
    }

    @Test
    func `a line is cut over its pieces`() {
        var line = StyledLine("name ", .bold)
        line.append("日本語")
        #expect(line.cut(to: 11).text == "name 日本語")
        #expect(line.cut(to: 10).text == "name 日本…")
        #expect(line.cut(to: 5).text == "name…")
        #expect(line.cut(to: 0).text == "")
    }

    @Test(arguments: [
        (["TERM": "xterm"], true, true), (["TERM": "xterm", "NO_COLOR": "1"], true, false),
        (["TERM": "xterm", "NO_COLOR": ""], true, true), (["TERM": "vt100"], true, false),
        (["TERM": "dumb"], false, false), ([:], false, false),
    ])
    func `the variables say what the terminal can do`(
        environment: [String: String],
        hasCursor: Bool,
        hasColors: Bool
    ) {
        let features = TerminalFeatures(environment: environment)
        #expect(features.hasCursor == hasCursor)
        #expect(features.hasColors == hasColors)
    }
}
