/// The screen of a terminal, as far as the programs here use it.
///
/// Source: xterm, "Control Sequences": CUP, ED, EL, DECSET 25, 7, 1049 and 2004.
package struct ScreenModel {
    package private(set) var rows: Int
    package private(set) var columns: Int
    /// A wide character is followed by an empty cell.
    private var cells: [[String]]
    private var usualCells: [[String]] = []
    private var usualPlace = (row: 0, column: 0)
    package private(set) var row = 0
    package private(set) var column = 0
    package private(set) var isAlternate = false
    package private(set) var isCursorVisible = true
    package private(set) var isWrapping = true
    package private(set) var isPasteBracketed = false
    /// Sequences that this model does not know; no program here should write one.
    package private(set) var unknown: [String] = []
    private var pending: [UInt8] = []

    package init(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
        cells = Self.empty(rows, columns)
    }

    package var lines: [String] {
        cells.map { row in
            let text = row.joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    package var text: String { lines.joined(separator: "\n") }

    package mutating func resize(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
        func fitted(_ old: [[String]]) -> [[String]] {
            (0..<rows).map { row in
                (0..<columns).map { column in
                    row < old.count && column < old[row].count ? old[row][column] : " "
                }
            }
        }
        cells = fitted(cells)
        usualCells = fitted(usualCells)
        row = min(row, rows - 1)
        column = min(column, columns - 1)
    }

    package mutating func take(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        while let used = step() { pending.removeFirst(used) }
    }

    private static func empty(_ rows: Int, _ columns: Int) -> [[String]] {
        Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// Handles what comes first; nil if it is not complete.
    private mutating func step() -> Int? {
        guard let first = pending.first else { return nil }
        switch first {
        case 0x1B: return escape()
        case 0x0D: column = 0
        case 0x0A: feedLine()
        case 0x08: column = max(0, column - 1)
        case 0x07: break
        case ..<0x20: unknown.append("\(first)")
        default:
            let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard pending.count >= count else { return nil }
            put(String(decoding: pending.prefix(count), as: UTF8.self))
            return count
        }
        return 1
    }

    private mutating func escape() -> Int? {
        guard pending.count >= 2 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "["):
            guard let end = pending.dropFirst(2).firstIndex(where: { $0 >= 0x40 && $0 <= 0x7E })
            else { return nil }
            control(String(decoding: pending[2...end], as: UTF8.self))
            return end + 1
        case UInt8(ascii: "]"):
            guard let end = pending.firstIndex(of: 0x07) else { return nil }
            return end + 1
        default:
            unknown.append(String(decoding: pending.prefix(2), as: UTF8.self))
            return 2
        }
    }

    private mutating func control(_ sequence: String) {
        let numbers = sequence.dropLast().split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
        func number(_ index: Int) -> Int {
            index < numbers.count ? max(1, numbers[index]) : 1
        }
        switch sequence {
        case "?1049h":
            if !isAlternate { (usualCells, usualPlace) = (cells, (row, column)) }
            isAlternate = true
            cells = Self.empty(rows, columns)
        case "?1049l":
            if isAlternate {
                (cells, row, column) = (usualCells, usualPlace.row, usualPlace.column)
            }
            isAlternate = false
        case "?25h": isCursorVisible = true
        case "?25l": isCursorVisible = false
        case "?7h": isWrapping = true
        case "?7l": isWrapping = false
        case "?2004h": isPasteBracketed = true
        case "?2004l": isPasteBracketed = false
        case "K": for index in min(column, columns - 1)..<columns { cells[row][index] = " " }
        case "2J": cells = Self.empty(rows, columns)
        case _ where sequence.last == "H":
            row = min(number(0), rows) - 1
            column = min(number(1), columns) - 1
        case _ where sequence.last == "m": break
        default: unknown.append(sequence)
        }
    }

    private mutating func feedLine() {
        if row < rows - 1 {
            row += 1
        } else {
            cells.removeFirst()
            cells.append(Array(repeating: " ", count: columns))
        }
    }

    private mutating func put(_ text: String) {
        guard let scalar = text.unicodeScalars.first else { return }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format:
            if column > 0 { cells[row][column - 1] += text }
            return
        default: break
        }
        let width = Self.isWide(scalar) ? 2 : 1
        if column + width > columns {
            guard isWrapping else { return }
            column = 0
            feedLine()
        }
        cells[row][column] = text
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    /// Enough for the texts of the tests.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xFF01...0xFF60: true
        case 0x1F300...0x1FAFF: true
        default: false
        }
    }
}
