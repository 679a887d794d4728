internal import KSKeyValues

/// A word or a value of a story's line.
struct StoryToken: Equatable, Sendable {
    /// The word, or the text of a value.
    let text: String
    /// What it stands for as a value.
    let value: StoryValue
    /// Whether it is a word without quotation marks and brackets.
    let isWord: Bool
    /// Counted from 1, in characters.
    let column: Int
}

/// A mistake in a story's file.
public struct StorySyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in characters.
    public let column: Int
    /// What is wrong and what was expected.
    public let message: String

    /// - Parameters:
    ///   - line: counted from 1.
    ///   - column: counted from 1, in characters.
    ///   - message: what is wrong and what was expected.
    public init(line: Int, column: Int, message: String) {
        (self.line, self.column, self.message) = (line, column, message)
    }

    /// The place and the message.
    public var description: String { "\(line):\(column): \(message)" }
}

/// Splits a line of a story into words and values; `#` begins a comment.
struct StoryScanner {
    private let characters: [Character]
    private let line: Int
    private var place = 0

    init(_ text: some StringProtocol, line: Int) {
        characters = Array(text)
        self.line = line
    }

    /// All words and values, and the column behind the last one.
    mutating func tokens() throws(StorySyntaxError) -> (tokens: [StoryToken], end: Int) {
        var tokens: [StoryToken] = []
        var end = 1
        while true {
            skipBlanks()
            guard let next = peek, next != "#" else { return (tokens, end) }
            let start = place
            let isWord = !"\"[{".contains(next)
            let value = try scanValue(in: " \t#")
            let raw = String(characters[start..<place])
            var text = raw
            if case .string(let content) = value.property, !isWord { text = content }
            tokens.append(
                StoryToken(text: text, value: value, isWord: isWord, column: start + 1)
            )
            end = place + 1
            if let next = peek, !" \t#".contains(next) { throw mistake("a blank") }
        }
    }

    private var peek: Character? { place < characters.count ? characters[place] : nil }

    private mutating func skipBlanks() {
        while let next = peek, next == " " || next == "\t" { place += 1 }
    }

    private func mistake(_ expected: String) -> StorySyntaxError {
        let found = peek.map { "\"\($0)\"" } ?? "the end of the line"
        return StorySyntaxError(
            line: line,
            column: place + 1,
            message: "expected \(expected), found \(found)"
        )
    }

    /// A value; a word ends before one of the characters of `ends`.
    private mutating func scanValue(in ends: String) throws(StorySyntaxError) -> StoryValue {
        switch peek {
        case "\"": return StoryValue(try scanText())
        case "[":
            let values = try scanList(until: "]") { (scanner) throws(StorySyntaxError) in
                try scanner.scanValue(in: " \t,]#")
            }
            return StoryValue(.array(values.map(\.property)))
        case "{":
            let fields = try scanList(until: "}") { (scanner) throws(StorySyntaxError) in
                let name =
                    scanner.peek == "\"" ? try scanner.scanText() : try scanner.scanWord(" \t:,}#")
                scanner.skipBlanks()
                guard scanner.peek == ":" else { throw scanner.mistake("\":\"") }
                scanner.place += 1
                scanner.skipBlanks()
                return (name, try scanner.scanValue(in: " \t,}#"))
            }
            return StoryValue(.dictionary(.init(fields.map { ($0.0, $0.1.property) })))
        default: return Self.value(of: try scanWord(ends))
        }
    }

    private mutating func scanWord(_ ends: String) throws(StorySyntaxError) -> String {
        let start = place
        while let next = peek, !ends.contains(next) { place += 1 }
        guard place > start else { throw mistake("a value") }
        return String(characters[start..<place])
    }

    private mutating func scanText() throws(StorySyntaxError) -> String {
        var text = ""
        place += 1
        while let next = peek {
            place += 1
            switch next {
            case "\"": return text
            case "\\":
                let escapes: [Character: Character] = [
                    "n": "\n", "t": "\t", "\\": "\\", "\"": "\"",
                ]
                guard let meant = peek.flatMap({ escapes[$0] }) else {
                    throw mistake("n, t, \\ or \" after \\")
                }
                text.append(meant)
                place += 1
            default: text.append(next)
            }
        }
        throw mistake("a closing quotation mark")
    }

    private mutating func scanList<Element>(
        until end: Character,
        _ scan: (inout StoryScanner) throws(StorySyntaxError) -> Element
    ) throws(StorySyntaxError) -> [Element] {
        var elements: [Element] = []
        place += 1
        skipBlanks()
        if peek == end {
            place += 1
            return []
        }
        while true {
            elements.append(try scan(&self))
            skipBlanks()
            guard let next = peek, next == "," || next == end else {
                throw mistake("\",\" or \"\(end)\"")
            }
            place += 1
            if next == end { return elements }
            skipBlanks()
        }
    }

    /// What a word stands for: true, false, a number, or itself.
    private static func value(of word: String) -> StoryValue {
        if word == "true" || word == "false" { return StoryValue(booleanLiteral: word == "true") }
        if let number = Int64(word) { return StoryValue(integerLiteral: number) }
        if word.contains("."), let number = Double(word) {
            return StoryValue(floatLiteral: number)
        }
        return StoryValue(word)
    }
}
