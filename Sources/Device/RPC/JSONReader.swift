internal import KSAgent
internal import KSJSON

/// Reads a JSON text as a value for the daemon.
struct JSONReader {
    /// Makes a value of a number as it is written.
    typealias ReadNumber = (String) throws(RPCError) -> AgentValue

    private var parser: JSONParser
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
        var reader = JSONReader(
            parser: JSONParser(bytes, depthMax: depthMax),
            readNumber: readNumber
        )
        let value = try reader.value()
        try reader.read { parser throws(JSONError) in try parser.end() }
        return value
    }

    private mutating func value() throws(RPCError) -> AgentValue {
        switch parser.peek() {
        case UInt8(ascii: "{"):
            try read { parser throws(JSONError) in try parser.openObject() }
            var members = AgentDictionary()
            var names: Set<[UInt8]> = []
            while let name = try nextName(&names) { members[name] = try value() }
            return .dictionary(members)
        case UInt8(ascii: "["):
            try read { parser throws(JSONError) in try parser.openList() }
            var elements: [AgentValue] = []
            while try read({ parser throws(JSONError) in
                try parser.hasElement(after: elements.count)
            }) {
                elements.append(try value())
            }
            return .array(elements)
        default:
            switch try read({ parser throws(JSONError) in try parser.scalar() }) {
            case .null: return .null
            case .bool(let value): return .bool(value)
            case .number(let digits): return try readNumber(digits)
            case .text(let text): return .string(text)
            }
        }
    }

    private mutating func nextName(_ names: inout Set<[UInt8]>) throws(RPCError) -> String? {
        try read { parser throws(JSONError) in try parser.name(after: &names) }
    }

    private mutating func read<Value>(
        _ body: (inout JSONParser) throws(JSONError) -> Value
    ) throws(RPCError) -> Value {
        do throws(JSONError) {
            return try body(&parser)
        } catch {
            let place = "The JSON is not valid at line \(error.line), column \(error.column)."
            switch error.reason {
            case .syntax, .tooLarge: throw RPCError(place)
            case .notText: throw RPCError("\(place) The text that begins there is not UTF-8.")
            case .nameTwice: throw RPCError("\(place) The object has this name twice.")
            case .tooDeep(let max):
                throw RPCError("The JSON nests more than \(max) arrays and objects.")
            }
        }
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
