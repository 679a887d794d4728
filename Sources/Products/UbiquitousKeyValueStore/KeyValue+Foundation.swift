internal import Foundation
internal import KeyValueStore

// Values as Foundation's objects, and the coercions of Apple's getters.
// Source: the documentation of each getter, and the values that `UserDefaults` gives.

extension KeyValue {
    /// Numbers and booleans are `NSNumber`, so that the casts which people write work here.
    var foundation: Any {
        switch self {
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .array(let values): values.map(\.foundation)
        case .dictionary(let values): values.mapValues(\.foundation)
        }
    }

    var coercedString: String? {
        switch self {
        case .string(let value): value
        case .bool(let value): value ? "1" : "0"
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        // As on Apple systems, where the number 1.0 is "1".
        case .real(let value): Int64(exactly: value).map { String($0) } ?? "\(value)"
        default: nil
        }
    }

    var coercedInteger: Int64 {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): value
        case .unsigned(let value): Int64(clamping: value)
        case .real(let value): Self.truncated(value)
        case .string(let value): (value as NSString).longLongValue
        default: 0
        }
    }

    private static func truncated(_ real: Double) -> Int64 {
        if real.isNaN { return 0 }
        return Int64(exactly: real.rounded(.towardZero)) ?? (real < 0 ? .min : .max)
    }

    var coercedReal: Double {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        case .string(let value): (value as NSString).doubleValue
        default: 0
        }
    }

    var coercedBool: Bool {
        switch self {
        case .bool(let value): value
        case .string(let value): (value as NSString).boolValue
        default: coercedReal != 0
        }
    }
}

extension KeyValue {
    /// How a store reads an object.
    enum Reading {
        case value(KeyValue)
        /// Nil, also one that is hidden in an `Any`.
        case nothing
        /// An object of this type, which is not a property list.
        case unsupported(type: String)
    }

    static func reading(_ object: Any?) -> Reading {
        guard let object = unwrapped(object) else { return .nothing }
        if let value = scalar(object) { return .value(value) }
        if let array = object as? [Any?] { return reading(array) }
        if let dictionary = object as? [String: Any?] { return reading(dictionary) }
        return .unsupported(type: "\(type(of: object))")
    }

    /// The value inside all layers of optionals and of `AnyHashable`.
    private static func unwrapped(_ object: Any?) -> Any? {
        guard let object else { return nil }
        // A cast to `AnyHashable` would wrap every value that is hashable.
        if type(of: object) == AnyHashable.self, let hashable = object as? AnyHashable {
            return unwrapped(hashable.base)
        }
        let mirror = Mirror(reflecting: object)
        guard mirror.displayStyle == .optional else { return object }
        return unwrapped(mirror.children.first?.value)
    }

    private static func scalar(_ object: Any) -> KeyValue? {
        switch object {
        case let value as KeyValue: value
        // `NSNumber` casts to everything, so the exact types come first.
        case let value as Bool where type(of: object) == Bool.self: .bool(value)
        // Conversions between types of numbers alter the bits of some NaNs.
        case let value as Double where type(of: object) == Double.self: .real(value)
        case let value as any BinaryInteger where !(object is NSNumber): integer(value)
        case let value as any BinaryFloatingPoint: .real(Double(value))
        case let value as NSDecimalNumber: .real(value.doubleValue)
        case let value as Decimal: .real(NSDecimalNumber(decimal: value).doubleValue)
        case let value as NSNumber: number(value)
        case let value as String: .string(value)
        case let value as Substring: .string(String(value))
        case let value as NSString: .string(String(value))
        case let value as Data: .data(value)
        case let value as NSData: .data(Data(value))
        case let value as Date: .date(value)
        case let value as NSDate: .date(value as Date)
        default: nil
        }
    }

    private static func integer(_ value: some BinaryInteger) -> KeyValue? {
        Int64(exactly: value).map(KeyValue.integer) ?? UInt64(exactly: value).map(KeyValue.unsigned)
    }

    private static func number(_ value: NSNumber) -> KeyValue {
        switch unsafe String(cString: value.objCType) {
        // Foundation has one type for a boolean and for a number of one byte.
        case "c" where (0...1).contains(value.intValue): .bool(value.boolValue)
        case "B": .bool(value.boolValue)
        case "f", "d": .real(value.doubleValue)
        case "Q": value.uint64Value.keyValue
        default: .integer(value.int64Value)
        }
    }

    private static func reading(_ array: [Any?]) -> Reading {
        var values: [KeyValue] = []
        for element in array {
            switch reading(element) {
            case .value(let value): values.append(value)
            case .nothing: return .unsupported(type: "nil")
            case let other: return other
            }
        }
        return .value(.array(values))
    }

    private static func reading(_ dictionary: [String: Any?]) -> Reading {
        var values: [String: KeyValue] = [:]
        for (name, element) in dictionary {
            switch reading(element) {
            case .value(let value): values[name] = value
            case .nothing: return .unsupported(type: "nil")
            case let other: return other
            }
        }
        return .value(.dictionary(values))
    }
}
