/// Reads JSON (RFC 8259) piece by piece, so that a large file is never a tree as a whole.
///
/// Errors have a place in the file and none of its contents.
struct JSONScanner {
    /// How many lists and objects may enclose a value; exports have fewer than ten.
    private static let depthMax = 32
    /// The most values of one entry.
    private static let valuesMax = 50_000

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private var valuesLeft = valuesMax

    /// `bytes`: UTF-8, with a byte order mark or without.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Whether a file begins as JSON's objects do.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner(bytes)
        return scanner.peek() == UInt8(ascii: "{")
    }

    // MARK: Pieces

    /// The next byte that is no blank; nil at the end.
    mutating func peek() -> UInt8? {
        while index < bytes.count, " \t\n\r".utf8.contains(bytes[index]) { index += 1 }
        return index < bytes.count ? bytes[index] : nil
    }

    /// Reads an object; the body reads each member's value, all of it.
    mutating func object(
        _ body: (String, inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        try open("{")
        var names: Set<String> = []
        guard peek() != UInt8(ascii: "}") else { return close() }
        while true {
            guard peek() != nil else { throw fault }
            let start = index
            let name = try text()
            guard names.insert(name).inserted else {
                index = start
                let (line, column) = place
                throw .nameTwice(line: line, column: column)
            }
            guard peek() == UInt8(ascii: ":") else { throw fault }
            index += 1
            try body(name, &self)
            if peek() == UInt8(ascii: "}") { return close() }
            try comma()
        }
    }

    /// Reads a list; the body reads each element, all of it.
    mutating func list(
        _ body: (inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        try open("[")
        guard peek() != UInt8(ascii: "]") else { return close() }
        while true {
            try body(&self)
            if peek() == UInt8(ascii: "]") { return close() }
            try comma()
        }
    }

    /// Checks that nothing follows.
    mutating func end() throws(MovingError) {
        guard peek() == nil else { throw fault }
    }

    /// Reads a value, checks it, and forgets it.
    mutating func skip() throws(MovingError) {
        switch peek() {
        case UInt8(ascii: "{"):
            try object { _, scanner throws(MovingError) in try scanner.skip() }
        case UInt8(ascii: "["): try list { scanner throws(MovingError) in try scanner.skip() }
        default: _ = try scalar()
        }
    }

    /// Reads a whole value as a tree, which has a limited number of values.
    ///
    /// `number`: which entry it is, for an error.
    mutating func tree(number: Int = 0) throws(MovingError) -> JSONTree {
        valuesLeft = Self.valuesMax
        return try tree(of: number)
    }

    private mutating func tree(of number: Int) throws(MovingError) -> JSONTree {
        valuesLeft -= 1
        guard valuesLeft > 0 else { throw .entryTooLarge(number: number) }
        switch peek() {
        case UInt8(ascii: "{"):
            var members: [JSONTree.Member] = []
            try object { name, scanner throws(MovingError) in
                members.append(.init(name: name, value: try scanner.tree(of: number)))
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONTree] = []
            try list { scanner throws(MovingError) in
                elements.append(try scanner.tree(of: number))
            }
            return .list(elements)
        default: return try scalar()
        }
    }

    // MARK: Bytes

    private mutating func open(_ bracket: Unicode.Scalar) throws(MovingError) {
        guard peek() == UInt8(ascii: bracket) else { throw fault }
        guard depth < Self.depthMax else { throw .tooDeep(max: Self.depthMax) }
        depth += 1
        index += 1
    }

    private mutating func close() {
        depth -= 1
        index += 1
    }

    private mutating func comma() throws(MovingError) {
        guard peek() == UInt8(ascii: ",") else { throw fault }
        index += 1
    }

    /// The line and the column of the next byte, from 1.
    private var place: (line: Int, column: Int) {
        var (line, column) = (1, 1)
        for byte in bytes[..<index] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }

    private var fault: MovingError {
        let (line, column) = place
        return .notJSON(line: line, column: column)
    }

    private mutating func scalar() throws(MovingError) -> JSONTree {
        switch peek() {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(
        _ word: StaticString,
        _ value: JSONTree
    ) throws(MovingError) -> JSONTree {
        for byte in word.description.utf8 {
            guard index < bytes.count, bytes[index] == byte else { throw fault }
            index += 1
        }
        return value
    }

    private mutating func number() throws(MovingError) -> String {
        let start = index
        func isSign(_ byte: UInt8) -> Bool { "+-".utf8.contains(byte) }
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
        let first = index
        try digits()
        guard bytes[first] != UInt8(ascii: "0") || index == first + 1 else {
            index = first
            throw fault
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if index < bytes.count, "eE".utf8.contains(bytes[index]) {
            index += 1
            if index < bytes.count, isSign(bytes[index]) { index += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(MovingError) {
        let start = index
        while index < bytes.count, bytes[index].isDigit { index += 1 }
        guard index > start else { throw fault }
    }

    private mutating func text() throws(MovingError) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw fault }
        let start = index
        index += 1
        var text: [UInt8] = []
        var plain = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            // Control characters have to be escaped.
            guard bytes[index] >= 0x20 else { throw fault }
            if bytes[index] == UInt8(ascii: "\\") {
                text += bytes[plain..<index]
                index += 1
                text += String(Character(try escaped())).utf8
                plain = index
            } else {
                index += 1
            }
        }
        guard index < bytes.count else { throw fault }
        text += bytes[plain..<index]
        guard let valid = String(validating: text, as: UTF8.self) else {
            index = start
            throw fault
        }
        index += 1
        return valid
    }

    private mutating func escaped() throws(MovingError) -> Unicode.Scalar {
        guard index < bytes.count else { throw fault }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return .init(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            // Two escapes in a row stand for a character beyond 16 bits.
            if 0xD800..<0xDC00 ~= code, bytes[index...].starts(with: "\\u".utf8) {
                index += 2
                let low = try hexadecimal()
                guard 0xDC00..<0xE000 ~= low else { throw fault }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault }
            return scalar
        default:
            index -= 1
            throw fault
        }
    }

    private mutating func hexadecimal() throws(MovingError) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 4, values.count == 4 else { throw fault }
        index += 4
        return values.reduce(0) { $0 << 4 | UInt32($1) }
    }
}

/// A value of JSON, with a number as it is written.
indirect enum JSONTree {
    struct Member {
        let name: String
        let value: JSONTree
    }

    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case list([JSONTree])
    case object([Member])

    /// The member of this name; null without one.
    subscript(name: String) -> JSONTree {
        guard case .object(let members) = self else { return .null }
        return members.first { $0.name == name }?.value ?? .null
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// Whether it says nothing: null, an empty text, list or object.
    var isEmpty: Bool {
        switch self {
        case .null: true
        case .text(let text): text.isEmpty
        case .list(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        case .bool, .number: false
        }
    }

    /// A text; also a number or a truth value, as some programs write them.
    ///
    /// Nil for all else.
    var string: String? {
        switch self {
        case .text(let text): text
        case .number(let digits): digits
        case .bool(let value): value ? "true" : "false"
        case .null, .list, .object: nil
        }
    }

    /// A whole number, also one that is written as text.
    var integer: Int64? {
        switch self {
        case .text(let text), .number(let text): Int64(text)
        case .null, .bool, .list, .object: nil
        }
    }

    var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .text("true"), .number("1"), .text("1"): true
        case .text("false"), .number("0"), .text("0"): false
        default: nil
        }
    }

    var elements: [JSONTree]? { if case .list(let elements) = self { elements } else { nil } }
    var members: [Member]? { if case .object(let members) = self { members } else { nil } }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
