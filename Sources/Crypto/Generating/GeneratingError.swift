internal import KSBytes

/// Why no password can be generated.
package enum GeneratingError: Error, Equatable, CustomStringConvertible {
    /// The length is not from 1 to `most`.
    case length(Int, most: Int)
    /// No class of characters is chosen.
    case noClass
    /// Fewer characters than chosen classes.
    case tooShort(length: Int, classes: Int)
    /// The number of groups or words is not from 1 to `most`.
    case count(Int, most: Int)
    /// The separator of words has a control character or more than `most` characters.
    case separator(most: Int)
    /// `minlength` is greater than `maxlength`.
    case lengthsCross(least: Int, most: Int)
    /// The caller's length is outside of what the rules allow.
    case lengthAgainstRules(Int, least: Int, most: Int)
    /// No password meets the rules.
    case nothingSatisfies
    /// There are too many different requirements to count the passwords.
    case tooManyRequirements

    package var description: String {
        switch self {
        case .length(let length, let most):
            "A password has 1 to \(most) characters, not \(length): choose a length in between."
        case .noClass:
            "No kind of character is left to choose from: allow letters, digits or symbols."
        case .tooShort(let length, let classes):
            """
            \(counted(length, "character")) cannot hold one of each of \(classes) kinds: \
            choose a greater length or fewer kinds.
            """
        case .count(let count, let most):
            "\(count) is not possible here: choose a number from 1 to \(most)."
        case .separator(let most):
            "A separator has at most \(most) characters and no line breaks: choose another one."
        case .lengthsCross(let least, let most):
            """
            The rules ask for at least \(least) and at most \(most) characters, which no password \
            satisfies: correct minlength or maxlength.
            """
        case .lengthAgainstRules(let length, let least, let most):
            "The rules allow \(least) to \(most) characters, not \(length): choose another length."
        case .nothingSatisfies:
            "No password satisfies these rules: relax required, allowed or max-consecutive."
        case .tooManyRequirements:
            "These rules have too many different requirements: leave some of them out."
        }
    }
}
