/// The written form of an Account Key: 26 symbols of five bits, four that check them, in groups of
/// five.
///
/// The 30 symbols are a word of the Reed–Solomon code over GF(32) whose generator has the roots α,
/// α², α³, α⁴, α a root of x⁵ + x² + 1. Any two words differ in five places, so every one to four
/// wrong symbols are noticed, two neighbours that changed places with them, and one or two wrong
/// ones are *located*. They are not corrected: a person should look at the kit again.
/// Source: Reed, Solomon, "Polynomial Codes over Certain Finite Fields" (1960); the symbols are
/// those of Crockford's Base 32, which has no I, L, O and U.
enum AccountKeyText {
    private static let version = "K1"
    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let dataSymbolCount = 26
    private static let checkSymbolCount = 4
    private static let symbolCount = dataSymbolCount + checkSymbolCount
    private static let groupSize = 5

    static func format(_ bytes: [UInt8]) -> String {
        let word = withCheckSymbols(dataSymbols(of: bytes))
        let groups = stride(from: 0, to: symbolCount, by: groupSize).map { start in
            String(word[start..<start + groupSize].map { symbols[Int($0)] })
        }
        return ([version] + groups).joined(separator: "-")
    }

    static func parse(_ text: String) throws(SealingError) -> [UInt8] {
        let groups = try groupsAfterVersion(text)
        let typed = groups.joined()
        guard typed.count == symbolCount else {
            throw .accountKeyMistyped(groups: groupsOfWrongLength(groups))
        }
        let values = typed.map(value)
        let unreadable = values.indices.filter { values[$0] == nil }
        guard unreadable.isEmpty else { throw mistyped(positions: unreadable) }
        let word = values.compactMap { $0 }
        guard syndromes(of: word).allSatisfy({ $0 == 0 }) else { throw mistyped(in: word) }
        guard let bytes = bytes(of: word) else { throw .accountKeyMistyped(groups: []) }
        return bytes
    }

    /// Swapped groups are tried before two wrong symbols.
    ///
    /// A key with two swapped groups is far from any word of the code, and the search for two wrong
    /// symbols would often blame symbols that are right.
    private static func mistyped(in word: [UInt8]) -> SealingError {
        if let position = locateOneError(in: word) { return mistyped(positions: [position]) }
        let swapped = swappedGroups(in: word)
        if !swapped.isEmpty { return .accountKeyMistyped(groups: swapped) }
        return mistyped(positions: locateTwoErrors(in: word))
    }

    private static func mistyped(positions: [Int]) -> SealingError {
        .accountKeyMistyped(groups: Set(positions.map { $0 / groupSize + 1 }).sorted())
    }
}

// MARK: What was typed

extension AccountKeyText {
    /// The groups as they were typed, without the leading `K1`.
    private static func groupsAfterVersion(_ text: String) throws(SealingError) -> [[Character]] {
        let normal = text.uppercased().map(normalized)
        var parts = normal.split { $0 == "-" || $0.isWhitespace }.map(Array.init)
        if parts.first == ["K"], parts.count > 1 {
            parts[0...1] = [parts[0] + parts[1]]
        }
        guard let first = parts.first, first.count > 1, first[0] == "K" else {
            throw .accountKeyMistyped(groups: [])
        }
        guard first[1] == "1" else {
            // Another digit is most likely a later version, even if the rest is mistyped too.
            throw first[1].isNumber ? .accountKeyVersionUnknown : .accountKeyMistyped(groups: [])
        }
        let rest = Array(first.dropFirst(2))
        return (rest.isEmpty ? [] : [rest]) + parts.dropFirst()
    }

    private static func normalized(_ character: Character) -> Character {
        switch character {
        case "I", "L": "1"
        case "O": "0"
        // The characters that word processors put in place of a dash.
        case "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}": "-"
        default: character
        }
    }

    /// The groups that are too short or too long; empty if the dashes do not separate all groups.
    private static func groupsOfWrongLength(_ groups: [[Character]]) -> [Int] {
        guard groups.count == symbolCount / groupSize else { return [] }
        return groups.indices.filter { groups[$0].count != groupSize }.map { $0 + 1 }
    }

    private static func value(of symbol: Character) -> UInt8? {
        symbols.firstIndex(of: symbol).map(UInt8.init)
    }
}

// MARK: Bits

extension AccountKeyText {
    /// The 128 bits, two zero bits in front, as 26 symbols.
    private static func dataSymbols(of bytes: [UInt8]) -> [UInt8] {
        var symbols: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 2
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                symbols.append(UInt8(truncatingIfNeeded: bits >> bitCount) & 31)
            }
        }
        return symbols
    }

    /// The bytes of a word; nil when the two bits in front are not zero.
    private static func bytes(of word: [UInt8]) -> [UInt8]? {
        guard word[0] < 8 else { return nil }
        var bytes: [UInt8] = []
        var bits = UInt32(word[0])
        var bitCount: UInt32 = 3
        for symbol in word[1..<dataSymbolCount] {
            bits = bits << 5 | UInt32(symbol)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return bytes
    }
}

