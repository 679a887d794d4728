public import Foundation
internal import KSKeyValues

/// A value of a store: one of the types that property lists have.
///
/// Types are distinct: `true` is not 1, and 1 is not 1.0.
public indirect enum KeyValue: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([KeyValue])
    case dictionary([String: KeyValue])

    init(_ value: PropertyValue) {
        self =
            switch value {
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .unsigned(let value): .unsigned(value)
            case .real(let value): .real(value)
            case .string(let value): .string(value)
            case .data(let value): .data(Data(value))
            case .date(let value): .date(Date(timeIntervalSinceReferenceDate: value))
            case .array(let values): .array(values.map(KeyValue.init))
            case .dictionary(let fields):
                .dictionary(
                    Dictionary(
                        fields.entries.map { ($0.key, KeyValue($0.value)) },
                        // Two spellings of one name are two fields, but one key in Swift.
                        uniquingKeysWith: { $1 }
                    )
                )
            }
    }

    var property: PropertyValue {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .integer(of: value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .data(let value): .data([UInt8](value))
        case .date(let value): .date(value.timeIntervalSinceReferenceDate)
        case .array(let values): .array(values.map(\.property))
        case .dictionary(let values):
            .dictionary(PropertyDictionary(values.map { ($0.key, $0.value.property) }))
        }
    }
}

extension KeyValue: CustomStringConvertible, CustomReflectable {
    /// The type and the size, never the contents.
    public var description: String {
        let property = property
        return "\(property.typeName), \(property.encoded.count) bytes"
    }

    /// Empty, so that no log shows the contents.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A Swift type that a store can hold.
public protocol KeyValueConvertible {
    /// This as a value of a store.
    var keyValue: KeyValue { get }

    /// Reads a value of a store.
    ///
    /// - Returns: nil for a value of another type.
    init?(_ value: KeyValue)
}

extension KeyValue: KeyValueConvertible {
    /// The value itself.
    public var keyValue: KeyValue { self }

    /// Any value.
    public init?(_ value: KeyValue) { self = value }
}

extension Bool: KeyValueConvertible {
    /// A boolean.
    public var keyValue: KeyValue { .bool(self) }

    /// Nil for anything but a boolean.
    public init?(_ value: KeyValue) {
        guard case .bool(let bool) = value else { return nil }
        self = bool
    }
}

extension KeyValueConvertible where Self: FixedWidthInteger {
    /// An integer.
    public var keyValue: KeyValue {
        Int64(exactly: self).map(KeyValue.integer) ?? .unsigned(UInt64(truncatingIfNeeded: self))
    }

    /// Nil for anything but an integer that fits.
    public init?(_ value: KeyValue) {
        switch value {
        case .integer(let number): self.init(exactly: number)
        case .unsigned(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension Int: KeyValueConvertible {}
extension Int64: KeyValueConvertible {}
extension Int32: KeyValueConvertible {}
extension UInt64: KeyValueConvertible {}

extension Double: KeyValueConvertible {
    /// A real number.
    public var keyValue: KeyValue { .real(self) }

    /// Nil for anything but a real number.
    public init?(_ value: KeyValue) {
        guard case .real(let real) = value else { return nil }
        self = real
    }
}

extension String: KeyValueConvertible {
    /// A text.
    public var keyValue: KeyValue { .string(self) }

    /// Nil for anything but a text.
    public init?(_ value: KeyValue) {
        guard case .string(let string) = value else { return nil }
        self = string
    }
}

extension Data: KeyValueConvertible {
    /// Data.
    public var keyValue: KeyValue { .data(self) }

    /// Nil for anything but data.
    public init?(_ value: KeyValue) {
        guard case .data(let data) = value else { return nil }
        self = data
    }
}

extension Date: KeyValueConvertible {
    /// A date, to the bit.
    public var keyValue: KeyValue { .date(self) }

    /// Nil for anything but a date.
    public init?(_ value: KeyValue) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
}

extension Array: KeyValueConvertible where Element: KeyValueConvertible {
    /// An array.
    public var keyValue: KeyValue { .array(map(\.keyValue)) }

    /// Nil for anything but an array, or if an element has another type.
    public init?(_ value: KeyValue) {
        guard case .array(let values) = value else { return nil }
        let elements = values.compactMap { Element($0) }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

extension Dictionary: KeyValueConvertible where Key == String, Value: KeyValueConvertible {
    /// A dictionary.
    public var keyValue: KeyValue { .dictionary(mapValues(\.keyValue)) }

    /// Nil for anything but a dictionary, or if a value has another type.
    public init?(_ value: KeyValue) {
        guard case .dictionary(let values) = value else { return nil }
        let fields = values.compactMapValues { Value($0) }
        guard fields.count == values.count else { return nil }
        self = fields
    }
}
