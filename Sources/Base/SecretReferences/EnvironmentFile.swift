/// Variables of a file in dotenv form.
///
/// The form has no standard; this accepts what the common readers agree on:
///
/// - a line `NAME=value`, also with `export ` in front and spaces around the equals sign; empty
///   lines and lines that start with `#` do not count, nor does `export NAME` alone;
/// - a value without quotes ends with its line, or before spaces and a `#`;
/// - a value in single quotes or backticks is taken literally, over several lines too;
/// - in double quotes, over several lines too, `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and a backslash
///   before a backtick are one character, and any other backslash is itself.
///
/// No value is expanded: a `$` is a `$`. Passwords contain it, and a reader that silently replaces
/// part of one by nothing is worse than one that expands nothing.
package struct EnvironmentFile: Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: String
        package let value: [UInt8]
        /// Where its name stands, from 1.
        package let line: Int
    }

    /// In the order of the file.
    ///
    /// A name may stand twice: the last one counts.
    package let entries: [Entry]

    package init(parsing bytes: [UInt8]) throws(EnvironmentFileError) {
        var parser = EnvironmentFileParser(bytes)
        entries = try parser.entries()
    }
}

/// Why a file is not in dotenv form.
///
/// It contains nothing of the file but line numbers, counted from 1.
package enum EnvironmentFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case noEqualsSign(line: Int)
    case badName(line: Int)
    /// The quotes that start on this line do not end.
    case notClosed(line: Int)
    /// Something other than a comment follows the closing quote.
    case textAfterQuote(line: Int)
    case zeroByte(line: Int)

    package var description: String {
        switch self {
        case .noEqualsSign(let line): "line \(line): write NAME=VALUE, or # before a comment"
        case .badName(let line):
            "line \(line): a name has letters, digits, _, - and ., and starts with no digit"
        case .notClosed(let line): "line \(line): close the quotes that start here"
        case .textAfterQuote(let line):
            "line \(line): text follows the closing quote; put all of the value in quotes"
        case .zeroByte(let line): "line \(line): a variable cannot hold a zero byte"
        }
    }
}

private struct EnvironmentFileParser {
    private var rest: ArraySlice<UInt8>
    private var line = 1

    private static let newline = UInt8(ascii: "\n")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        if bytes.starts(with: Self.byteOrderMark) { rest.removeFirst(Self.byteOrderMark.count) }
    }

    mutating func entries() throws(EnvironmentFileError) -> [EnvironmentFile.Entry] {
        var entries: [EnvironmentFile.Entry] = []
        while !rest.isEmpty {
            if let entry = try entry() { entries.append(entry) }
        }
        return entries
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// Takes the rest of the line and its end.
    private mutating func takeLine() -> ArraySlice<UInt8> {
        let text = rest.prefix { $0 != Self.newline }
        rest = rest[text.endIndex...].dropFirst()
        line += 1
        return text
    }

    /// - Returns: nil for a line without a variable.
    private mutating func entry() throws(EnvironmentFileError) -> EnvironmentFile.Entry? {
        let start = line
        let text = rest.prefix { $0 != Self.newline }
        let words = Self.trimmed(text)
        guard let first = words.first, first != UInt8(ascii: "#") else {
            _ = takeLine()
            return nil
        }
        let equals = text.firstIndex(of: UInt8(ascii: "="))
        let (name, isExported) = Self.name(Self.trimmed(text[..<(equals ?? text.endIndex)]))
        guard let equals else {
            guard isExported, Self.isName(name) else { throw .noEqualsSign(line: start) }
            _ = takeLine()
            return nil
        }
        guard Self.isName(name) else { throw .badName(line: start) }
        rest = rest[(equals + 1)...]
        let value = try value(from: start)
        guard !value.contains(0) else { throw .zeroByte(line: start) }
        return .init(name: String(decoding: name, as: UTF8.self), value: value, line: start)
    }

    private static func name(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, Bool) {
        let export = Array("export".utf8)
        guard text.starts(with: export) else { return (text, false) }
        let after = text.dropFirst(export.count)
        guard let space = after.first, isSpace(space) else { return (text, false) }
        return (trimmed(after), true)
    }

    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else {
            return false
        }
        return text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    private mutating func value(from start: Int) throws(EnvironmentFileError) -> [UInt8] {
        let value = rest.drop(while: Self.isSpace)
        guard let quote = value.first, "\"'`".utf8.contains(quote) else {
            return Self.withoutQuotes(takeLine())
        }
        rest = value.dropFirst()
        let text = try quoted(quote, from: start)
        let after = line
        let end = Self.trimmed(takeLine())
        guard end.isEmpty || end.first == UInt8(ascii: "#") else {
            throw .textAfterQuote(line: after)
        }
        return text
    }

    private static func withoutQuotes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        // A number sign begins a comment only after a space: many values contain one.
        let comment = text.indices.first { index in
            text[index] == UInt8(ascii: "#") && index > text.startIndex && isSpace(text[index - 1])
        }
        return Array(trimmed(text[..<(comment ?? text.endIndex)]))
    }

    private mutating func quoted(
        _ quote: UInt8,
        from start: Int
    ) throws(EnvironmentFileError) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote { return text }
            if byte == Self.newline { line += 1 }
            let isCarriageReturn = byte == UInt8(ascii: "\r") && rest.first == Self.newline
            // Line ends of Windows belong to the file, not to the value.
            if isCarriageReturn { continue }
            guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = rest.first,
                let meant = Self.escaped(next)
            else {
                text.append(byte)
                continue
            }
            text.append(meant)
            rest.removeFirst()
        }
        throw .notClosed(line: start)
    }

    private static func escaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "n"): newline
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"): byte
        default: nil
        }
    }
}
