/// Reads `Codable` values from ``AgentValue``.
///
/// Refuses a value of another kind than the wanted one: `1` is not true, and text is not data.
struct AgentValueDecoder: Decoder {
    let value: AgentValue
    /// Whether fields that a type does not know are refused too, as in files that people edit.
    var isStrict = false
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch value {
        case .dictionary(let members):
            let unknown = isStrict ? members.entries.first { Key(stringValue: $0.key) == nil } : nil
            if let unknown { throw AgentMismatch("unknown field \"\(unknown.key)\"") }
            return KeyedDecodingContainer(Members(members: members, isStrict: isStrict))
        // A value without fields is null on the socket.
        case .null where !isStrict:
            return KeyedDecodingContainer(Members(members: [:], isStrict: false))
        default: throw AgentMismatch.noObject
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw AgentMismatch.unused }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let plain: Any? =
            switch type {
            case is Bool.Type: value.bool
            case is String.Type: value.string
            case is Int64.Type: value.integer
            case is Int.Type: value.integer.flatMap { Int(exactly: $0) }
            case is Int32.Type: value.integer.flatMap { Int32(exactly: $0) }
            case is [UInt8].Type: value.data
            // Faster than to ask whether it is an array: every search has one.
            case is AgentDictionary.Type: value.dictionary
            case is AgentValue.Type: value
            case let type as any DecodedArray.Type:
                try value.array.map { try type.init(decoding: $0, isStrict: isStrict) }
            default: try Value(from: self)
            }
        guard let plain = plain as? Value else { throw AgentMismatch(wanted: type) }
        return plain
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: AgentDictionary
        let isStrict: Bool
        let codingPath: [any CodingKey] = []
        var allKeys: [Key] { members.entries.compactMap { Key(stringValue: $0.key) } }

        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

        func decodeNil(forKey key: Key) -> Bool {
            members[key.stringValue].map { $0 == .null } ?? true
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let name = key.stringValue
            guard let value = members[name] else { throw AgentMismatch("no field \"\(name)\"") }
            return try AgentMismatch.inside(name) {
                try AgentValueDecoder(value: value, isStrict: isStrict).decode(type)
            }
        }

        func nestedContainer<Nested>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw AgentMismatch.unused }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw AgentMismatch.unused
        }

        func superDecoder() throws -> any Decoder { throw AgentMismatch.unused }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw AgentMismatch.unused }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: AgentValueDecoder
        let codingPath: [any CodingKey] = []

        func decodeNil() -> Bool { decoder.value == .null }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try decoder.decode(type)
        }
    }
}

/// Why a value is not of a type: where in it, and what should be there.
package struct AgentMismatch: Error {
    /// Names of fields and indexes of elements, from the outside in.
    private var place: [String] = []
    private let words: String

    package init(_ words: String) { self.words = words }

    fileprivate init(wanted type: Any.Type) {
        words =
            switch type {
            case is Bool.Type: "this should be true or false"
            case is String.Type: "this should be a text in quotes"
            case is Int.Type, is Int32.Type, is Int64.Type: "this should be a whole number"
            case is [String].Type: "this should be a list of texts: [\"…\"]"
            case is AgentDictionary.Type: "this should be an object: { … }"
            default: "this should be another kind of value"
            }
    }

    fileprivate static let noObject = Self("this should be an object: { … }")
    /// No type reads its parts by itself.
    fileprivate static let unused = Self("this cannot be read here")

    /// For a person: `programs: /bin/app: entitlements: 0: this should be a text in quotes`.
    package var sentence: String { (place + [words]).joined(separator: ": ") }

    /// Reads a part of a value.
    package static func inside<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch var mismatch as AgentMismatch {
            mismatch.place.insert(name, at: 0)
            throw mismatch
        }
    }
}

extension AgentValue {
    /// The value as a type that a person's file has: no other field is allowed.
    ///
    /// - Throws: ``AgentMismatch``.
    package func strictly<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try AgentValueDecoder(value: self, isStrict: true).decode(type)
    }
}

/// An array of any elements, read directly: `Codable` itself would ask for an unkeyed container.
private protocol DecodedArray {
    init(decoding elements: [AgentValue], isStrict: Bool) throws
}

extension Array: DecodedArray where Element: Decodable {
    fileprivate init(decoding elements: [AgentValue], isStrict: Bool) throws {
        self = []
        reserveCapacity(elements.count)
        for element in elements {
            append(
                try AgentMismatch.inside(String(count)) {
                    try AgentValueDecoder(value: element, isStrict: isStrict).decode(Element.self)
                }
            )
        }
    }
}

// A part of a call may be any value, such as an attribute.
extension AgentValue: AgentCoded, Codable {
    package init(_ value: AgentValue) { self = value }
    package var agentValue: AgentValue { self }

    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? AgentValueDecoder else { throw AgentMismatch.unused }
        self = decoder.value
    }

    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? AgentValueEncoder else { throw AgentError.malformedMessage }
        encoder.sink.value = self
    }
}

extension AgentDictionary: AgentCoded, Codable {
    package init(_ value: AgentValue) throws(AgentError) {
        guard case .dictionary(let dictionary) = value else { throw .malformedMessage }
        self = dictionary
    }

    package var agentValue: AgentValue { .dictionary(self) }

    package init(from decoder: any Decoder) throws {
        guard let value = try AgentValue(from: decoder).dictionary else {
            throw AgentMismatch.noObject
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        try AgentValue.dictionary(self).encode(to: encoder)
    }
}
