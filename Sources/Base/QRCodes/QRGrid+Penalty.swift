extension QRGrid {
    /// The penalty points of a masked grid (§7.8.3): what makes a code hard to read.
    var penalty: Int {
        var points = 0
        var dark = 0
        for line in 0..<size {
            let row = (0..<size).map { self[line, $0] }
            let column = (0..<size).map { self[$0, line] }
            points += Self.linePenalty(row) + Self.linePenalty(column)
            dark += row.count { $0 }
        }
        for row in 1..<size {
            for column in 1..<size where isBlock(row, column) { points += 3 }
        }
        // For each whole five percent away from one half.
        let total = size * size
        return points + 10 * (abs(20 * dark - 10 * total) / total)
    }

    /// Whether the module and those above and to the left of it have one colour.
    private func isBlock(_ row: Int, _ column: Int) -> Bool {
        let color = self[row, column]
        return self[row - 1, column] == color && self[row, column - 1] == color
            && self[row - 1, column - 1] == color
    }

    /// The points of one row or column: for runs of five and more, and for what looks like a finder
    /// beside four light modules, as all are outside of the code.
    private static func linePenalty(_ line: [Bool]) -> Int {
        var points = 0
        var run = 0
        let margin = [Bool](repeating: false, count: 4)
        // The last eleven modules.
        var window = 0
        var finderBefore: Int?
        for (index, isDark) in (margin + line + margin).enumerated() {
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            // A finder between light modules counts once.
            if window == 0b000_0101_1101 {
                points += 40
                finderBefore = index
            } else if window == 0b101_1101_0000, finderBefore != index - 4 {
                points += 40
            }
        }
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { points += 3 }
            if run > 5 { points += 1 }
        }
        return points
    }
}
