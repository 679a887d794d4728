/// Which passwords a site accepts, in Apple's form.
///
/// The form is that of the attribute `passwordrules` of HTML and of `UITextInputPasswordRules`,
/// such as `minlength: 12; required: lower; required: digit; allowed: upper, [-_.];`. Sources:
/// Apple, "Customizing Password AutoFill Rules", and the reader of rules in
/// github.com/apple/password-manager-resources, which says what is done with faulty ones.
package struct PasswordRules: Equatable, Sendable {
    /// At least one character of each set; a set that stands twice asks for two characters.
    package internal(set) var required: [Set<UInt8>] = []
    /// Further characters; empty, without ``required`` too, for all printable ASCII characters.
    package internal(set) var allowed: Set<UInt8> = []
    /// How often a character may stand in a row; nil for any number.
    package internal(set) var maxConsecutive: Int?
    /// The least and the greatest length in characters; nil for any.
    package internal(set) var minLength: Int?
    package internal(set) var maxLength: Int?
    /// What was not understood, as a sentence; nil for rules without a fault.
    ///
    /// Rules of sites are used nevertheless. Rules that a person has typed are better refused.
    package internal(set) var fault: String?

    /// All characters that a password may have.
    package var permitted: Set<UInt8> {
        let all = required.reduce(allowed) { $0.union($1) }
        return all.isEmpty ? ASCII.printable : all
    }

    /// Whether the rules accept this password of ASCII characters.
    package func accept(_ password: String) -> Bool {
        let bytes = Array(password.utf8)
        return (minLength ?? 0) <= bytes.count && bytes.count <= maxLength ?? .max
            && bytes.allSatisfy(permitted.contains)
            && demands.allSatisfy { demand in
                bytes.count { demand.set.contains($0) } >= demand.count
            }
            && longestRun(bytes) <= maxConsecutive ?? .max
    }

    private func longestRun(_ bytes: [UInt8]) -> Int {
        var (longest, run) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            run = index > 0 && bytes[index - 1] == byte ? run + 1 : 1
            longest = max(longest, run)
        }
        return longest
    }

    private var demands: [PasswordSpace.Demand] {
        var demands: [PasswordSpace.Demand] = []
        for set in required {
            if let index = demands.firstIndex(where: { $0.set == set }) {
                demands[index].count += 1
            } else {
                demands.append(PasswordSpace.Demand(set: set, count: 1))
            }
        }
        return demands
    }

    /// The passwords of `length`, or else of a good length that the rules allow.
    ///
    /// A space is left out where it is not needed, because it is easily lost at the end.
    func space(length: Int?) throws(GeneratingError) -> PasswordSpace {
        let lengthMax = PasswordGenerator.lengthMax
        let least = max(1, minLength ?? 1)
        let most = min(lengthMax, maxLength ?? lengthMax)
        if let maxLength, least > maxLength {
            throw .lengthsCross(least: least, most: maxLength)
        }
        guard least <= lengthMax else { throw .length(least, most: lengthMax) }
        if let length, !(least...most).contains(length) {
            throw .lengthAgainstRules(length, least: least, most: most)
        }
        let demands = demands
        let needed = max(PasswordRecipe.lengthDefault, demands.reduce(0) { $0 + $1.count })
        let good = length ?? min(max(needed, least), most)
        let needsSpace = demands.contains { $0.set == [ASCII.space] } || permitted == [ASCII.space]
        let alphabet = needsSpace ? permitted : permitted.subtracting([ASCII.space])
        // Less than a good length only helps where few characters may not be repeated.
        for length in (length.map { $0...$0 } ?? least...good).reversed() {
            let space = PasswordSpace(
                alphabet: alphabet,
                demands: demands,
                runMax: maxConsecutive,
                length: length
            )
            guard let space else { throw .tooManyRequirements }
            if !space.count.isZero { return space }
        }
        throw .nothingSatisfies
    }
}
