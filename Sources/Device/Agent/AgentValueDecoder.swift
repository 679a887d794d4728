/// Reads `Codable` values from ``AgentValue``.
///
/// Refuses a value of another kind than the wanted one: `1` is not true, and text is not data.
struct AgentValueDecoder: Decoder {
    let value: AgentValue
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch value {
        case .dictionary(let members): KeyedDecodingContainer(Members(members: members))
        // A value without fields is null on the socket.
        case .null: KeyedDecodingContainer(Members(members: [:]))
        default: throw AgentError.malformedMessage
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw AgentError.malformedMessage
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(value: value) }

    static func decode<Value: Decodable>(_ type: Value.Type, _ value: AgentValue) throws -> Value {
        let plain: Any? =
            switch type {
            case is Bool.Type: value.bool
            case is String.Type: value.string
            case is Int64.Type: value.integer
            case is Int.Type: value.integer.flatMap { Int(exactly: $0) }
            case is Int32.Type: value.integer.flatMap { Int32(exactly: $0) }
            case is [UInt8].Type: value.data
            case let type as any DecodedArray.Type:
                try value.array.map { try type.init(decoding: $0) }
            default: try Value(from: AgentValueDecoder(value: value))
            }
        guard let plain = plain as? Value else { throw AgentError.malformedMessage }
        return plain
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: AgentDictionary
        let codingPath: [any CodingKey] = []
        var allKeys: [Key] { members.entries.compactMap { Key(stringValue: $0.key) } }

        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

        func decodeNil(forKey key: Key) -> Bool {
            members[key.stringValue].map { $0 == .null } ?? true
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            guard let value = members[key.stringValue] else { throw AgentError.malformedMessage }
            return try AgentValueDecoder.decode(type, value)
        }

        func nestedContainer<Nested>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw AgentError.malformedMessage }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw AgentError.malformedMessage
        }

        func superDecoder() throws -> any Decoder { throw AgentError.malformedMessage }
        func superDecoder(forKey key: Key) throws -> any Decoder {
            throw AgentError.malformedMessage
        }
    }

    private struct Single: SingleValueDecodingContainer {
        let value: AgentValue
        let codingPath: [any CodingKey] = []

        func decodeNil() -> Bool { value == .null }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try AgentValueDecoder.decode(type, value)
        }
    }
}

/// An array of any elements, read directly: `Codable` itself would ask for an unkeyed container.
private protocol DecodedArray {
    init(decoding elements: [AgentValue]) throws
}

extension Array: DecodedArray where Element: Decodable {
    fileprivate init(decoding elements: [AgentValue]) throws {
        self = try elements.map { try AgentValueDecoder.decode(Element.self, $0) }
    }
}

// A part of a call may be any value, such as an attribute.
extension AgentValue: AgentCoded, Codable {
    package init(_ value: AgentValue) { self = value }
    package var agentValue: AgentValue { self }

    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? AgentValueDecoder else { throw AgentError.malformedMessage }
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
        try self.init(AgentValue(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try AgentValue.dictionary(self).encode(to: encoder)
    }
}
