package import KSKeyValues

/// A line of a story, for another player than the simulator.
package struct StoryLine: Sendable {
    /// Counted from 1.
    package let number: Int
    /// The line without the blanks around it.
    package let text: String
    /// The ``StoryForm/pattern`` that it has.
    package let pattern: String
    /// Whether it is an expectation.
    package let isExpectation: Bool
    private let arguments: StoryArguments

    init(_ step: StoryFile.Step) {
        (number, text, pattern) = (step.line, step.text, step.form.pattern)
        isExpectation = step.form.section == .expectations
        arguments = step.arguments
    }

    /// The words that stand in the place of a name of the pattern.
    package func texts(_ name: String) -> [String] { arguments.texts(name) }

    /// The first of these words; empty without one.
    package func text(_ name: String) -> String { arguments.text(name) }

    /// The number that stands there.
    package func number(_ name: String = "NUMBER") -> Int64 { arguments.number(name) }

    /// The values of `VALUE`.
    package var values: [StoryValue] { arguments.values() }

    /// The values that an expectation names; the word `nothing` stands for none.
    package var expected: [StoryValue] { arguments.expected }

    /// The same for a field of an item, which holds texts only.
    package var expectedTexts: [StoryValue] { arguments.expectedTexts }

    /// How long `advance` or `slow` is.
    package var duration: Duration { arguments.duration() }
}

extension StoryFile {
    /// The lines that are steps or expectations, in their order.
    package var lines: [StoryLine] { steps.map(StoryLine.init) }
}

extension StoryValue {
    /// The value as key-value stores have it.
    package var propertyValue: PropertyValue { property }

    /// What a key-value store's value is in a story.
    package static func value(of property: PropertyValue) -> StoryValue { .init(property) }
}
