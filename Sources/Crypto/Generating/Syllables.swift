internal import Glibc
internal import KSDigests

/// Pronounceable passwords, counted exactly.
///
/// A syllable is a consonant, a vowel and a consonant. Left out are `l`, because it looks like 1,
/// `q`, which wants a `u`, and at the end of a syllable `c`, `h`, `j`, `v` and `w`, which are hard
/// to hear there; `y` is a vowel. The digits 0 and 1 are left out, because they look like letters.
struct Syllables: Sendable {
    private static let onsets = Array("bcdfghjkmnprstvwxz")
    private static let vowels = Array("aeiouy")
    private static let codas = Array("bdfgkmnprstxz")
    private static let digits = Array("23456789")
    private static let syllablesPerGroup = 2
    private static let lettersPerSyllable = 3

    let groups: Int

    private var syllables: Int { groups * Self.syllablesPerGroup }
    private var letters: Int { syllables * Self.lettersPerSyllable }

    /// Different choices make different passwords: the letters, the place of the capital, and the
    /// digit with its place, which a hyphen keeps apart from the next group's.
    var entropyBits: Double {
        let syllable = Self.onsets.count * Self.vowels.count * Self.codas.count
        return Double(syllables) * log2(Double(syllable)) + log2(Double(letters))
            + log2(Double(2 * groups * Self.digits.count))
    }

    func random(with source: some RandomSource) -> String {
        func pick(_ characters: [Character]) -> Character {
            characters[source.number(below: characters.count)]
        }
        var text = (0..<syllables).flatMap { _ in
            [pick(Self.onsets), pick(Self.vowels), pick(Self.codas)]
        }
        let capital = source.number(below: letters)
        text[capital] = Character(text[capital].uppercased())
        let size = Self.syllablesPerGroup * Self.lettersPerSyllable
        var parts = (0..<groups).map { String(text[$0 * size..<($0 + 1) * size]) }
        let place = source.number(below: 2 * groups)
        let digit = String(pick(Self.digits))
        parts[place / 2] =
            place.isMultiple(of: 2) ? digit + parts[place / 2] : parts[place / 2] + digit
        return parts.joined(separator: "-")
    }
}
