internal import KSAgent

/// Reads JSON (RFC 8259) without altering or losing anything.
///
/// Foundation's reader rounds some real numbers, takes two spellings of a letter for one name,
/// keeps one of two members with the same name, and accepts a comma before a closing bracket.
struct JSONReader {
    /// Makes a value of a number as it is written.
    typealias ReadNumber = (String) throws(RPCError) -> AgentValue

    private let bytes: [UInt8]
    private var index = 0
    private let depthMax: Int
    private let readNumber: ReadNumber

    /// Reads a text that is one value.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, with a byte order mark or without.
    ///   - depthMax: how many arrays and objects may enclose a value.
    ///   - readNumber: makes a value of a number.
    /// - Returns: the value.
    /// - Throws: ``RPCError`` with the line and the column of the first fault.
    static func value(
        of bytes: [UInt8],
        depthMax: Int,
        readNumber: @escaping ReadNumber
    ) throws(RPCError) -> AgentValue {
        var reader = JSONReader(bytes: bytes, depthMax: depthMax, readNumber: readNumber)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.index == bytes.count else { throw reader.fault }
        return value
    }

    private init(bytes: [UInt8], depthMax: Int, readNumber: @escaping ReadNumber) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.readNumber = readNumber
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The error about the byte that comes next.
    private var fault: RPCError {
        let before = bytes[..<index]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        return RPCError("The JSON is not valid at line \(line), column \(column).")
    }

    private mutating func skipBlanks() {
        while let byte = next, " \t\n\r".utf8.contains(byte) { index += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(RPCError) {
        guard skip(character) else { throw fault }
    }

    private mutating func value(depth: Int) throws(RPCError) -> AgentValue {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < depthMax else {
                throw RPCError(
                    "The JSON nests more than \(depthMax) arrays and objects."
                )
            }
            return next == UInt8(ascii: "{")
                ? .dictionary(try object(depth: depth + 1)) : .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try readNumber(try number())
        }
    }

    private mutating func word(
        _ word: StaticString,
        _ value: AgentValue
    ) throws(RPCError) -> AgentValue {
        for byte in word.description.utf8 {
            guard next == byte else { throw fault }
            index += 1
        }
        return value
    }

    private mutating func array(depth: Int) throws(RPCError) -> [AgentValue] {
        index += 1
        var elements: [AgentValue] = []
        skipBlanks()
        if skip("]") { return elements }
        while true {
            elements.append(try value(depth: depth))
            skipBlanks()
            if skip("]") { return elements }
            try expect(",")
        }
    }

    private mutating func object(depth: Int) throws(RPCError) -> AgentDictionary {
        index += 1
        var members = AgentDictionary()
        skipBlanks()
        if skip("}") { return members }
        while true {
            skipBlanks()
            let start = index
            let name = try text()
            skipBlanks()
            try expect(":")
            let before = members.count
            members[name] = try value(depth: depth)
            guard members.count > before else {
                index = start
                throw RPCError("\(fault.sentence) The object has this name twice.")
            }
            skipBlanks()
            if skip("}") { return members }
            try expect(",")
        }
    }

    // MARK: Texts

    private mutating func text() throws(RPCError) -> String {
        try expect("\"")
        let start = index
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            // Control characters have to be escaped.
            guard byte >= 0x20 else { throw fault }
            index += 1
            if byte == UInt8(ascii: "\\") {
                text += String(try escaped()).utf8
            } else {
                text.append(byte)
            }
        }
        try expect("\"")
        guard let valid = String(validating: text, as: UTF8.self) else {
            index = start
            throw RPCError("\(fault.sentence) The text that begins there is not UTF-8.")
        }
        return valid
    }

    /// The character that an escape means, after its backslash.
    private mutating func escaped() throws(RPCError) -> Character {
        guard let byte = next else { throw fault }
        index += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
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
                guard 0xDC00..<0xE000 ~= low else { throw fault }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault }
            return Character(scalar)
        default:
            index -= 1
            throw fault
        }
    }

    private mutating func hexadecimal() throws(RPCError) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0.isHexadecimalDigit }),
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault }
        index += 4
        return code
    }

    // MARK: Numbers

    private mutating func number() throws(RPCError) -> String {
        let start = index
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// One digit or more.
    private mutating func digits() throws(RPCError) {
        guard next?.isDigit == true else { throw fault }
        while next?.isDigit == true { index += 1 }
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isHexadecimalDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