// MARK: The code

extension AccountKeyText {
    /// α to the powers 0 to 30.
    private static let powers: [UInt8] = {
        var powers: [UInt8] = [1]
        while powers.count < 31 {
            let doubled = powers[powers.count - 1] << 1
            powers.append(doubled & 32 == 0 ? doubled : doubled ^ 0b10_0101)
        }
        return powers
    }()

    /// The exponent of each element but zero.
    private static let exponents: [Int] = {
        var exponents = [Int](repeating: 0, count: 32)
        for (exponent, element) in powers.enumerated() { exponents[Int(element)] = exponent }
        return exponents
    }()

    private static func power(_ exponent: Int) -> UInt8 {
        powers[exponent % 31]
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        guard left != 0, right != 0 else { return 0 }
        return power(exponents[Int(left)] + exponents[Int(right)])
    }

    private static func quotient(_ left: UInt8, _ right: UInt8) -> UInt8 {
        product(left, power(31 - exponents[Int(right)]))
    }

    /// Appends the remainder of the data, times x⁴, divided by the generator.
    private static func withCheckSymbols(_ data: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: checkSymbolCount)
        for symbol in data {
            let factor = symbol ^ remainder[0]
            remainder = Array(remainder.dropFirst()) + [0]
            for index in remainder.indices {
                remainder[index] ^= product(factor, generator[index + 1])
            }
        }
        return data + remainder
    }

    /// (x − α)(x − α²)(x − α³)(x − α⁴), highest coefficient first.
    private static let generator: [UInt8] = (1...checkSymbolCount).reduce([1]) { polynomial, root in
        let raised = polynomial + [0]
        let scaled = [0] + polynomial.map { product($0, power(root)) }
        return zip(raised, scaled).map { $0 ^ $1 }
    }

    /// The word at α, α², α³ and α⁴: all zero for a word of the code.
    private static func syndromes(of word: [UInt8]) -> [UInt8] {
        (1...checkSymbolCount).map { root in
            word.reduce(0) { product($0, power(root)) ^ $1 }
        }
    }

    /// The symbol whose correction gives a word of the code; nil if more symbols are wrong.
    private static func locateOneError(in word: [UInt8]) -> Int? {
        let stated = syndromes(of: word)
        return word.indices.first { isOneError(stated, at: $0) }
    }

    /// The two groups whose exchange gives a word of the code.
    private static func swappedGroups(in word: [UInt8]) -> [Int] {
        let groups = stride(from: 0, to: symbolCount, by: groupSize).map {
            Array(word[$0..<$0 + groupSize])
        }
        for first in groups.indices {
            for second in groups.indices.dropFirst(first + 1) {
                var other = groups
                other.swapAt(first, second)
                if syndromes(of: other.flatMap(\.self)).allSatisfy({ $0 == 0 }) {
                    return [first + 1, second + 1]
                }
            }
        }
        return []
    }

    /// The two symbols whose correction gives a word of the code; empty if more are wrong.
    private static func locateTwoErrors(in word: [UInt8]) -> [Int] {
        let stated = syndromes(of: word)
        for first in word.indices {
            for second in word.indices.dropFirst(first + 1)
            where areTwoErrors(stated, at: first, second) {
                return [first, second]
            }
        }
        return []
    }

    /// α to the power that belongs to a place: what an error there is multiplied by, from one
    /// syndrome to the next.
    private static func locator(_ position: Int) -> UInt8 {
        power(symbolCount - 1 - position)
    }

    private static func isOneError(_ stated: [UInt8], at position: Int) -> Bool {
        let locator = locator(position)
        return stated.allSatisfy { $0 != 0 }
            && zip(stated, stated.dropFirst()).allSatisfy { product($0, locator) == $1 }
    }

    /// Removes the error in the first place from the syndromes: the rest must be an error in the
    /// second.
    private static func areTwoErrors(_ stated: [UInt8], at first: Int, _ second: Int) -> Bool {
        let one = locator(first)
        let two = locator(second)
        // S1 = a + b and S2 = a·one + b·two, solved for a.
        let value = quotient(product(stated[0], two) ^ stated[1], one ^ two)
        guard value != 0 else { return false }
        var share = value
        var rest: [UInt8] = []
        for syndrome in stated {
            rest.append(syndrome ^ share)
            share = product(share, one)
        }
        return isOneError(rest, at: second)
    }
}
