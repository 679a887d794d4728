/// A JSON text (RFC 8259) of which every value knows its line, so that people can be told where
/// they went wrong.
package struct LocatedJSON: Equatable {
    package indirect enum Value: Equatable {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([LocatedJSON])
        case object([Member])
    }

    package struct Member: Equatable {
        package let name: String
        package let line: Int
        package let value: LocatedJSON
    }

    /// What is wrong with a text, and where.
    package struct Fault: Error, Equatable {
        package let line: Int
        package let sentence: String
    }

    package let value: Value
    package let line: Int

    package init(_ text: [UInt8]) throws(Fault) {
        var parser = LocatedJSONParser(text)
        self = try parser.document()
    }

    package init(value: Value, line: Int) {
        self.value = value
        self.line = line
    }
}

private struct LocatedJSONParser {
    /// Deeper nesting would only serve to exhaust the stack.
    private static let depthMax = 32

    private let text: [UInt8]
    private var position = 0
    private var line = 1

    init(_ text: [UInt8]) {
        self.text = text
    }

    private func fault(_ sentence: String) -> LocatedJSON.Fault {
        LocatedJSON.Fault(line: line, sentence: sentence)
    }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            if byte == 0x0A { line += 1 }
            position += 1
        }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard next == character.asciiValue else { return false }
        position += 1
        return true
    }

    mutating func document() throws(LocatedJSON.Fault) -> LocatedJSON {
        let value = try value(depth: 0)
        skipBlanks()
        guard next == nil else { throw fault("something follows the end of the text") }
        return value
    }

    private mutating func value(depth: Int) throws(LocatedJSON.Fault) -> LocatedJSON {
        guard depth <= Self.depthMax else { throw fault("too deeply nested") }
        skipBlanks()
        let start = line
        let value: LocatedJSON.Value
        switch next {
        case UInt8(ascii: "{"): value = try object(depth: depth)
        case UInt8(ascii: "["): value = try array(depth: depth)
        case UInt8(ascii: "\""): value = .string(try string())
        case .none: throw fault("the text ends where a value should be")
        default: value = try word()
        }
        return LocatedJSON(value: value, line: start)
    }

    private mutating func object(depth: Int) throws(LocatedJSON.Fault) -> LocatedJSON.Value {
        position += 1
        var members: [LocatedJSON.Member] = []
        skipBlanks()
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes should be here") }
            let start = line
            let name = try string()
            guard !members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw fault("\"\(name)\" is there twice")
            }
            skipBlanks()
            guard take(":") else { throw fault("a colon should follow \"\(name)\"") }
            let value = try value(depth: depth + 1)
            members.append(LocatedJSON.Member(name: name, line: start, value: value))
            skipBlanks()
        } while take(",")
        guard take("}") else { throw fault("a comma or } should be here") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(LocatedJSON.Fault) -> LocatedJSON.Value {
        position += 1
        var elements: [LocatedJSON] = []
        skipBlanks()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipBlanks()
        } while take(",")
        guard take("]") else { throw fault("a comma or ] should be here") }
        return .array(elements)
    }

    private mutating func word() throws(LocatedJSON.Fault) -> LocatedJSON.Value {
        let start = position
        while let byte = next, !Array(" \t\r\n,:]}[{\"".utf8).contains(byte) { position += 1 }
        let word = String(decoding: text[start..<position], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
            else {
                throw fault("a value should be here")
            }
            return .number(word)
        }
    }

    private mutating func string() throws(LocatedJSON.Fault) -> String {
        position += 1
        var bytes: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw fault("the text is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &bytes)
            case 0..<0x20: throw fault("a line or a control character is inside quotes")
            default: bytes.append(byte)
            }
        }
        throw fault("quotes are opened and not closed")
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(LocatedJSON.Fault) {
        guard let letter = next else { throw fault("quotes are opened and not closed") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            let first = try unit()
            var value = UInt32(first)
            if (0xD800..<0xDC00).contains(first) {
                guard take("\\"), take("u") else { throw fault("half a character after \\u") }
                let second = try unit()
                guard (0xDC00..<0xE000).contains(second) else {
                    throw fault("half a character after \\u")
                }
                value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw fault("half a character after \\u")
            }
            bytes += Array(String(Character(scalar)).utf8)
        default: throw fault("an unknown character after \\")
        }
    }

    private mutating func unit() throws(LocatedJSON.Fault) -> UInt16 {
        guard position + 4 <= text.count else { throw fault("four digits should follow \\u") }
        let digits = String(decoding: text[position..<position + 4], as: UTF8.self)
        guard digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt16(digits, radix: 16)
        else { throw fault("four digits should follow \\u") }
        position += 4
        return value
    }
}
