/// Writes tables by RFC 4180, in all the forms that it allows.
package struct TableMaker {
    package var random: SeededGenerator

    package init(random: SeededGenerator) { self.random = random }

    package mutating func table(_ rows: [[String]]) -> [UInt8] {
        let lineEnd = ["\r\n", "\n", "\r"].randomElement(using: &random) ?? "\n"
        var bytes: [UInt8] = Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []
        for (index, row) in rows.enumerated() {
            bytes += row.map { field(Array($0.utf8)) }.joined(separator: ",".utf8)
            let isLast = index == rows.count - 1
            if !isLast || Bool.random(using: &random) { bytes += lineEnd.utf8 }
        }
        return bytes
    }

    /// Works on bytes: as a `Character`, a quote and a combining accent after it are one.
    private mutating func field(_ value: [UInt8]) -> [UInt8] {
        let needsQuotes = value.contains { "\",\r\n".utf8.contains($0) }
        // An empty field stays quoted here: as the only one of its row it would be an empty line.
        guard needsQuotes || value.isEmpty || Bool.random(using: &random) else { return value }
        let quote = UInt8(ascii: "\"")
        return [quote] + value.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
}

extension SeededGenerator {
    /// A short text in which the special characters of CSV are common.
    package mutating func csvText() -> String {
        let pieces = [
            "a", "ß", "🔑", "\"", "\"\"", ",", "\n", "\r\n", "\r", " ", "'", "\u{301}", "",
        ]
        let count = Int.random(in: 0...6, using: &self)
        return (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }
}
