/// A value that programs and the daemon exchange: it is converted to and from ``AgentValue``.
///
/// A `Codable` type needs nothing more. Types that are in every look-up have their own code, which
/// takes a tenth of the time.
package protocol AgentCoded: Sendable {
    /// - Throws: ``AgentError/malformedMessage``.
    init(_ value: AgentValue) throws(AgentError)
    var agentValue: AgentValue { get }
}

extension AgentCoded where Self: Codable {
    package init(_ value: AgentValue) throws(AgentError) {
        do {
            try self.init(from: AgentValueDecoder(value: value))
        } catch {
            throw .malformedMessage
        }
    }

    package var agentValue: AgentValue {
        let encoder = AgentValueEncoder()
        do {
            try encode(to: encoder)
        } catch {
            // The encoder never throws, nor does any type of a call.
            preconditionFailure("a call could not be encoded")
        }
        return encoder.sink.value
    }
}

extension Array: AgentCoded where Element: AgentCoded {
    package init(_ value: AgentValue) throws(AgentError) {
        switch value {
        case .null: self = []
        case .array(let values):
            self = try values.map { value throws(AgentError) in try Element(value) }
        default: throw .malformedMessage
        }
    }

    package var agentValue: AgentValue { .array(map(\.agentValue)) }
}

extension Bool: AgentCoded {}

extension AgentValue {
    /// The fields of a call; empty for a call without fields, which is not a dictionary.
    package var members: AgentDictionary { dictionary ?? [:] }
}

/// A moment, sent as a date.
package struct AgentDate: Codable, Equatable, Sendable {
    /// From 1970-01-01 to 2001-01-01, where the dates of items begin.
    package static let secondsFrom1970To2001 = 978_307_200.0

    package let secondsSince2001: Double

    package init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

    package init(milliseconds: UInt64) {
        secondsSince2001 = Double(milliseconds) / 1000 - Self.secondsFrom1970To2001
    }

    /// Milliseconds since 1970-01-01 00:00 UTC; 0 for what is before, and for no number.
    package var milliseconds: UInt64 {
        let exact = ((secondsSince2001 + Self.secondsFrom1970To2001) * 1000).rounded()
        return UInt64(exactly: exact) ?? (exact > 0 ? .max : 0)
    }

    package init(from decoder: any Decoder) throws {
        guard let seconds = try AgentValue(from: decoder).date else {
            throw AgentError.malformedMessage
        }
        secondsSince2001 = seconds
    }

    package func encode(to encoder: any Encoder) throws {
        try AgentValue.date(secondsSince2001).encode(to: encoder)
    }
}

/// A field that is null where there is no value; other optional fields are left out.
@propertyWrapper
package struct OrNull<Value: Codable & Sendable>: Codable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws { wrappedValue = try Value?(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension OrNull: Equatable where Value: Equatable {}

extension KeyedDecodingContainer {
    /// A missing field counts as null.
    package func decode<Value>(
        _ type: OrNull<Value>.Type,
        forKey key: Key
    ) throws -> OrNull<Value> {
        try decodeIfPresent(type, forKey: key) ?? OrNull(wrappedValue: nil)
    }
}
