/// Writes values as bytes: a tag, then for each kind its length and contents, integers
/// big-endian.
///
/// One value has one encoding.
struct AgentEncoder {
    private(set) var bytes: [UInt8] = []

    init() {
        // Most messages are smaller, so that few buffers have to grow.
        bytes.reserveCapacity(512)
    }

    mutating func integer<Integer: FixedWidthInteger>(_ value: Integer) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func string(_ value: String) {
        integer(UInt32(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    mutating func data(_ value: [UInt8]) {
        integer(UInt32(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func value(_ value: AgentValue) {
        integer(AgentTag(of: value).rawValue)
        switch value {
        case .null, .bool: break
        case .integer(let number): integer(number)
        case .double(let number), .date(let number): integer(number.bitPattern)
        case .string(let text): string(text)
        case .data(let contents): data(contents)
        case .array(let elements):
            integer(UInt32(elements.count))
            for element in elements { self.value(element) }
        case .dictionary(let dictionary): self.dictionary(dictionary)
        }
    }

    mutating func dictionary(_ dictionary: AgentDictionary) {
        integer(UInt32(dictionary.count))
        for entry in dictionary.entries {
            string(entry.key)
            value(entry.value)
        }
    }
}

/// Reads what ``AgentEncoder`` wrote and refuses everything else.
struct AgentDecoder {
    /// Deeper nesting would only serve to exhaust the stack.
    static let depthMax = 32

    /// How many more values are allowed: in memory each takes many times its encoded byte.
    var valuesLeft = Int.max

    private static let lastKeysMax = 16

    private let bytes: [UInt8]
    private var position = 0
    /// The first keys of the last dictionary, in their order.
    private var lastKeys: [String] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var remaining: Int { bytes.count - position }

    mutating func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type = Integer.self
    ) throws(AgentError) -> Integer {
        let count = Integer.bitWidth / 8
        guard remaining >= count else { throw .malformedMessage }
        var value: UInt64 = 0
        for index in position..<position + count { value = value << 8 | UInt64(bytes[index]) }
        position += count
        return Integer(truncatingIfNeeded: value)
    }

    mutating func data() throws(AgentError) -> [UInt8] { Array(bytes[try nextRange()]) }

    private mutating func nextRange() throws(AgentError) -> Range<Int> {
        let count = Int(try integer(UInt32.self))
        guard count <= remaining else { throw .malformedMessage }
        defer { position += count }
        return position..<position + count
    }

    mutating func string() throws(AgentError) -> String {
        let range = try nextRange()
        // `String(validating:as:)` takes several times as long.
        do {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw .malformedMessage
        }
    }

    /// The key of a dictionary's entry; in a list of dictionaries most have the keys of the last.
    private mutating func key(_ place: Int) throws(AgentError) -> String {
        let start = position
        let range = try nextRange()
        if place < lastKeys.count, lastKeys[place].utf8.elementsEqual(bytes[range]) {
            return lastKeys[place]
        }
        position = start
        let key = try string()
        lastKeys.removeLast(max(0, lastKeys.count - place))
        if place < Self.lastKeysMax { lastKeys.append(key) }
        return key
    }

    mutating func value(depth: Int = 0) throws(AgentError) -> AgentValue {
        guard depth <= Self.depthMax, valuesLeft > 0, let tag = AgentTag(rawValue: try integer())
        else { throw .malformedMessage }
        valuesLeft -= 1
        switch tag {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer: return .integer(try integer())
        case .double: return .double(Double(bitPattern: try integer()))
        case .date: return .date(Double(bitPattern: try integer()))
        case .string: return .string(try string())
        case .data: return .data(try data())
        case .array: return .array(try array(depth: depth))
        case .dictionary: return .dictionary(try dictionary(depth: depth))
        }
    }

    private mutating func array(depth: Int) throws(AgentError) -> [AgentValue] {
        let count = Int(try integer(UInt32.self))
        // Each element takes a byte at least: nothing is allocated for a count that cannot be.
        guard count <= remaining else { throw .malformedMessage }
        var elements: [AgentValue] = []
        for _ in 0..<count { elements.append(try value(depth: depth + 1)) }
        return elements
    }

    mutating func dictionary(depth: Int = 0) throws(AgentError) -> AgentDictionary {
        let count = Int(try integer(UInt32.self))
        guard count <= remaining else { throw .malformedMessage }
        var dictionary = AgentDictionary(capacity: min(count, Self.lastKeysMax))
        for place in 0..<count {
            let key = try key(place)
            guard dictionary.append(key, try value(depth: depth + 1)) else {
                throw .malformedMessage
            }
        }
        return dictionary
    }

    /// Checks that nothing follows.
    func end() throws(AgentError) { guard remaining == 0 else { throw .malformedMessage } }
}

/// The type number of each kind of value: never reuse a number.
private enum AgentTag: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    case integer = 3
    case double = 4
    case date = 5
    case string = 6
    case data = 7
    case array = 8
    case dictionary = 9

    init(of value: AgentValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): value ? .yes : .no
            case .integer: .integer
            case .double: .double
            case .date: .date
            case .string: .string
            case .data: .data
            case .array: .array
            case .dictionary: .dictionary
            }
    }
}
