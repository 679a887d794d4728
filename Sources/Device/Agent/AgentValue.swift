internal import KSRedaction

/// A value that a program and the daemon pass to each other.
package enum AgentValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case string(String)
    case data([UInt8])
    case array([AgentValue])
    case dictionary(AgentDictionary)
}

/// Values by name, kept in the order of the names' UTF-8 bytes.
package struct AgentDictionary: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    package struct Entry: Sendable, Equatable {
        package let key: String
        package var value: AgentValue
    }

    /// In rising order of their keys.
    package private(set) var entries: [Entry] = []

    package init() {}

    init(capacity: Int) { entries.reserveCapacity(capacity) }

    /// The last of several values for one key counts.
    package init(dictionaryLiteral elements: (String, AgentValue)...) {
        for (key, value) in elements { self[key] = value }
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    package subscript(key: String) -> AgentValue? {
        get {
            // For a few short keys, a linear search by equality is faster than a binary search.
            let index = entries.indices.first { entries[$0].key == key && holds(key, at: $0) }
            return index.map { entries[$0].value }
        }
        set {
            let index = position(of: key)
            switch (holds(key, at: index), newValue) {
            case (true, .some(let value)): entries[index].value = value
            case (true, .none): entries.remove(at: index)
            case (false, .some(let value)):
                entries.insert(Entry(key: key, value: value), at: index)
            case (false, .none): break
            }
        }
    }

    /// Adds a key that sorts after all others; false if it does not.
    mutating func append(_ key: String, _ value: AgentValue) -> Bool {
        if let last = entries.last, !Self.precedes(last.key, key) { return false }
        entries.append(Entry(key: key, value: value))
        return true
    }

    private func position(of key: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(entries[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // Swift's `==` takes different spellings of a character as equal; here the bytes must be equal.
    private func holds(_ key: String, at index: Int) -> Bool {
        index < entries.count && entries[index].key.utf8.elementsEqual(key.utf8)
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

// Not by a nil literal: `dictionary[key] = nil` has to remove the key, not to set it to null.
extension AgentValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(arrayLiteral elements: AgentValue...) { self = .array(elements) }

    package init(dictionaryLiteral elements: (String, AgentValue)...) {
        var dictionary = AgentDictionary()
        for (key, value) in elements { dictionary[key] = value }
        self = .dictionary(dictionary)
    }
}

extension AgentValue {
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var date: Double? { if case .date(let value) = self { value } else { nil } }
    package var array: [AgentValue]? { if case .array(let value) = self { value } else { nil } }
    package var dictionary: AgentDictionary? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}

// Values between programs and the daemon often hold secrets.
extension AgentValue: Redacted {
    package var shownPart: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .date(let value): "date \(value)"
        case .string(let value): "string of \(value.utf8.count) bytes"
        case .data(let value): "\(value.count) bytes"
        case .array(let values): "\(values)"
        case .dictionary(let values): "\(values.entries.map { "\($0.key): \($0.value)" })"
        }
    }
}
