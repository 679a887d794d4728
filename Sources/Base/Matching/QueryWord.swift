/// A word of a query, and how it matches texts.
struct QueryWord: Sendable {
    /// How far apart the letters of a subsequence may be: this many times their number.
    private static let spreadMax = 3
    /// Shorter words have too many neighbours for a typo to be recognised.
    private static let typoLettersMin = 5

    let bytes: [UInt8]
    /// The end of each letter in ``bytes``.
    private let letterEnds: [Int]
    /// Which letters there are, as ``letters(of:)`` says.
    let mask: UInt64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        letterEnds = bytes.indices.map { $0 + 1 }.filter {
            $0 == bytes.count || bytes[$0] & 0xC0 != 0x80
        }
        mask = Self.letters(of: bytes[...])
    }

    /// A set of the letters and digits of a text; all that is not ASCII is one element.
    ///
    /// A text that lacks a letter of a word cannot have the word, which spares most comparisons.
    static func letters(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 | 1 << UInt64($1 < 0x80 ? $1 & 63 : 0) }
    }

    /// How the word matches best in a text, and where.
    func match(in text: Span<UInt8>, starts: Span<Bool>, mask textMask: UInt64) -> WordMatch? {
        switch (mask & ~textMask).nonzeroBitCount {
        case 0:
            return literal(text, starts) ?? subsequence(text, starts) ?? typo(text, starts)
        case 1: return typo(text, starts)
        default: return nil
        }
    }

    /// The word itself, at the start of a word if it is there more than once.
    func literal(_ text: Span<UInt8>, _ starts: Span<Bool>) -> WordMatch? {
        let count = bytes.count
        guard count > 0, count <= text.count else { return nil }
        let first = bytes[0]
        var found: WordMatch?
        for start in 0...text.count - count where text[start] == first {
            guard matches(0..<count, text, start) else { continue }
            let range = start..<start + count
            if start == 0 {
                return WordMatch(quality: count == text.count ? .whole : .start, range: range)
            }
            if starts[start] { return WordMatch(quality: .wordStart, range: range) }
            if found == nil { found = WordMatch(quality: .inside, range: range) }
        }
        return found
    }

    /// Whether the part of the word stands at this place of a text.
    private func matches(_ part: Range<Int>, _ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start + part.count <= text.count else { return false }
        for offset in 0..<part.count where text[start + offset] != bytes[part.lowerBound + offset] {
            return false
        }
        return true
    }

    /// The letters of the word in order, from the start of a word on and not too far apart.
    private func subsequence(_ text: Span<UInt8>, _ starts: Span<Bool>) -> WordMatch? {
        guard letterEnds.count > 1, bytes.count <= text.count else { return nil }
        let first = bytes[0]
        for start in 0...text.count - bytes.count where starts[start] && text[start] == first {
            if let end = subsequenceEnd(text, start) {
                return WordMatch(quality: .subsequence, range: start..<end)
            }
        }
        return nil
    }

    private func subsequenceEnd(_ text: Span<UInt8>, _ start: Int) -> Int? {
        let end = min(text.count, start + Self.spreadMax * bytes.count)
        var place = start
        var letter = 0
        for letterEnd in letterEnds {
            let part = letter..<letterEnd
            while !matches(part, text, place) {
                place += 1
                guard place < end else { return nil }
            }
            place += part.count
            letter = letterEnd
        }
        return place <= end ? place : nil
    }

    /// The word with one letter wrong, missing, added or swapped with the next.
    private func typo(_ text: Span<UInt8>, _ starts: Span<Bool>) -> WordMatch? {
        guard letterEnds.count >= Self.typoLettersMin else { return nil }
        for start in 0..<text.count where starts[start] {
            if let end = typoEnd(text, start) {
                return WordMatch(quality: .typo, range: start..<end)
            }
        }
        return nil
    }

    /// Compares up to the first difference, and then what follows it in each of the four ways.
    private func typoEnd(_ text: Span<UInt8>, _ start: Int) -> Int? {
        var place = start
        var letter = 0
        var number = 0
        while number < letterEnds.count, matches(letter..<letterEnds[number], text, place) {
            place += letterEnds[number] - letter
            letter = letterEnds[number]
            number += 1
        }
        guard number < letterEnds.count else { return nil }
        let after = letterEnds[number]
        let textAfter = letterEnd(text, place)
        func rest(_ from: Int, _ start: Int) -> Int? {
            matches(from..<bytes.count, text, start) ? start + bytes.count - from : nil
        }
        if number + 1 < letterEnds.count {
            let second = letterEnds[number + 1]
            let swapped = place + second - after
            if matches(after..<second, text, place), matches(letter..<after, text, swapped) {
                if let end = rest(second, swapped + after - letter) { return end }
            }
        }
        // The last letter may be too much, but what is left must still be most of the word.
        return textAfter.flatMap { rest(after, $0) } ?? textAfter.flatMap { rest(letter, $0) }
            ?? rest(after, place)
    }

    /// The end of the letter at a place of a text; nil at its end.
    private func letterEnd(_ text: Span<UInt8>, _ place: Int) -> Int? {
        guard place < text.count else { return nil }
        var end = place + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }

    /// The places of the word's letters in a match, for highlighting.
    func ranges(of match: WordMatch, in text: Span<UInt8>) -> [Range<Int>] {
        guard match.quality == .subsequence else { return [match.range] }
        var place = match.range.lowerBound
        var letter = 0
        return letterEnds.map { letterEnd in
            while !matches(letter..<letterEnd, text, place) { place += 1 }
            defer {
                place += letterEnd - letter
                letter = letterEnd
            }
            return place..<place + letterEnd - letter
        }
    }
}

/// A word in a text.
struct WordMatch: Equatable {
    /// The better ones are greater.
    enum Quality: Int, Comparable {
        case typo, subsequence, inside, wordStart, start, whole

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    let quality: Quality
    /// The place in the folded text.
    let range: Range<Int>
}
