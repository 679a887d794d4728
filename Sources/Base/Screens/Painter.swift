/// Turns frames into what a terminal has to be sent, and no more than that.
///
/// Each changed line is erased and written whole, and the terminal does not wrap: if it sees a
/// character wider than ``TextWidth`` does, only the rest of that line is off.
package struct Painter: Sendable {
    private let hasColors: Bool
    private var rows: Int
    private var columns: Int
    /// What each row shows; nil if that is unknown.
    private var shown: [StyledLine]?
    private var cursor: Frame.Position?

    package init(rows: Int, columns: Int, hasColors: Bool) {
        (self.rows, self.columns, self.hasColors) = (rows, columns, hasColors)
    }

    /// Switches to the alternate screen, which is erased later, and has no history.
    ///
    /// Source: xterm, "Control Sequences", DECSET 1049, 25, 7 and 2004.
    package static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"
    /// Erases first: a terminal without an alternate screen must not keep what stood there.
    package static let leaving =
        "\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Forgets what the screen shows: its size has changed, or others have written on it.
    package mutating func forget(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
        shown = nil
    }

    /// The output that makes the screen show a frame; "" if it does already.
    ///
    /// Lines that do not fit are cut, and lines below the screen left out.
    package mutating func paint(_ frame: Frame) -> String {
        var output = ""
        let lines = (0..<rows).map { row in
            row < frame.lines.count ? frame.lines[row].cut(to: columns) : StyledLine()
        }
        if shown == nil { output += "\u{1B}[0m\u{1B}[2J" }
        for (row, line) in lines.enumerated() where line != shown?[row] ?? StyledLine() {
            output += "\u{1B}[\(row + 1);1H" + text(line)
        }
        let place = frame.cursor.flatMap { $0.row < rows && $0.column < columns ? $0 : nil }
        if shown == nil || place != cursor || !output.isEmpty {
            if let place {
                output += "\u{1B}[\(place.row + 1);\(place.column + 1)H"
            }
            if shown == nil || (place == nil) != (cursor == nil) {
                output += place == nil ? "\u{1B}[?25l" : "\u{1B}[?25h"
            }
        }
        shown = lines
        cursor = place
        return output
    }

    private func text(_ line: StyledLine) -> String {
        var output = "\u{1B}[K"
        var style = Style.plain
        for piece in line.pieces {
            if piece.style != style { output += piece.style.sequence(hasColors: hasColors) }
            style = piece.style
            output += piece.text
        }
        return style == .plain ? output : output + "\u{1B}[0m"
    }
}
