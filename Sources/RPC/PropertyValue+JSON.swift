internal import KSBytes
package import KSAgent
package import KSKeyValues

/// Property values as JSON.
///
/// Data, dates, and numbers that JSON would not keep exactly, are objects of one member: `$data`
/// with `hex:` or `utf8:`, `$date` with seconds since 2001-01-01 00:00 UTC, `$real` with a whole,
/// infinite or undefined number as text, `$integer` with an integer above 2^63 as text. A
/// dictionary that looks like one of these is the `$dictionary` of an object.
extension PropertyValue {
    /// The value as what JSON has.
    package var json: AgentValue {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): ["$integer": .string(String(value))]
        case .real(let value):
            value.isFinite && value != value.rounded()
                ? .double(value) : ["$real": .string(Self.text(value))]
        case .string(let value): .string(value)
        case .data(let value): ["$data": .string("hex:" + String(hexadecimal: value))]
        case .date(let value): ["$date": .double(value)]
        case .array(let values): .array(values.map(\.json))
        case .dictionary(let dictionary): .dictionary(Self.json(dictionary))
        }
    }

    private static func text(_ value: Double) -> String {
        guard value.isNaN else { return "\(value)" }
        return value.bitPattern == Double.nan.bitPattern
            ? "nan" : "bits:" + String(value.bitPattern, radix: 16)
    }

    private static func json(_ dictionary: PropertyDictionary) -> AgentDictionary {
        var members = AgentDictionary()
        for entry in dictionary.entries { members[entry.key] = entry.value.json }
        guard members.count == 1, specialNames.contains(members.entries[0].key) else {
            return members
        }
        return ["$dictionary": .dictionary(members)]
    }

    private static let specialNames = ["$data", "$date", "$real", "$integer", "$dictionary"]

    /// The value that JSON text means.
    ///
    /// - Throws: ``RPCError`` with a sentence about the invalid part.
    package init(jsonText text: String) throws(RPCError) {
        let text = try Self.keepingNumbers(text)
        // In a list of one, because `RPCJSON` reads objects alone.
        let list = try? RPCJSON.object("{\"value\":[" + text + "]}")
        // The error is about the text, not about the surrounding object.
        guard let values = list?["value"]?.array, values.count == 1 else {
            throw RPCError("The value is no JSON.")
        }
        try self.init(json: values[0])
    }

    package init(json: AgentValue) throws(RPCError) {
        switch json {
        case .null: throw RPCError("null is no value of a property list.")
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .date(let value): self = .date(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .array(let elements):
            self = .array(
                try elements.map { element throws(RPCError) in try PropertyValue(json: element) }
            )
        case .dictionary(let members):
            if members.count == 1, let special = try Self.special(members) {
                self = special
                return
            }
            self = try Self.dictionary(members)
        }
    }

    private static func dictionary(_ members: AgentDictionary) throws(RPCError) -> PropertyValue {
        let entries = try members.entries.map { entry throws(RPCError) in
            (key: entry.key, value: try PropertyValue(json: entry.value))
        }
        return .dictionary(PropertyDictionary(entries))
    }

    /// An object of one member that stands for a value; nil for any other.
    private static func special(_ members: AgentDictionary) throws(RPCError) -> PropertyValue? {
        switch members.entries[0].key {
        case "$data", "$date":
            // Large seconds come as ``keepingNumbers(_:)`` writes them.
            if let seconds = members["$date"]?.dictionary, seconds.count == 1,
                case .real(let seconds)? = try Self.special(seconds), seconds.isFinite
            {
                return .date(seconds)
            }
            switch try RPCCoding().value(.dictionary(members)) {
            case .data(let bytes): return .data(bytes)
            case .date(let seconds): return .date(seconds)
            default: return nil
            }
        case "$real":
            guard let real = members.entries[0].value.string.flatMap(Self.real) else {
                throw RPCError("$real is no number.")
            }
            return .real(real)
        case "$integer":
            guard let number = members.entries[0].value.string.flatMap({ UInt64($0) }) else {
                throw RPCError("$integer is no integer of at most 64 bits.")
            }
            return .integer(of: number)
        case "$dictionary":
            guard let members = members.entries[0].value.dictionary else {
                throw RPCError("$dictionary needs an object.")
            }
            return try dictionary(members)
        default: return nil
        }
    }

    private static func real(_ text: String) -> Double? {
        guard text.hasPrefix("bits:") else { return text == "nan" ? .nan : Double(text) }
        return UInt64(text.dropFirst(5), radix: 16).map { Double(bitPattern: $0) }
    }
}

// Numbers as they are typed.
extension PropertyValue {
    /// JSON text in which the numbers that Foundation would alter are `$integer` or `$real`.
    ///
    /// - Throws: ``RPCError`` about a number that is too large.
    package static func keepingNumbers(_ text: String) throws(RPCError) -> String {
        var kept: [UInt8] = []
        var rest = Array(text.utf8)[...]
        var isInText = false
        while let byte = rest.popFirst() {
            if !isInText, byte == UInt8(ascii: "-") || isDigit(byte) {
                let more = rest.prefix { isDigit($0) || "+-.eE".utf8.contains($0) }
                rest = rest.dropFirst(more.count)
                kept += try number(String(decoding: [byte] + more, as: UTF8.self)).utf8
                continue
            }
            kept.append(byte)
            if byte == UInt8(ascii: "\"") { isInText.toggle() }
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { kept.append(escaped) }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// An invalid number stays unchanged: the reader refuses it.
    private static func number(_ typed: String) throws(RPCError) -> String {
        let parts = typed.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isWhole = parts.count == 1 || !parts[1].isEmpty && parts[1].allSatisfy { $0 == "0" }
        let digits = parts[0].utf8.dropFirst(parts[0].hasPrefix("-") ? 1 : 0)
        if isWhole, !digits.isEmpty, digits.allSatisfy(isDigit) {
            if Int64(parts[0]) != nil { return String(parts[0]) }
            if UInt64(parts[0]) != nil { return #"{"$integer":"\#(parts[0])"}"# }
            throw RPCError(
                "\(typed) is no integer from \(Int64.min) to \(UInt64.max); a real number is"
                    + #" {"$real":"\#(typed)"}."#
            )
        }
        guard let real = Double(typed) else { return typed }
        guard real.isFinite else {
            throw RPCError("\(typed) is beyond the largest real number, 1.7976931348623157e308.")
        }
        // From there on all real numbers are whole, and would be read as integers.
        return abs(real) < 0x1p53 ? typed : #"{"$real":"\#(typed)"}"#
    }
}
