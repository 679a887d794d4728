extension QRCode {
    /// How a code is drawn as text.
    package enum TextStyle: Sendable {
        /// Black on white by escape sequences, for terminals with any colours.
        case colored
        /// Without colours, where the terminal writes dark on light, such as a printer does.
        case darkOnLight
        /// Without colours, where the terminal writes light on dark.
        case lightOnDark
    }

    /// The light margin that readers want (§6.3.8), in modules.
    package static let quietZone = 4

    /// The number of columns of a drawing, and that of its lines.
    package var textColumns: Int { size + 2 * Self.quietZone }
    package var textLines: Int { (textColumns + 1) / 2 }

    /// Draws the code with half blocks, two modules a character, with its quiet zone.
    ///
    /// - Returns: Lines, each with a line feed.
    package func text(_ style: TextStyle) -> String {
        // The colours 16 and 231 are black and white in every theme, unlike the first sixteen.
        let (start, end) =
            style == .colored ? ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m\n") : ("", "\n")
        let blocks = style == .lightOnDark ? ["█", "▄", "▀", " "] : [" ", "▀", "▄", "█"]
        let columns = -Self.quietZone..<size + Self.quietZone
        return (0..<textLines).reduce(into: "") { text, line in
            let row = 2 * line - Self.quietZone
            text += start
            for column in columns {
                let upper = isDark(row: row, column: column) ? 1 : 0
                let lower = isDark(row: row + 1, column: column) ? 2 : 0
                text += blocks[upper + lower]
            }
            text += end
        }
    }
}
