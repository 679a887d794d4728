/// A form of a story's lines: what it looks like, and what it does.
public struct StoryForm: Sendable {
    /// The part of ``all`` that a form stands in.
    public enum Section: String, CaseIterable, Sendable {
        /// Time, and messages.
        case time = "Time"
        /// Devices, and their networks.
        case devices = "Devices"
        /// Devices that come and go.
        case account = "Account"
        /// The server, and what its operator does.
        case server = "Server"
        /// The items of the keychain.
        case items = "Items"
        /// Key-value stores.
        case keyValues = "Key-values"
        /// Expectations.
        case expectations = "Expectations"
    }

    /// A word of a form.
    enum Part: Equatable, Sendable {
        case keyword(String)
        /// Anything of a kind; several only at the end.
        case argument(String, Kind, isRepeated: Bool)
    }

    /// What stands in the place of an argument.
    enum Kind: Sendable {
        case name
        case text
        case value
        case number
        case duration
        case percent
        case type
        case unsent
        case pause
        case answer
    }

    /// What a line does.
    enum Deed: Sendable {
        case act(@Sendable (Story, StoryArguments) throws -> Void)
        case compare(@Sendable (Story, StoryArguments) throws -> StoryComparison)
        case show(@Sendable (Story, StoryArguments) throws -> [String])
    }

    /// Which part of the table it stands in.
    public let section: Section
    /// What a line looks like: words in capitals stand for names and values, `...` for several.
    public let pattern: String
    /// What the line does.
    public let meaning: String
    let parts: [Part]
    let deed: Deed

    init(_ section: Section, _ pattern: String, _ meaning: String, _ deed: Deed) {
        (self.section, self.pattern, self.meaning, self.deed) = (section, pattern, meaning, deed)
        parts = pattern.split(separator: " ").map { word in
            let isRepeated = word.hasSuffix("...")
            let name = String(isRepeated ? word.dropLast(3) : word)
            guard name.allSatisfy({ $0.isUppercase }) else { return .keyword(name) }
            return .argument(name, Self.kinds[name] ?? .text, isRepeated: isRepeated)
        }
    }

    private static let kinds: [String: Kind] = [
        "DEVICE": .name, "OTHER": .name, "NAME": .name, "VALUE": .value, "NUMBER": .number,
        "PLACE": .number, "TARGET": .number, "DURATION": .duration, "PERCENT": .percent,
        "TYPE": .type, "REASON": .unsent, "PAUSE": .pause, "ANSWER": .answer,
    ]

    /// How far tokens fit a form, and what it expects there.
    struct Mismatch: Equatable {
        let place: Int
        let expected: String
        /// The words that can stand there, if only some can.
        let words: [String]
        /// The word that the form begins with; nil for a device's name.
        let first: String?
    }

    /// How far tokens fit the form; nil if all fit.
    func mismatch(_ tokens: [StoryToken]) -> Mismatch? {
        var first: String?
        if case .keyword(let word) = parts[0] { first = word }
        for (place, part) in parts.enumerated() {
            let token = place < tokens.count ? tokens[place] : nil
            switch part {
            case .keyword(let word):
                guard token?.isWord == true, token?.text == word else {
                    return Mismatch(place: place, expected: word, words: [word], first: first)
                }
            case .argument(let name, let kind, let isRepeated):
                func mistake(at place: Int) -> Mismatch {
                    Mismatch(
                        place: place,
                        expected: "\(name), \(kind.expected)",
                        words: kind.words,
                        first: first
                    )
                }
                let rest = isRepeated ? Array(tokens.dropFirst(place)) : token.map { [$0] } ?? []
                guard !rest.isEmpty else { return mistake(at: place) }
                for (index, token) in rest.enumerated() where !kind.fits(token) {
                    return mistake(at: place + index)
                }
                if isRepeated { return nil }
            }
        }
        guard tokens.count > parts.count else { return nil }
        return Mismatch(
            place: parts.count,
            expected: "the end of the line",
            words: [],
            first: first
        )
    }

    /// The arguments of tokens that fit.
    func arguments(_ tokens: [StoryToken]) -> StoryArguments {
        var arguments: [String: [StoryToken]] = [:]
        for (place, part) in parts.enumerated() {
            guard case .argument(let name, _, let isRepeated) = part else { continue }
            arguments[name] = isRepeated ? Array(tokens[place...]) : [tokens[place]]
        }
        return StoryArguments(tokens: arguments)
    }
}

