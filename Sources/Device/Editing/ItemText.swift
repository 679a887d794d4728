/// One field of an item as a user edits it.
package struct EditedField: Hashable, Sendable {
    package var name: String
    /// What the field is, for programs that know it; nil if it does not matter.
    package var kind: String?
    /// May have several lines, or none.
    package var value: String

    package init(name: String, kind: String? = nil, value: String) {
        self.name = name
        self.kind = kind
        self.value = value
    }
}

/// An item as plain text.
///
/// A field is a line `name: value` or `name (kind): value`. A value with several lines, or with
/// spaces at its ends, stands between a line that ends with `<<<` and a line `>>>`, exactly as it
/// is, so that a key or a note can be pasted. Other empty lines and lines that start with `#` do
/// not count. A name that contains a colon, or looks like something else, is in double quotes.
package enum ItemText {
    /// The text of fields, in their order.
    ///
    /// Names are not empty, and none stands twice; a kind has no parenthesis, colon or line break.
    /// The comment is lines for the user.
    package static func text(of fields: [EditedField], comment: [String] = []) -> String {
        let lines = comment.map { $0.isEmpty ? "#" : "# " + $0 }
        return (lines + fields.map(text)).map { $0 + "\n" }.joined()
    }

    private static func text(of field: EditedField) -> String {
        let start = quoted(field.name) + (field.kind.map { " (\($0))" } ?? "") + ":"
        guard !field.value.isEmpty else { return start }
        guard mustBeBlock(field.value) else { return start + " " + field.value }
        // A line of the value must not look like the end.
        var count = 3
        let lines = ItemTextParser.lines(field.value).map { Array(ItemTextParser.trimmed($0)) }
        while lines.contains(Array(String(repeating: ">", count: count).utf8)) { count += 1 }
        let open = String(repeating: "<", count: count)
        let close = String(repeating: ">", count: count)
        return "\(start) \(open)\n\(field.value)\n\(close)"
    }

    private static func mustBeBlock(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        return bytes.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            || ItemTextParser.trimmed(bytes[...]).count != bytes.count
            || ItemTextParser.blockMark(bytes[...]) != nil
    }

    private static func quoted(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            ItemTextParser.trimmed(bytes[...]).count == bytes.count
            && !bytes.contains { ":\n\r".utf8.contains($0) }
            && bytes.first != UInt8(ascii: "#") && bytes.first != UInt8(ascii: "\"")
            && bytes.last != UInt8(ascii: ")")
        if isPlain { return name }
        let escaped = name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// Parses a text that a user has edited.
    ///
    /// `repeating`: the name that several fields without a kind may have.
    ///
    /// - Returns: the fields in their order.
    /// - Throws: ``ItemTextError``, which names the line.
    package static func fields(
        of text: [UInt8],
        repeating: String? = nil
    ) throws(ItemTextError) -> [EditedField] {
        var parser = try ItemTextParser(text)
        return try parser.fields(repeating: repeating)
    }
}

/// Why a text is no item.
///
/// Lines count from 1. No case contains a value.
package enum ItemTextError: Error, Hashable, Sendable, CustomStringConvertible {
    case notUTF8
    case noColon(line: Int)
    case noName(line: Int)
    /// The quotes of a name do not end, or something other than a kind follows them.
    case badQuotes(line: Int)
    /// The block that starts on this line does not end.
    case notClosed(line: Int, mark: String)
    case twice(name: String, first: Int, second: Int)

    package var description: String {
        switch self {
        case .notUTF8: "the text is not UTF-8; save it in that encoding"
        case .noColon(let line): "line \(line): write NAME: VALUE, or # before a comment"
        case .noName(let line): "line \(line): write a name before the colon"
        case .badQuotes(let line): "line \(line): write \"NAME\": VALUE with both quotes"
        case .notClosed(let line, let mark): "line \(line): end this value with a line \(mark)"
        case .twice(let name, let first, let second):
            "lines \(first) and \(second): there are two fields \(name); rename or remove one"
        }
    }
}
