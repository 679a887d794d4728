internal import KSKeyValues

/// A value of a key-value store in a story: true, 7, 0.5, a text, a list or fields by name.
public struct StoryValue: Hashable, Sendable {
    let property: PropertyValue

    init(_ property: PropertyValue) { self.property = property }

    /// Fields by name.
    public init(_ fields: [String: StoryValue]) {
        let sorted = fields.sorted { $0.key < $1.key }
        self.init(.dictionary(PropertyDictionary(sorted.map { ($0.key, $0.value.property) })))
    }

    /// A text.
    public init(_ text: String) { self.init(.string(text)) }
}

extension StoryValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral text: String) { self.init(text) }

    /// An integer.
    public init(integerLiteral number: Int64) { self.init(.integer(number)) }

    /// A boolean.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }

    /// A real number.
    public init(floatLiteral number: Double) { self.init(.real(number)) }

    /// A list, or a set.
    public init(arrayLiteral elements: StoryValue...) {
        self.init(.array(elements.map(\.property)))
    }

    /// Fields by name.
    public init(dictionaryLiteral fields: (String, StoryValue)...) {
        self.init(.dictionary(PropertyDictionary(fields.map { ($0.0, $0.1.property) })))
    }
}

extension StoryValue: CustomStringConvertible {
    /// The value as a story's file has it.
    public var description: String { Self.text(of: property) }

    private static func text(of property: PropertyValue) -> String {
        switch property {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .date(let seconds): "\(seconds)"
        case .string(let text): quoted(text)
        case .data(let bytes): "\(bytes.count) bytes"
        case .array(let values): "[\(values.map(text(of:)).joined(separator: ", "))]"
        case .dictionary(let fields):
            "{\(fields.entries.map(text(of:)).joined(separator: ", "))}"
        }
    }

    private static func text(of field: PropertyDictionary.Entry) -> String {
        "\(quoted(field.key)): \(text(of: field.value))"
    }

    /// A text in quotation marks.
    static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n").replacing("\t", with: "\\t")
        return "\"\(escaped)\""
    }
}
