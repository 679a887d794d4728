internal import Glibc
package import KSDigests

/// Generates the passwords of a recipe, each exactly as likely as any other.
package struct PasswordGenerator: Sendable {
    /// The greatest length of a password of single characters.
    package static let lengthMax = 256
    /// The most groups of syllables, or words.
    package static let partsMax = 64
    private static let separatorMax = 8

    private enum Source: Sendable {
        case space(PasswordSpace)
        case syllables(Syllables)
        case words(WordRecipe)
    }

    private let source: Source

    /// The binary logarithm of the number of passwords, all of which are equally likely.
    package var entropyBits: Double {
        switch source {
        case .space(let space): return space.count.log2
        case .syllables(let syllables): return syllables.entropyBits
        case .words(let recipe):
            let digits = recipe.hasDigit ? log2(Double(10 * recipe.count)) : 0
            return Double(recipe.count) * log2(Double(WordList.words.count)) + digits
        }
    }

    /// Counts the passwords of the recipe.
    package init(_ recipe: PasswordRecipe) throws(GeneratingError) {
        source =
            switch recipe {
            case .characters(let recipe): .space(try Self.space(recipe))
            case .rules(let rules, let length): .space(try rules.space(length: length))
            case .syllables(let groups): .syllables(Syllables(groups: try Self.checked(groups)))
            case .words(let recipe): .words(try Self.checked(recipe))
            }
    }

    private static func checked(_ count: Int) throws(GeneratingError) -> Int {
        guard (1...partsMax).contains(count) else { throw .count(count, most: partsMax) }
        return count
    }

    private static func checked(_ recipe: WordRecipe) throws(GeneratingError) -> WordRecipe {
        _ = try checked(recipe.count)
        let hasControl = recipe.separator.unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
        guard recipe.separator.count <= separatorMax, !hasControl else {
            throw .separator(most: separatorMax)
        }
        return recipe
    }

    /// A new password.
    package func generate(with random: some RandomSource) -> String {
        switch source {
        case .space(let space): space.random(with: random)
        case .syllables(let syllables): syllables.random(with: random)
        case .words(let recipe): Self.words(recipe, with: random)
        }
    }

    private static func space(_ recipe: CharacterRecipe) throws(GeneratingError) -> PasswordSpace {
        guard (1...lengthMax).contains(recipe.length) else {
            throw .length(recipe.length, most: lengthMax)
        }
        let chosen: [(Bool, Set<UInt8>)] = [
            (recipe.hasLower, ASCII.lower), (recipe.hasUpper, ASCII.upper),
            (recipe.hasDigits, ASCII.digits), (recipe.hasSymbols, ASCII.symbols),
        ]
        let sets = chosen.filter(\.0).map { _, set in
            recipe.leavesOutLookAlikes ? set.subtracting(ASCII.lookAlikes) : set
        }
        guard !sets.isEmpty else { throw .noClass }
        guard recipe.length >= sets.count else {
            throw .tooShort(length: recipe.length, classes: sets.count)
        }
        let space = PasswordSpace(
            alphabet: sets.reduce([]) { $0.union($1) },
            demands: sets.map { PasswordSpace.Demand(set: $0, count: 1) },
            length: recipe.length
        )
        guard let space else { throw .tooManyRequirements }
        return space
    }

    private static func words(_ recipe: WordRecipe, with random: some RandomSource) -> String {
        var words = (0..<recipe.count).map { _ in
            let word = WordList.words[random.number(below: WordList.words.count)]
            return recipe.isCapitalized ? word.prefix(1).uppercased() + word.dropFirst() : word
        }
        if recipe.hasDigit {
            words[random.number(below: words.count)] += String(random.number(below: 10))
        }
        return words.joined(separator: recipe.separator)
    }
}

extension RandomSource {
    /// A number from 0 up to but not including `bound`, each as likely as the others.
    func number(below bound: Int) -> Int {
        let bits = UInt64.bitWidth - UInt64(bound - 1).leadingZeroBitCount
        while true {
            let drawn = integer() & (1 << UInt64(bits) - 1)
            if drawn < bound { return Int(drawn) }
        }
    }
}
