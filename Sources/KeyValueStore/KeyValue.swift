public import Foundation
internal import KSKeyValues
internal import KSRedaction

/// A value of a store: one of the types that property lists have.
///
/// Types stay apart: `true` is not 1, and 1 is not 1.0. Values are equal if their types and bytes
/// are.
public struct KeyValue: Hashable, Sendable {
    package let property: PropertyValue

    package init(_ property: PropertyValue) {
        self.property = property
    }

    public static func bool(_ value: Bool) -> KeyValue { KeyValue(.bool(value)) }
    public static func integer(_ value: Int64) -> KeyValue { KeyValue(.integer(value)) }
    public static func integer(_ value: UInt64) -> KeyValue { KeyValue(.integer(of: value)) }
    public static func real(_ value: Double) -> KeyValue { KeyValue(.real(value)) }
    public static func string(_ value: String) -> KeyValue { KeyValue(.string(value)) }
    public static func data(_ value: Data) -> KeyValue { KeyValue(.data([UInt8](value))) }
    public static func date(_ value: Date) -> KeyValue {
        KeyValue(.date(value.timeIntervalSinceReferenceDate))
    }
    public static func array(_ values: [KeyValue]) -> KeyValue {
        KeyValue(.array(values.map(\.property)))
    }
    public static func dictionary(_ values: [String: KeyValue]) -> KeyValue {
        KeyValue(.dictionary(PropertyDictionary(values.map { ($0.key, $0.value.property) })))
    }

    /// Nil for a value of another type, as for the next ones.
    public var bool: Bool? { if case .bool(let value) = property { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = property { value } else { nil } }
    /// An integer of 0 or more.
    public var unsigned: UInt64? {
        switch property {
        case .integer(let value): UInt64(exactly: value)
        case .unsigned(let value): value
        default: nil
        }
    }
    public var real: Double? { if case .real(let value) = property { value } else { nil } }
    public var string: String? { if case .string(let value) = property { value } else { nil } }
    public var data: Data? { if case .data(let value) = property { Data(value) } else { nil } }
    public var date: Date? {
        guard case .date(let value) = property else { return nil }
        return Date(timeIntervalSinceReferenceDate: value)
    }
    public var array: [KeyValue]? {
        if case .array(let values) = property { values.map(KeyValue.init) } else { nil }
    }
    public var dictionary: [String: KeyValue]? {
        guard case .dictionary(let fields) = property else { return nil }
        return Dictionary(
            fields.entries.map { ($0.key, KeyValue($0.value)) },
            // Two spellings of one name are two fields, but one key of a Swift dictionary.
            uniquingKeysWith: { $1 }
        )
    }
}

extension KeyValue: CustomStringConvertible, CustomReflectable {
    /// The type and the size, never the contents.
    public var description: String { property.shownPart }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A Swift type that a store can hold.
public protocol KeyValueConvertible {
    var keyValue: KeyValue { get }

    /// - Returns: nil for a value of another type.
    init?(_ value: KeyValue)
}

extension KeyValue: KeyValueConvertible {
    public var keyValue: KeyValue { self }
    public init?(_ value: KeyValue) { self = value }
}

extension Bool: KeyValueConvertible {
    public var keyValue: KeyValue { .bool(self) }

    public init?(_ value: KeyValue) {
        guard let bool = value.bool else { return nil }
        self = bool
    }
}

extension KeyValueConvertible where Self: FixedWidthInteger {
    public var keyValue: KeyValue {
        Int64(exactly: self).map(KeyValue.integer) ?? .integer(UInt64(truncatingIfNeeded: self))
    }

    /// - Returns: nil for a number that does not fit, as well.
    public init?(_ value: KeyValue) {
        let exact = value.integer.flatMap { Self(exactly: $0) }
        guard let number = exact ?? value.unsigned.flatMap({ Self(exactly: $0) }) else {
            return nil
        }
        self = number
    }
}

extension Int: KeyValueConvertible {}
extension Int64: KeyValueConvertible {}
extension Int32: KeyValueConvertible {}
extension UInt64: KeyValueConvertible {}

extension Double: KeyValueConvertible {
    public var keyValue: KeyValue { .real(self) }

    public init?(_ value: KeyValue) {
        guard let real = value.real else { return nil }
        self = real
    }
}

extension String: KeyValueConvertible {
    public var keyValue: KeyValue { .string(self) }

    public init?(_ value: KeyValue) {
        guard let string = value.string else { return nil }
        self = string
    }
}

extension Data: KeyValueConvertible {
    public var keyValue: KeyValue { .data(self) }

    public init?(_ value: KeyValue) {
        guard let data = value.data else { return nil }
        self = data
    }
}

extension Date: KeyValueConvertible {
    public var keyValue: KeyValue { .date(self) }

    public init?(_ value: KeyValue) {
        guard let date = value.date else { return nil }
        self = date
    }
}

extension Array: KeyValueConvertible where Element: KeyValueConvertible {
    public var keyValue: KeyValue { .array(map(\.keyValue)) }

    /// - Returns: nil if an element has another type, as well.
    public init?(_ value: KeyValue) {
        guard let values = value.array else { return nil }
        let elements = values.compactMap(Element.init)
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

extension Dictionary: KeyValueConvertible where Key == String, Value: KeyValueConvertible {
    public var keyValue: KeyValue { .dictionary(mapValues(\.keyValue)) }

    /// - Returns: nil if a value has another type, as well.
    public init?(_ value: KeyValue) {
        guard let values = value.dictionary else { return nil }
        let fields = values.compactMapValues(Value.init)
        guard fields.count == values.count else { return nil }
        self = fields
    }
}