extension StoryForm.Kind {
    /// What a mistake says.
    fileprivate var expected: String {
        switch self {
        case .name: "a name"
        case .text: "a text"
        case .value: "a value"
        case .number: "a whole number"
        case .duration: "a duration such as 90s, 5m, 2h, 31d or 10y"
        case .percent: "a number from 0 to 100"
        case .type, .unsent, .pause, .answer: "one of \(words.joined(separator: ", "))"
        }
    }

    /// The words that it can be; none if it can be any.
    fileprivate var words: [String] {
        switch self {
        case .type: StoryMergeType.allCases.map(\.rawValue)
        case .unsent: UnsentReason.allCases.map(\.rawValue)
        case .pause: PauseReason.allCases.map(\.rawValue) + ["nothing"]
        case .answer: StoryAnswer.allCases.map(\.rawValue)
        case .name, .text, .value, .number, .duration, .percent: []
        }
    }

    func fits(_ token: StoryToken) -> Bool {
        switch self {
        case .name: token.isWord && !Story.reservedNames.contains(token.text)
        case .text, .value: true
        case .number: Int64(token.text) != nil && token.isWord
        case .duration: Duration(storyText: token.text) != nil && token.isWord
        case .percent: (Int(token.text).map { (0...100).contains($0) } ?? false) && token.isWord
        case .type: StoryMergeType(rawValue: token.text) != nil
        case .unsent: UnsentReason(rawValue: token.text) != nil
        case .pause: PauseReason(rawValue: token.text) != nil || token.text == "nothing"
        case .answer: StoryAnswer(rawValue: token.text) != nil
        }
    }
}

extension Duration {
    /// A number and a unit (ms, s, m, h, d, y), perhaps behind a sign; nil for another text.
    init?(storyText text: String) {
        let units: [(String, Int64)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
            ("y", 31_557_600_000),
        ]
        guard let (unit, milliseconds) = units.first(where: { text.hasSuffix($0.0) }),
            let count = Int64(text.dropLast(unit.count)), abs(count) <= 1_000_000
        else { return nil }
        self = .milliseconds(count * milliseconds)
    }
}

/// The names and values of a line.
struct StoryArguments: Equatable, Sendable {
    let tokens: [String: [StoryToken]]

    func texts(_ name: String) -> [String] { (tokens[name] ?? []).map(\.text) }
    func text(_ name: String) -> String { texts(name).first ?? "" }
    func values(_ name: String = "VALUE") -> [StoryValue] { (tokens[name] ?? []).map(\.value) }
    func value(_ name: String = "VALUE") -> StoryValue { values(name).first ?? "" }
    func number(_ name: String = "NUMBER") -> Int64 { Int64(text(name)) ?? 0 }
    func duration(_ name: String = "DURATION") -> Duration {
        Duration(storyText: text(name)) ?? .zero
    }

    func device(_ story: Story, _ name: String = "DEVICE") throws -> Story.Device {
        try story[text(name)]
    }
}

/// What an expectation wants, and what the story shows.
struct StoryComparison: Equatable, Sendable {
    let expected: String
    let shown: String
    let holds: Bool

    /// Compares two texts.
    init(_ expected: String, _ shown: String) {
        (self.expected, self.shown, holds) = (expected, shown, expected == shown)
    }

    /// Compares two values; nil stands for nothing.
    init(_ expected: StoryValue?, _ shown: StoryValue?) {
        self.init(expected?.description ?? "nothing", shown?.description ?? "nothing")
    }

    /// Compares several values in their order.
    init(_ expected: [StoryValue], _ shown: [StoryValue]) {
        self.init(Self.text(expected), Self.text(shown))
    }

    private static func text(_ values: [StoryValue]) -> String {
        values.isEmpty ? "nothing" : values.map(\.description).joined(separator: " ")
    }

    /// Whether something is so: `shown` says what is there instead.
    init(_ expected: String, isSo: Bool, else shown: String) {
        (self.expected, self.shown, holds) = (expected, isSo ? expected : shown, isSo)
    }
}
