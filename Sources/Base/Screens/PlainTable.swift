/// A table as text, for output that people read.
package struct PlainTable: Sendable {
    package struct Column: Sendable {
        package let title: String
        /// Whether it is cut only when cutting the others is not enough.
        package let isKept: Bool
        package let isRightAligned: Bool
        package let style: Style

        package init(
            _ title: String,
            isKept: Bool = false,
            isRightAligned: Bool = false,
            style: Style = .plain
        ) {
            (self.title, self.isKept, self.isRightAligned) = (title, isKept, isRightAligned)
            self.style = style
        }
    }

    private let columns: [Column]
    private let rows: [[String]]
    /// The columns of each cell on the screen, row by row, those of the titles first.
    private let widths: [Int]

    private static let gap = 2
    /// Less would say nothing: two characters and the ellipsis.
    private static let columnsMin = 3

    /// Each row has a cell for each column.
    package init(columns: [Column], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count })
        self.columns = columns
        self.rows = [columns.map(\.title)] + rows.map { $0.map(TextWidth.visible) }
        widths = self.rows.flatMap { $0.map(TextWidth.columns) }
    }

    /// The lines of the table, the titles first, each with a line break.
    ///
    /// Cells are cut with an ellipsis to fit a terminal of this width; nil cuts nothing, for files
    /// and other programs. Columns without a text are left out. Without colors nothing is styled.
    package func text(fitting width: Int?, hasColors: Bool = false) -> String {
        var limits = columns.indices.map { index in
            let most = (1..<rows.count).reduce(0) { max($0, cellWidth($1, index)) }
            return most == 0 ? 0 : max(most, cellWidth(0, index))
        }
        let shown = limits.indices.filter { limits[$0] > 0 }
        if let width {
            narrow(&limits, shown, by: { !columns[$0].isKept }, to: width)
            narrow(&limits, shown, by: { _ in true }, to: width)
        }
        var text = ""
        for (row, cells) in rows.enumerated() {
            // Spaces are written once something follows them.
            var spaces = 0
            for index in shown {
                let isCut = cellWidth(row, index) > limits[index]
                let cell = isCut ? TextWidth.cut(cells[index], to: limits[index]) : cells[index]
                let fill =
                    limits[index] - (isCut ? TextWidth.columns(of: cell) : cellWidth(row, index))
                if columns[index].isRightAligned { spaces += fill }
                if !cell.isEmpty {
                    text += String(repeating: " ", count: spaces)
                    let style = row == 0 ? .dim : columns[index].style
                    text += hasColors ? style.colored(cell) : cell
                    spaces = 0
                }
                spaces += Self.gap + (columns[index].isRightAligned ? 0 : fill)
            }
            text += "\n"
        }
        return text
    }

    private func cellWidth(_ row: Int, _ column: Int) -> Int {
        widths[row * columns.count + column]
    }

    /// Takes columns away from the widest, one by one, so that long texts lose first.
    private func narrow(
        _ widths: inout [Int],
        _ shown: [Int],
        by mayNarrow: (Int) -> Bool,
        to limit: Int
    ) {
        let candidates = shown.filter(mayNarrow)
        var total = shown.reduce(0) { $0 + widths[$1] } + max(0, shown.count - 1) * Self.gap
        while total > limit,
            let widest = candidates.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.columnsMin
        {
            widths[widest] -= 1
            total -= 1
        }
    }
}
