import Foundation
import KSDigests
import KSGenerating
import KSTestSupport
import Testing

/// Passwords of each recipe: what they hold, how they are spread, and their entropy.
struct PasswordGeneratorTests {
    private func passwords(_ recipe: PasswordRecipe, _ count: Int) throws -> [String] {
        let generator = try PasswordGenerator(recipe)
        let random = SeededRandomSource(seed: 1)
        return (0..<count).map { _ in generator.generate(with: random) }
    }

    @Test(arguments: [4, 5, 20, 256])
    func `a password has its length and one of each kind`(length: Int) throws {
        for password in try passwords(.characters(CharacterRecipe(length: length)), 20) {
            #expect(password.count == length)
            #expect(password.contains { $0.isLowercase })
            #expect(password.contains { $0.isUppercase })
            #expect(password.contains { $0.isNumber })
            #expect(password.contains { !$0.isLetter && !$0.isNumber })
            #expect(password.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test
    func `look-alikes are left out on request`() throws {
        var recipe = CharacterRecipe(length: 100)
        recipe.leavesOutLookAlikes = true
        let text = try passwords(.characters(recipe), 100).joined()
        #expect(!text.contains { "0Oo1Il|2Z5S8B".contains($0) })
        #expect(text.contains("3") && text.contains("!") && text.contains("A"))
    }

    /// One digit and one lower-case letter: 10 * 26 * 2 passwords.
    @Test
    func `small recipes reach every password, each equally often`() throws {
        var recipe = CharacterRecipe(length: 2)
        (recipe.hasUpper, recipe.hasSymbols) = (false, false)
        let generator = try PasswordGenerator(.characters(recipe))
        #expect(abs(generator.entropyBits - log2(520)) < 1e-12)
        let counts = Dictionary(grouping: try passwords(.characters(recipe), 10_400)) { $0 }
            .mapValues(\.count)
        #expect(counts.count == 520)
        let deviation = counts.values.reduce(0.0) { $0 + pow(Double($1) - 20, 2) / 20 }
        // Chi-squared with 519 degrees of freedom: 650 is four standard deviations above.
        #expect(deviation < 650, "\(deviation)")
    }

    /// By inclusion and exclusion over the kinds that are missing.
    @Test(arguments: [4, 8, 20, 64])
    func `the entropy is that of the passwords with one of each kind`(length: Int) throws {
        let sizes = [26.0, 26, 10, 32]
        let count = (0..<16).reduce(0.0) { sum, missing in
            let left = sizes.indices.filter { missing >> $0 & 1 == 0 }.reduce(0) { $0 + sizes[$1] }
            let sign: Double = missing.nonzeroBitCount.isMultiple(of: 2) ? 1 : -1
            return sum + sign * pow(left, Double(length))
        }
        let generator = try PasswordGenerator(.characters(CharacterRecipe(length: length)))
        #expect(abs(generator.entropyBits - log2(count)) < 1e-9)
    }

    @Test
    func `syllables make groups with one capital and one digit`() throws {
        let group = "(?:[bcdfghjkmnprstvwxz][aeiouy][bdfgkmnprstxz]){2}"
        let form = try NSRegularExpression(pattern: "^\(group)-\(group)-\(group)$")
        let all = try passwords(.syllables(groups: 3), 500)
        #expect(Set(all).count == 500)
        for password in all {
            #expect(password.count { $0.isUppercase } == 1)
            let digits = password.indices.filter { password[$0].isNumber }
            let digit = try #require(digits.first)
            #expect(digits.count == 1)
            let before = password[..<digit].last ?? "-"
            let after = password[digit...].dropFirst().first ?? "-"
            #expect(before == "-" || after == "-")
            let plain = password.filter { !$0.isNumber }.lowercased()
            let range = NSRange(location: 0, length: plain.utf16.count)
            #expect(form.firstMatch(in: plain, range: range) != nil, "\(plain)")
        }
        let generator = try PasswordGenerator(.syllables(groups: 3))
        let expected = 6 * log2(18.0 * 6 * 13) + log2(18.0) + log2(48.0)
        #expect(abs(generator.entropyBits - expected) < 1e-9)
    }

    @Test
    func `one group of syllables has all its capitals and digits`() throws {
        let all = try passwords(.syllables(groups: 1), 5000)
        let places = all.compactMap { password -> Int? in
            let letters = password.filter { !$0.isNumber }
            let digitIsFirst = password.first?.isNumber == true
            guard let capital = letters.firstIndex(where: \.isUppercase) else { return nil }
            let place = letters.distance(from: letters.startIndex, to: capital)
            return place + (digitIsFirst ? 6 : 0)
        }
        #expect(Set(places) == Set(0..<12))
        #expect(Set(all.joined().filter(\.isNumber)) == Set("23456789"))
    }

    @Test
    func `words are separated, capitalised and followed by one digit as asked`() throws {
        var recipe = WordRecipe(count: 4)
        let plain = try #require(try passwords(.words(recipe), 1).first)
        #expect(plain.split(separator: "-").count >= 4)
        recipe.separator = " "
        (recipe.isCapitalized, recipe.hasDigit) = (true, true)
        for passphrase in try passwords(.words(recipe), 200) {
            let words = passphrase.split(separator: " ")
            #expect(words.count == 4)
            #expect(words.allSatisfy { $0.first?.isUppercase == true })
            #expect(words.count { $0.last?.isNumber == true } == 1)
            #expect(passphrase.count { $0.isNumber } == 1)
        }
    }

    @Test
    func `the entropy of words is that of the list`() throws {
        var recipe = WordRecipe(count: 6)
        let generator = try PasswordGenerator(.words(recipe))
        #expect(abs(generator.entropyBits - 6 * log2(7776)) < 1e-9)
        recipe.hasDigit = true
        let withDigit = try PasswordGenerator(.words(recipe))
        #expect(abs(withDigit.entropyBits - 6 * log2(7776) - log2(60)) < 1e-9)
    }

    /// So that passphrases without a separator are as many as the choices of words.
    @Test
    func `the list has its 7776 words, and none begins with another`() throws {
        var recipe = WordRecipe(count: 64)
        recipe.separator = " "
        let text = try passwords(.words(recipe), 2000).joined(separator: " ")
        let words = Set(text.split(separator: " "))
        #expect(words.count == 7776)
        let sorted = words.sorted()
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { !$1.hasPrefix($0) })
        #expect(sorted.first == "abacus" && sorted.last == "zoom")
    }

    @Test
    func `impossible recipes are refused with the reason`() {
        func error(_ recipe: PasswordRecipe) -> GeneratingError? {
            #expect(throws: GeneratingError.self) { try PasswordGenerator(recipe) }
        }
        let none = CharacterRecipe.with {
            ($0.hasLower, $0.hasUpper, $0.hasDigits, $0.hasSymbols) = (false, false, false, false)
        }
        #expect(error(.characters(none)) == .noClass)
        #expect(error(.characters(CharacterRecipe(length: 0))) == .length(0, most: 256))
        #expect(error(.characters(CharacterRecipe(length: 257))) == .length(257, most: 256))
        let short = GeneratingError.tooShort(length: 3, classes: 4)
        #expect(error(.characters(CharacterRecipe(length: 3))) == short)
        #expect(error(.syllables(groups: 0)) == .count(0, most: 64))
        #expect(error(.words(WordRecipe(count: 65))) == .count(65, most: 64))
        var words = WordRecipe()
        for separator in ["\n", "123456789"] {
            words.separator = separator
            #expect(error(.words(words)) == .separator(most: 8))
        }
        #expect(
            short.description
                == "3 characters cannot hold one of each of 4 kinds: choose a greater length or "
                + "fewer kinds."
        )
    }
}

extension CharacterRecipe {
    fileprivate static func with(_ change: (inout CharacterRecipe) -> Void) -> CharacterRecipe {
        var recipe = CharacterRecipe()
        change(&recipe)
        return recipe
    }
}
