/// A table in the one form that its parser reads: UTF-8 without a mark.
package struct TableBytes: Sendable {
    package private(set) var bytes: [UInt8]
    /// The separator that the first line names, as spreadsheets do: `sep=;`.
    package let separator: UInt8?

    /// `file`: UTF-8 with a byte order mark or without, or UTF-16 of either order.
    package init(_ file: [UInt8]) {
        var text = Self.utf8(file)
        let named = Array("sep=".utf8)
        guard text.count > named.count, Array(text.prefix(named.count)).lowercasedASCII == named,
            text[named.count] < 0x80
        else {
            (bytes, separator) = (text, nil)
            return
        }
        separator = text[named.count]
        // The line stays as an empty one, so that all others keep their numbers.
        text.removeFirst(named.count + 1)
        bytes = text
    }

    /// Makes a first line of blanks an empty one, which is no header.
    package mutating func emptyFirstLine() {
        let blanks = bytes.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let next = bytes.dropFirst(blanks.count).first
        if next.map("\r\n".utf8.contains) == true { bytes.removeFirst(blanks.count) }
    }

    private static func utf8(_ file: [UInt8]) -> [UInt8] {
        if file.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(file.dropFirst(3)) }
        let isMarked = file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF])
        // A header is ASCII, so each second byte of it is zero.
        guard isMarked || file.count > 3 && (file[0] == 0) != (file[1] == 0) else { return file }
        let isLittle = isMarked ? file[0] == 0xFF : file[1] == 0
        var text: [UInt8] = []
        text.reserveCapacity(file.count / 2)
        var units = UnitIterator(bytes: file, index: isMarked ? 2 : 0, isLittle: isLittle)
        var decoder = UTF16()
        while true {
            switch decoder.decode(&units) {
            case .scalarValue(let scalar): text += UTF8.encodeToBytes(scalar)
            // No text has this byte, so the cell is refused as one that is no text.
            case .error: text.append(0xFF)
            case .emptyInput: return text
            }
        }
    }

    private struct UnitIterator: IteratorProtocol {
        let bytes: [UInt8]
        var index: Int
        let isLittle: Bool

        mutating func next() -> UInt16? {
            guard index + 1 < bytes.count else { return nil }
            defer { index += 2 }
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
    }
}

extension UTF8 {
    fileprivate static func encodeToBytes(_ scalar: Unicode.Scalar) -> [UInt8] {
        Array(String(Character(scalar)).utf8)
    }
}

extension [UInt8] {
    /// The bytes with ASCII's capitals in lower case.
    package var lowercasedASCII: [UInt8] {
        map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    }
}
