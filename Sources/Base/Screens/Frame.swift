/// How a piece of text looks.
///
/// Nothing may depend on it alone: a terminal can be without colours, and a user too.
package struct Style: Hashable, Sendable {
    package enum Color: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case cyan = 36
    }

    package var color: Color?
    package var isBold: Bool
    package var isDim: Bool
    package var isUnderlined: Bool
    package var isReversed: Bool

    package init(
        color: Color? = nil,
        isBold: Bool = false,
        isDim: Bool = false,
        isUnderlined: Bool = false,
        isReversed: Bool = false
    ) {
        self.color = color
        self.isBold = isBold
        self.isDim = isDim
        self.isUnderlined = isUnderlined
        self.isReversed = isReversed
    }

    package static let plain = Style()
    package static let bold = Style(isBold: true)
    package static let dim = Style(isDim: true)

    /// A text in this style, for a terminal with colors, which goes on as before.
    package func colored(_ text: String) -> String {
        self == .plain || text.isEmpty ? text : sequence(hasColors: true) + text + "\u{1B}[0m"
    }

    /// The numbers of SGR (ECMA-48), beginning with the one that ends all styles.
    func sequence(hasColors: Bool) -> String {
        var numbers = ["0"]
        if isBold { numbers.append("1") }
        if isDim { numbers.append("2") }
        if isUnderlined { numbers.append("4") }
        if isReversed { numbers.append("7") }
        if hasColors, let color { numbers.append(String(color.rawValue)) }
        return "\u{1B}[" + numbers.joined(separator: ";") + "m"
    }
}

/// One line of the screen, in pieces of one style each.
package struct StyledLine: Hashable, Sendable {
    package struct Piece: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var pieces: [Piece] = []

    package init() {}

    package init(_ text: String, _ style: Style = .plain) {
        append(text, style)
    }

    /// Control characters become visible.
    package mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: TextWidth.visible(text), style: style))
    }

    package static func += (line: inout StyledLine, other: StyledLine) {
        line.pieces += other.pieces
    }

    package var text: String { pieces.map(\.text).joined() }

    package var columns: Int { pieces.reduce(0) { $0 + TextWidth.columns(of: $1.text) } }

    /// The line, or its start with an ellipsis, in at most this many columns.
    package func cut(to columns: Int) -> StyledLine {
        guard self.columns > columns else { return self }
        var cut = StyledLine()
        var left = columns
        for piece in pieces {
            let width = TextWidth.columns(of: piece.text)
            // The ellipsis needs a column, unless nothing follows.
            guard width < left else {
                cut.append(TextWidth.start(of: piece.text, columns: left - 1) + "…", piece.style)
                break
            }
            cut.append(piece.text, piece.style)
            left -= width
        }
        return columns > 0 ? cut : StyledLine()
    }
}

/// What stands on the screen.
package struct Frame: Hashable, Sendable {
    package struct Position: Hashable, Sendable {
        /// Both count from 0.
        package var row: Int
        package var column: Int

        package init(row: Int, column: Int) {
            (self.row, self.column) = (row, column)
        }
    }

    package var lines: [StyledLine]
    /// nil hides the cursor.
    package var cursor: Position?

    package init(lines: [StyledLine] = [], cursor: Position? = nil) {
        (self.lines, self.cursor) = (lines, cursor)
    }
}
