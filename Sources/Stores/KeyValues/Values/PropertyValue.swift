internal import KSRedaction

/// A value of a key-value store: one of the types that property lists have.
///
/// Types are distinct: true is not 1, and 1 is not 1.0. Two values are equal if their encodings
/// are, so reals and dates are compared by their bits, and texts by their bytes.
package enum PropertyValue: Sendable {
    case bool(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`; a smaller one is ``integer(_:)``.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case data([UInt8])
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case array([PropertyValue])
    case dictionary(PropertyDictionary)

    /// An integer in its canonical form.
    package static func integer(of value: UInt64) -> PropertyValue {
        Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
    }

    /// How errors name the type.
    package var typeName: String {
        switch self {
        case .bool: "boolean"
        case .integer, .unsigned: "integer"
        case .real: "real"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}

extension PropertyValue: Hashable {
    package static func == (left: PropertyValue, right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(encoded)
    }
}

/// Values by name, in the order of the names' UTF-8 bytes.
///
/// Names are different if their bytes are, even where Swift calls the texts equal.
package struct PropertyDictionary: Hashable, Sendable {
    package struct Entry: Sendable {
        package let key: String
        package let value: PropertyValue
    }

    /// In rising order of their keys, each once.
    package private(set) var entries: [Entry]

    /// - Parameter entries: in any order; the last of several for one key counts.
    package init(_ entries: some Sequence<(key: String, value: PropertyValue)> = []) {
        var byBytes: [[UInt8]: Entry] = [:]
        for entry in entries {
            byBytes[Array(entry.key.utf8)] = Entry(key: entry.key, value: entry.value)
        }
        self.entries = byBytes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    package var count: Int { entries.count }

    /// The value of a key, found by halving: a caller may compare two large dictionaries.
    package subscript(key: String) -> PropertyValue? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let order = entries[middle].key.compareBytes(with: key)
            if order == 0 { return entries[middle].value }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Adds a key that comes after all others; false if it does not.
    mutating func append(_ key: String, _ value: PropertyValue) -> Bool {
        if let last = entries.last, !last.key.utf8.lexicographicallyPrecedes(key.utf8) {
            return false
        }
        entries.append(Entry(key: key, value: value))
        return true
    }
}

extension PropertyDictionary.Entry: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(key.utf8))
        hasher.combine(value)
    }
}

extension PropertyValue: Redacted {
    package var shownPart: String { "\(typeName), \(encoded.count) bytes" }
}

extension PropertyDictionary: Redacted {
    package var shownPart: String { "\(count) entries" }
}
