/// Reads JSON (RFC 8259) piece by piece, without altering or losing anything.
///
/// A large file is never a tree as a whole: its reader takes one member or element after the other.
/// Foundation's reader rounds some real numbers, takes two spellings of a letter for one name,
/// keeps one of two members with the same name, and accepts a comma before a closing bracket.
package struct JSONParser {
    /// A value that is neither a list nor an object, with a number as it is written.
    package enum Scalar: Equatable {
        case null
        case bool(Bool)
        case number(String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private let depthMax: Int
    /// No object of a program has more or longer names, which are kept to compare them.
    private static let namesMax = 10_000
    private static let nameBytesMax = 1 << 16
    /// Where a text or a number has to end.
    private var endMax = Int.max

    /// - Parameters:
    ///   - bytes: UTF-8, with a byte order mark or without.
    ///   - depthMax: How many lists and objects may enclose a value.
    package init(_ bytes: [UInt8], depthMax: Int) {
        (self.bytes, self.depthMax) = (bytes, depthMax)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Refuses a text or a number that ends after so many bytes from here; nil for any number.
    package mutating func limit(toBytes bytes: Int?) { endMax = bytes.map { index + $0 } ?? .max }

    // MARK: Pieces

    /// The next byte that is no blank; nil at the end.
    package mutating func peek() -> UInt8? {
        while let byte = next, " \t\n\r".utf8.contains(byte) { index += 1 }
        return next
    }

    /// Begins an object; ``name(after:)`` reads its members.
    package mutating func openObject() throws(JSONError) { try open("{") }

    /// Begins a list; ``hasElement(after:)`` leads through it.
    package mutating func openList() throws(JSONError) { try open("[") }

    /// The name of the object's next member, whose value comes next; nil at the end of the object.
    ///
    /// `names`: those before it, none at first; in bytes, because Unicode equates different ones.
    package mutating func name(after names: inout Set<[UInt8]>) throws(JSONError) -> String? {
        guard try hasMore("}", isFirst: names.isEmpty) else { return nil }
        _ = peek()
        let start = index
        let name = try text()
        guard names.count < Self.namesMax, index - start <= Self.nameBytesMax else {
            throw fault(.tooLarge)
        }
        guard names.insert(Array(name.utf8)).inserted else {
            index = start
            throw fault(.nameTwice)
        }
        _ = peek()
        try expect(":")
        return name
    }

    /// Whether the list has another element, which comes next.
    ///
    /// `count`: the elements before it.
    package mutating func hasElement(after count: Int) throws(JSONError) -> Bool {
        try hasMore("]", isFirst: count == 0)
    }

    /// Reads a value that is neither a list nor an object.
    package mutating func scalar() throws(JSONError) -> Scalar {
        switch peek() {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    /// Reads any value, checks it, and forgets it.
    package mutating func skip() throws(JSONError) {
        switch peek() {
        case UInt8(ascii: "{"):
            try openObject()
            var names: Set<[UInt8]> = []
            while try name(after: &names) != nil { try skip() }
        case UInt8(ascii: "["):
            try openList()
            var count = 0
            while try hasElement(after: count) {
                try skip()
                count += 1
            }
        default: _ = try scalar()
        }
    }

    /// Checks that nothing follows.
    package mutating func end() throws(JSONError) {
        guard peek() == nil else { throw fault() }
    }

    // MARK: Bytes

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard skip(character) else { throw fault() }
    }

    private mutating func open(_ bracket: Unicode.Scalar) throws(JSONError) {
        guard peek() == UInt8(ascii: bracket) else { throw fault() }
        guard depth < depthMax else { throw fault(.tooDeep(max: depthMax)) }
        depth += 1
        index += 1
    }

    private mutating func hasMore(
        _ bracket: Unicode.Scalar,
        isFirst: Bool
    ) throws(JSONError) -> Bool {
        _ = peek()
        if skip(bracket) {
            depth -= 1
            return false
        }
        if !isFirst { try expect(",") }
        return true
    }

    /// An error about the byte that comes next.
    private func fault(_ reason: JSONError.Reason = .syntax) -> JSONError {
        var (line, column) = (1, 1)
        for byte in bytes[..<index] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return JSONError(reason: reason, line: line, column: column)
    }

    private mutating func word(
        _ word: StaticString,
        _ value: Scalar
    ) throws(JSONError) -> Scalar {
        for byte in word.description.utf8 {
            guard next == byte else { throw fault() }
            index += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> String {
        let start = index
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        try checkEnd()
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// One digit or more.
    private mutating func digits() throws(JSONError) {
        guard next?.isDigit == true else { throw fault() }
        while next?.isDigit == true { index += 1 }
    }

    // MARK: Texts

    private mutating func text() throws(JSONError) -> String {
        try expect("\"")
        let start = index
        var text: [UInt8] = []
        var plain = index
        while let byte = next, byte != UInt8(ascii: "\"") {
            // Control characters have to be escaped.
            guard byte >= 0x20 else { throw fault() }
            index += 1
            guard byte == UInt8(ascii: "\\") else { continue }
            try checkEnd()
            text += bytes[plain..<index - 1]
            text += String(Character(try escaped())).utf8
            plain = index
        }
        try checkEnd()
        let rest = bytes[plain..<index]
        try expect("\"")
        if plain > start { text += rest }
        // Most texts have no escape; a long one would be there twice.
        let valid =
            plain > start
            ? String(validating: text, as: UTF8.self) : String(validating: rest, as: UTF8.self)
        guard let valid else {
            index = start
            throw fault(.notText)
        }
        return valid
    }

    private func checkEnd() throws(JSONError) {
        guard index <= endMax else { throw fault(.tooLarge) }
    }

    /// The character that an escape means, after its backslash.
    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        guard let byte = next else { throw fault() }
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
            if 0xD800..<0xDC00 ~= code, skip("\\"), skip("u") {
                let low = try hexadecimal()
                guard 0xDC00..<0xE000 ~= low else { throw fault() }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault() }
            return scalar
        default:
            index -= 1
            throw fault()
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 4, values.count == 4 else { throw fault() }
        index += 4
        return values.reduce(0) { $0 << 4 | UInt32($1) }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
