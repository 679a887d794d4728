internal import KSJSON

/// Reads a JSON file piece by piece, so that a large one is never a tree as a whole.
///
/// Errors have a place in the file and none of its contents.
struct JSONScanner {
    /// How many lists and objects may enclose a value; exports have fewer than ten.
    private static let depthMax = 32
    /// The most values of one entry.
    private static let valuesMax = 50_000

    private var parser: JSONParser
    private var valuesLeft = valuesMax

    /// `bytes`: UTF-8, with a byte order mark or without.
    init(_ bytes: [UInt8]) { parser = JSONParser(bytes, depthMax: Self.depthMax) }

    /// Whether a file begins as JSON's objects do.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner(bytes)
        return scanner.peek() == UInt8(ascii: "{")
    }

    /// Whether a file is a list as a whole: a table may begin with a bracket too.
    static func isList(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner(bytes)
        guard scanner.peek() == UInt8(ascii: "[") else { return false }
        do throws(MovingError) {
            try scanner.skip()
            try scanner.end()
            return true
        } catch {
            return false
        }
    }

    // MARK: Pieces

    /// The next byte that is no blank; nil at the end.
    mutating func peek() -> UInt8? { parser.peek() }

    /// Reads an object; the body reads each member's value, all of it.
    mutating func object(
        _ body: (String, inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        try read { parser throws(JSONError) in try parser.openObject() }
        var names: Set<[UInt8]> = []
        while let name = try read({ parser throws(JSONError) in try parser.name(after: &names) }) {
            try body(name, &self)
        }
    }

    /// Reads a list; the body reads each element, all of it.
    mutating func list(
        _ body: (inout JSONScanner) throws(MovingError) -> Void
    ) throws(MovingError) {
        try read { parser throws(JSONError) in try parser.openList() }
        var count = 0
        while try read({ parser throws(JSONError) in try parser.hasElement(after: count) }) {
            try body(&self)
            count += 1
        }
    }

    /// Checks that nothing follows.
    mutating func end() throws(MovingError) {
        try read { parser throws(JSONError) in try parser.end() }
    }

    /// Reads a value, checks it, and forgets it.
    mutating func skip() throws(MovingError) {
        try read { parser throws(JSONError) in try parser.skip() }
    }

    /// Reads a whole value as a tree, which has a limited number of values.
    ///
    /// `number`: which entry it is, for an error.
    mutating func tree(number: Int = 0) throws(MovingError) -> JSONTree {
        valuesLeft = Self.valuesMax
        return try tree(of: number)
    }

    /// Reads an entry as a tree; nil, with a note, if it is larger than any item.
    mutating func entry(_ number: Int, _ notes: inout NoteList) throws(MovingError) -> JSONTree? {
        try notes.check()
        let tree = try tree(number: number, bytesMax: EntryFormat.entryBytesMax)
        if let tree { return tree }
        notes.begin(number, "")
        notes.add(.tooLarge)
        return nil
    }

    /// Reads a whole value as a tree; skips it, and gives nil, if it has more bytes.
    mutating func tree(number: Int = 0, bytesMax: Int) throws(MovingError) -> JSONTree? {
        let start = self
        parser.limit(toBytes: bytesMax)
        defer { parser.limit(toBytes: nil) }
        do throws(MovingError) {
            return try tree(number: number)
        } catch .valueTooLarge {
            self = start
            try skip()
            return nil
        }
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
        default:
            switch try read({ parser throws(JSONError) in try parser.scalar() }) {
            case .null: return .null
            case .bool(let value): return .bool(value)
            case .number(let digits): return .number(digits)
            case .text(let text): return .text(text)
            }
        }
    }

    private mutating func read<Value>(
        _ body: (inout JSONParser) throws(JSONError) -> Value
    ) throws(MovingError) -> Value {
        do throws(JSONError) {
            return try body(&parser)
        } catch {
            switch error.reason {
            case .syntax, .notText: throw .notJSON(line: error.line, column: error.column)
            case .nameTwice: throw .nameTwice(line: error.line, column: error.column)
            case .tooDeep(let max): throw .tooDeep(max: max)
            case .tooLarge: throw .valueTooLarge(line: error.line)
            }
        }
    }
}

/// A value of JSON, with a number as it is written.
indirect enum JSONTree: Sendable {
    struct Member: Sendable {
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
