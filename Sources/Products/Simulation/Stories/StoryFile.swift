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
        var devices: [String] = []
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
            let step = try Self.step(tokens, end: end, line: index + 1, text, devices)
            devices += step.arguments.texts("NAME")
            steps.append(step)
        }
        self.steps = steps
    }

    /// `devices`: those that the lines before have named.
    private static func step(
        _ tokens: [StoryToken],
        end: Int,
        line: Int,
        _ text: Substring,
        _ devices: [String]
    ) throws(StorySyntaxError) -> Step {
        var mistakes: [StoryForm.Mismatch] = []
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
        let slip = StorySlip(tokens, mistakes, devices)
        throw StorySyntaxError(
            line: line,
            column: slip.place < tokens.count ? tokens[slip.place].column : end,
            message: slip.message
        )
    }

    // MARK: Running

    /// Carries the story out.
    ///
    /// A failed expectation does not end it: the others are looked at too.
    /// - Parameters:
    ///   - seed: decides all that is random.
    ///   - keepsTrace: whether the outcome has the events.
    ///   - keepsRecord: whether the outcome has what a picture is drawn from.
    /// - Throws: errors that no story may cause, such as one of the database.
    /// - Returns: the outcome.
    public func run(
        seed: UInt64 = 1,
        keepsTrace: Bool = false,
        keepsRecord: Bool = false
    ) throws -> StoryOutcome {
        try run(seed: seed, keepsTrace: keepsTrace, keepsRecord: keepsRecord, bug: nil)
    }

    /// Carries the story out, perhaps with a deliberate bug, to test that it finds that.
    ///
    /// `keepsEnd`: whether the outcome has what each device shows at the end.
    package func run(
        seed: UInt64 = 1,
        keepsTrace: Bool = false,
        keepsRecord: Bool = false,
        keepsEnd: Bool = false,
        bug: PlantedBug?
    ) throws -> StoryOutcome {
        let story = try Story(seed: seed, keepsTrace: keepsTrace, bug: bug)
        if keepsRecord { story.startRecord() }
        var outcome = StoryOutcome()
        for step in steps {
            do {
                try story.carryOut(step, &outcome)
            } catch let error as StoryError {
                outcome.mistake = StorySyntaxError(
                    line: step.line,
                    column: step.column,
                    message: error.description
                )
                break
            } catch let failure as WorldFailure {
                let failure = StoryOutcome.Failure(step, .init("every promise kept", "\(failure)"))
                outcome.failures.append(failure)
                story.note(failure, of: step)
                break
            }
        }
        if keepsEnd, outcome.mistake == nil { outcome.end = try story.end() }
        outcome.record = try story.finishedRecord()
        outcome.trace = story.trace
        outcome.traceHash = story.traceHash
        return outcome
    }
}

extension Story {
    /// Carries out a line of a file.
    func carryOut(_ step: StoryFile.Step, _ outcome: inout StoryOutcome) throws {
        world.trace("line \(step.line): \(step.text)")
        note(step)
        switch step.form.deed {
        case .act(let act):
            do {
                try act(self, step.arguments)
            } catch let error as StoryError where error.isOfDisk {
                // It is what happens to a user, as the story wanted it.
                outcome.shown.append(error.description)
            }
        case .show(let show): outcome.shown += try show(self, step.arguments)
        case .compare(let compare):
            let comparison = try compare(self, step.arguments)
            outcome.expectationCount += 1
            guard !comparison.holds else { break }
            let failure = StoryOutcome.Failure(step, comparison)
            outcome.failures.append(failure)
            note(failure, of: step)
        }
        try noteShown()
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

        /// A failure on another player than the simulator.
        package init(_ line: StoryLine, expected: String, shown: String) {
            (self.line, text) = (line.number, line.text)
            (self.expected, self.shown) = (expected, shown)
        }

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
    /// What a ``StoryPicture`` is drawn from, if that was asked for.
    public internal(set) var record: StoryRecord?
    /// What each device shows at the end, if that was asked for.
    package internal(set) var end: [DeviceEnd] = []

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
