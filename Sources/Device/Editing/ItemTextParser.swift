/// Reads the lines of an edited item.
struct ItemTextParser {
    private var lines: [ArraySlice<UInt8>]
    private var next = 0

    init(_ text: [UInt8]) throws(ItemTextError) {
        guard String(validating: text, as: UTF8.self) != nil else { throw .notUTF8 }
        lines = Self.lines(text)
        // An editor may end all lines as Windows does; a single one belongs to a value.
        let carriageReturn = UInt8(ascii: "\r")
        let ended = lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
        if ended.allSatisfy({ $0.last == carriageReturn }) {
            lines = ended.map { $0.dropLast() }
        }
    }

    static func lines(_ text: String) -> [ArraySlice<UInt8>] { lines(Array(text.utf8)) }

    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { " \t\r".utf8.contains(byte) }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// The line that ends a block which starts with this value, or nil for another value.
    static func blockMark(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard value.count >= 3, value.allSatisfy({ $0 == UInt8(ascii: "<") }) else { return nil }
        return [UInt8](repeating: UInt8(ascii: ">"), count: value.count)[...]
    }

    mutating func fields(repeating: String?) throws(ItemTextError) -> [EditedField] {
        var fields: [EditedField] = []
        var numbers: [String: Int] = [:]
        while next < lines.count {
            let line = Self.trimmed(lines[next])
            next += 1
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let number = next
            let field = try field(line, number)
            let mayRepeat = field.kind == nil && field.name == repeating
            if !mayRepeat, let other = numbers.updateValue(number, forKey: field.name) {
                throw .twice(name: field.name, first: other, second: number)
            }
            fields.append(field)
        }
        return fields
    }

    private mutating func field(
        _ line: ArraySlice<UInt8>,
        _ number: Int
    ) throws(ItemTextError) -> EditedField {
        let isQuoted = line.first == UInt8(ascii: "\"")
        var (name, rest) = try isQuoted ? Self.quotedName(line, number) : ([], line)
        let colon = try Self.colon(in: rest, isQuoted: isQuoted, number)
        let start = Self.trimmed(rest[..<colon])
        rest = rest[(colon + 1)...]
        let (plain, kind) = Self.kind(start)
        if !isQuoted { name = Array(plain) }
        guard !isQuoted || plain.isEmpty else { throw .badQuotes(line: number) }
        guard !name.isEmpty else { throw .noName(line: number) }
        let value = Self.trimmed(rest)
        let bytes =
            if let mark = Self.blockMark(value) {
                try block(mark, number)
            } else {
                Array(value)
            }
        return EditedField(
            name: String(decoding: name, as: UTF8.self),
            kind: kind.map { String(decoding: $0, as: UTF8.self) },
            value: String(decoding: bytes, as: UTF8.self)
        )
    }

    /// The colon that ends a name: one before a space or the end, or else the first one.
    private static func colon(
        in text: ArraySlice<UInt8>,
        isQuoted: Bool,
        _ number: Int
    ) throws(ItemTextError) -> Int {
        let colons = text.indices.filter { text[$0] == UInt8(ascii: ":") }
        let spaced = colons.first { $0 + 1 == text.endIndex || " \t".utf8.contains(text[$0 + 1]) }
        guard let colon = isQuoted ? colons.first : spaced ?? colons.first else {
            throw isQuoted ? .badQuotes(line: number) : .noColon(line: number)
        }
        return colon
    }

    /// Splits ` (kind)` from the end of a name.
    private static func kind(
        _ text: ArraySlice<UInt8>
    ) -> (name: ArraySlice<UInt8>, kind: ArraySlice<UInt8>?) {
        guard text.last == UInt8(ascii: ")"),
            let open = text.lastIndex(of: UInt8(ascii: "("))
        else { return (text, nil) }
        return (trimmed(text[..<open]), trimmed(text[(open + 1)...].dropLast()))
    }

    private static func quotedName(
        _ line: ArraySlice<UInt8>,
        _ number: Int
    ) throws(ItemTextError) -> (name: [UInt8], rest: ArraySlice<UInt8>) {
        var name: [UInt8] = []
        var rest = line.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return (name, rest) }
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                name.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "n"): name.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): name.append(UInt8(ascii: "\r"))
            default: name.append(escaped)
            }
        }
        throw .badQuotes(line: number)
    }

    private mutating func block(
        _ mark: ArraySlice<UInt8>,
        _ number: Int
    ) throws(ItemTextError) -> [UInt8] {
        // Only spaces at its end, which nobody sees, may be added to the mark.
        guard let end = lines[next...].firstIndex(where: { Self.trimmed($0) == mark }) else {
            throw .notClosed(line: number, mark: String(decoding: mark, as: UTF8.self))
        }
        let value = lines[next..<end].joined(separator: [UInt8(ascii: "\n")])
        next = end + 1
        return Array(value)
    }
}
