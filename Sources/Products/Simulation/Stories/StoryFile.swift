/// A story as text: a line for each step, `#` before a comment.
///
/// ``StoryForm/all`` lists what a line can be. Texts with blanks stand in quotation marks; a list
/// is `[1, 2]`, fields are `{name: value}`.
public struct StoryFile: Sendable {
    /// A line of the file.
    struct Step: Sendable {
        let line: Int
        let text: String
        let form: StoryForm
        let arguments: StoryArguments
        /// The column of the first argument.
        let column: Int
    }

    let steps: [Step]

    /// The forms of its lines.
    package var patterns: [String] { steps.map(\.form.pattern) }

    /// Reads a story; nothing is carried out.
    ///
    /// - Parameter text: the file.
    /// - Throws: ``StorySyntaxError`` for the first line that has none of the forms.
    public init(parsing text: String) throws(StorySyntaxError) {
        var steps: [Step] = []
        for (index, text) in text.split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).enumerated() {
            var scanner = StoryScanner(
                text.hasSuffix("\r") ? text.dropLast() : text,
                line: index + 1
            )
            let (tokens, end) = try scanner.tokens()
            guard !tokens.isEmpty else { continue }
            steps.append(try Self.step(tokens, end: end, line: index + 1, text))
        }
        self.steps = steps
    }

    private static func step(
        _ tokens: [StoryToken],
        end: Int,
        line: Int,
        _ text: Substring
    ) throws(StorySyntaxError) -> Step {
        var mistakes: [(place: Int, expected: String)] = []
        for form in StoryForm.all {
            guard let mistake = form.mismatch(tokens) else {
                return Step(
                    line: line,
                    text: text.trimmed,
                    form: form,
                    arguments: form.arguments(tokens),
                    column: tokens[0].column
                )
            }
            mistakes.append(mistake)
        }
        // What the forms that fit furthest expect.
        let place = mistakes.map(\.place).max() ?? 0
        var expected: [String] = []
        for mistake in mistakes where mistake.place == place {
            if !expected.contains(mistake.expected) { expected.append(mistake.expected) }
        }
        let found = place < tokens.count ? "\"\(tokens[place].text)\"" : "the end of the line"
        throw StorySyntaxError(
            line: line,
            column: place < tokens.count ? tokens[place].column : end,
            message: "expected \(expected.joined(separator: " or ")), found \(found)"
        )
    }

    // MARK: Running

    /// Carries the story out.
    ///
    /// A failed expectation does not end it: the others are looked at too.
    /// - Parameters:
    ///   - seed: decides all that is random.
    ///   - keepsTrace: whether the outcome has the events.
    /// - Throws: errors that no story may cause, such as one of the database.
    /// - Returns: the outcome.
    public func run(seed: UInt64 = 1, keepsTrace: Bool = false) throws -> StoryOutcome {
        try run(seed: seed, keepsTrace: keepsTrace, bug: nil)
    }

    /// Carries the story out with a deliberate bug, to test that it finds that.
    package func run(
        seed: UInt64 = 1,
        keepsTrace: Bool = false,
        bug: WorldSettings.PlantedBug?
    ) throws -> StoryOutcome {
        let story = try Story(seed: seed, keepsTrace: keepsTrace, bug: bug)
        var outcome = StoryOutcome()
        for step in steps {
            story.world.trace("line \(step.line): \(step.text)")
            do {
                switch step.form.deed {
                case .act(let act): try act(story, step.arguments)
                case .show(let show):
                    outcome.shown += try show(story, step.arguments)
                case .compare(let compare):
                    let comparison = try compare(story, step.arguments)
                    outcome.expectationCount += 1
                    if !comparison.holds { outcome.failures.append(.init(step, comparison)) }
                }
            } catch let error as StoryError {
                outcome.mistake = StorySyntaxError(
                    line: step.line,
                    column: step.column,
                    message: error.description
                )
                break
            } catch let failure as WorldFailure {
                outcome.failures.append(.init(step, .init("every promise kept", "\(failure)")))
                break
            }
        }
        outcome.trace = story.trace
        outcome.traceHash = story.traceHash
        return outcome
    }
}

/// The result of a story.
public struct StoryOutcome: Equatable, Sendable {
    /// An expectation that does not hold.
    public struct Failure: Equatable, Sendable {
        /// The number of the line, from 1.
        public let line: Int
        /// The line.
        public let text: String
        /// What it expects.
        public let expected: String
        /// What the story shows.
        public let shown: String

        init(_ step: StoryFile.Step, _ comparison: StoryComparison) {
            (line, text) = (step.line, step.text)
            (expected, shown) = (comparison.expected, comparison.shown)
        }
    }

    /// The expectations that do not hold.
    public internal(set) var failures: [Failure] = []
    /// How many expectations were looked at.
    public internal(set) var expectationCount = 0
    /// The line that failed and ended the story; nil if each was carried out.
    public internal(set) var mistake: StorySyntaxError?
    /// What `show` printed.
    public internal(set) var shown: [String] = []
    /// The events, if they were asked for.
    public internal(set) var trace: [String] = []
    /// A hash of all events: the same in every process.
    public internal(set) var traceHash = ""

    /// The outcome of a story that ends with a mistake.
    public init(mistake: StorySyntaxError? = nil) { self.mistake = mistake }

    /// Whether the story ran to its end, and every expectation holds.
    public var isKept: Bool { failures.isEmpty && mistake == nil }
}

extension Substring {
    fileprivate var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        let end = rest.lastIndex { !$0.isWhitespace }
        return end.map { String(rest[...$0]) } ?? ""
    }
}
