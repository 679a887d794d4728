/// Swift source with comments and the contents of strings blanked out, line by line.
///
/// Enough of a lexer for these checks: nested comments, strings of one and several lines, raw ones,
/// and interpolations, which are code again. Regular expression literals are not known.
struct SwiftCode {
    private(set) var lines: [[UInt8]] = [[]]

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        while position < bytes.count { code(until: nil) }
    }

    var texts: [String] { lines.map { String(decoding: $0, as: UTF8.self) } }

    private func sees(_ text: StaticString) -> Bool {
        unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            .elementsEqual(bytes[position...].prefix(text.utf8CodeUnitCount))
    }

    private mutating func keep() {
        if bytes[position] == UInt8(ascii: "\n") {
            lines.append([])
        } else {
            lines[lines.count - 1].append(bytes[position])
        }
        position += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<min(count, bytes.count - position) {
            if bytes[position] == UInt8(ascii: "\n") { lines.append([]) }
            position += 1
        }
    }

    /// Copies code up to the end, or over the parenthesis that closes an interpolation.
    private mutating func code(until closing: UInt8?) {
        var depth = 0
        while position < bytes.count {
            if sees("//") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { blank() }
            } else if sees("/*") {
                comment()
            } else if let hashes = stringStart() {
                string(hashes: hashes)
            } else {
                if bytes[position] == UInt8(ascii: "(") { depth += 1 }
                if bytes[position] == UInt8(ascii: ")") {
                    if depth == 0, closing != nil { return blank() }
                    depth -= 1
                }
                keep()
            }
        }
    }

    private mutating func comment() {
        var depth = 0
        repeat {
            if sees("/*") {
                depth += 1
                blank(2)
            } else if sees("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && position < bytes.count
    }

    /// How many number signs stand before a quote here, or nil when no string begins.
    private func stringStart() -> Int? {
        let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = position + hashes
        return quote < bytes.count && bytes[quote] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func string(hashes: Int) {
        blank(hashes)
        let isLong = sees("\"\"\"")
        let quotes = isLong ? 3 : 1
        blank(quotes)
        // Keeps an empty string in its place.
        lines[lines.count - 1] += "\"\"".utf8
        while position < bytes.count {
            if isClosing(quotes: quotes, hashes: hashes) { return blank(quotes + hashes) }
            if bytes[position] == UInt8(ascii: "\n"), !isLong { return }
            guard bytes[position] == UInt8(ascii: "\\"), hasHashes(hashes, at: position + 1) else {
                blank()
                continue
            }
            blank(1 + hashes)
            if position < bytes.count, bytes[position] == UInt8(ascii: "(") {
                blank()
                code(until: UInt8(ascii: ")"))
            } else {
                blank()
            }
        }
    }

    private func isClosing(quotes: Int, hashes: Int) -> Bool {
        guard position + quotes <= bytes.count,
            bytes[position..<position + quotes].allSatisfy({ $0 == UInt8(ascii: "\"") })
        else { return false }
        return hasHashes(hashes, at: position + quotes)
    }

    private func hasHashes(_ count: Int, at index: Int) -> Bool {
        index + count <= bytes.count
            && bytes[index..<index + count].allSatisfy { $0 == UInt8(ascii: "#") }
    }
}
