/// What a password is made of.
package enum PasswordRecipe: Equatable, Sendable {
    case characters(CharacterRecipe)
    /// Pronounceable groups of two syllables, such as `hubfow-cydSaj-kexrib7`.
    ///
    /// A group is two times consonant, vowel, consonant, in lower case. One letter of the whole is
    /// a capital, and one group has a digit before or after it: what most sites ask for.
    case syllables(groups: Int)
    case words(WordRecipe)
    /// The rules of a site, with a length of the caller's choice or nil for a good one.
    case rules(PasswordRules, length: Int?)

    /// The length of a password of characters when nobody says another: 131 bits.
    package static let lengthDefault = 20
}

/// A password of single characters, with at least one of each chosen kind.
package struct CharacterRecipe: Equatable, Sendable {
    /// The number of characters.
    package var length: Int
    package var hasLower = true
    package var hasUpper = true
    package var hasDigits = true
    package var hasSymbols = true
    /// Whether characters that are easily mistaken for each other are left out: `0 O o`, `1 I l |`,
    /// `2 Z`, `5 S` and `8 B`.
    package var leavesOutLookAlikes = false

    package init(length: Int = PasswordRecipe.lengthDefault) {
        self.length = length
    }
}

/// A passphrase: words of the EFF's large list, 12.9 bits each.
package struct WordRecipe: Equatable, Sendable {
    /// The number of words.
    package var count: Int
    /// What stands between the words, at most 8 characters; it may be empty, because no word of the
    /// list begins with another.
    package var separator = "-"
    /// Whether each word begins with a capital, which adds no entropy.
    package var isCapitalized = false
    /// Whether a digit follows one of the words.
    package var hasDigit = false

    package init(count: Int = 6) {
        self.count = count
    }
}
