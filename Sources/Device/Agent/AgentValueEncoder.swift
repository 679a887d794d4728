/// Turns `Codable` values into ``AgentValue``: structures into dictionaries, `[UInt8]` into data.
struct AgentValueEncoder: Encoder {
    /// Collects the parts of a value.
    final class Sink {
        var value = AgentValue.null
    }

    let sink = Sink()
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // Several parts of one value may write into one dictionary.
        if sink.value.dictionary == nil { sink.value = [:] }
        return KeyedEncodingContainer(Members(sink: sink))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Self.unused() }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(sink: sink) }

    static func value<Value: Encodable>(of value: Value) throws -> AgentValue {
        switch value {
        case let flag as Bool: return .bool(flag)
        case let text as String: return .string(text)
        case let number as Int: return .integer(Int64(number))
        case let number as Int32: return .integer(Int64(number))
        case let number as Int64: return .integer(number)
        // The type is checked too, since an empty array of any type casts to `[UInt8]`.
        case let bytes as [UInt8] where Value.self == [UInt8].self: return .data(bytes)
        case let elements as any EncodedArray: return .array(try elements.encodedElements())
        default:
            let encoder = AgentValueEncoder()
            try value.encode(to: encoder)
            return encoder.sink.value
        }
    }

    /// No type of a call writes its parts by itself.
    private static func unused() -> Never {
        preconditionFailure("types of calls write no containers of their own")
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let sink: Sink
        let codingPath: [any CodingKey] = []

        private func put(_ value: AgentValue, _ key: Key) {
            guard case .dictionary(var members) = sink.value else { return }
            // Leaves one owner of the dictionary, so that the change below copies nothing.
            sink.value = .null
            members[key.stringValue] = value
            sink.value = .dictionary(members)
        }

        mutating func encodeNil(forKey key: Key) { put(.null, key) }

        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            put(try AgentValueEncoder.value(of: value), key)
        }

        mutating func nestedContainer<Nested>(
            keyedBy keyType: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { unused() }

        mutating func nestedUnkeyedContainer(
            forKey key: Key
        ) -> any UnkeyedEncodingContainer { unused() }

        mutating func superEncoder() -> any Encoder { unused() }
        mutating func superEncoder(forKey key: Key) -> any Encoder { unused() }
    }

    private struct Single: SingleValueEncodingContainer {
        let sink: Sink
        let codingPath: [any CodingKey] = []

        mutating func encodeNil() { sink.value = .null }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            sink.value = try AgentValueEncoder.value(of: value)
        }
    }
}

/// An array of any elements, written directly: `Codable` itself would ask for an unkeyed container.
private protocol EncodedArray {
    func encodedElements() throws -> [AgentValue]
}

extension Array: EncodedArray where Element: Encodable {
    fileprivate func encodedElements() throws -> [AgentValue] {
        try map { try AgentValueEncoder.value(of: $0) }
    }
}
