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

    /// More than any value has, each of whose dictionaries may be the `$dictionary` of an object.
    private static let jsonDepthMax = 2 * depthMax + 8

    /// The value that JSON text means.
    ///
    /// - Throws: ``RPCError`` with a sentence about the invalid part.
    package init(jsonText text: String) throws(RPCError) {
        try self.init(json: try Self.json(Array(text.utf8)))
    }

    /// What JSON text says, its numbers as they are written.
    ///
    /// - Throws: ``RPCError`` with a sentence about the invalid part.
    package static func json(_ bytes: [UInt8]) throws(RPCError) -> AgentValue {
        try JSONReader.value(of: bytes, depthMax: jsonDepthMax, readNumber: number)
    }

    package init(json: AgentValue) throws(RPCError) {
        switch json {
        case .null: throw RPCError("null is not a value of a property list; delete removes a key.")
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
            switch try RPCCoding().value(.dictionary(members)) {
            case .data(let bytes): return .data(bytes)
            case .date(let seconds): return .date(seconds)
            default: return nil
            }
        case "$real":
            guard let real = members.entries[0].value.string.flatMap(Self.real) else {
                throw RPCError(#"$real needs a number as a text, such as "1.0" or "inf"."#)
            }
            return .real(real)
        case "$integer":
            guard let text = members.entries[0].value.string,
                let integer = Int64(text).map({ .integer($0) })
                    ?? UInt64(text).map({ PropertyValue.integer(of: $0) })
            else {
                throw RPCError(
                    #"$integer needs a number as a text, from "\#(Int64.min)" to "\#(UInt64.max)"."#
                )
            }
            return integer
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
    private static func number(_ typed: String) throws(RPCError) -> AgentValue {
        let parts = typed.split(separator: ".", maxSplits: 1)
        let isWhole = parts.count == 1 || parts[1].allSatisfy { $0 == "0" }
        if isWhole, parts[0].utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }) {
            if let integer = Int64(parts[0]) { return .integer(integer) }
            if UInt64(parts[0]) != nil { return ["$integer": .string(String(parts[0]))] }
            throw RPCError(
                "\(typed) is not an integer from \(Int64.min) to \(UInt64.max); for a real number"
                    + #" write {"$real":"\#(typed)"}."#
            )
        }
        let real = try RPCError.real(typed)
        // From 2^53 on all real numbers are whole.
        guard abs(real) < 0x1p53, let integer = Int64(exactly: real) else { return .double(real) }
        return .integer(integer)
    }
}
