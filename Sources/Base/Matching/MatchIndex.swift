/// A text by which something is found.
package struct MatchText: Sendable {
    package let text: String
    /// How much a match counts, from 0 to ``weightMax``.
    package let weight: Int

    package static let weightMax = 8

    package init(_ text: String, weight: Int) {
        self.text = text
        self.weight = min(max(0, weight), Self.weightMax)
    }
}

/// Something that can be found: its title, which counts most, and further texts.
package struct MatchCandidate: Sendable {
    package let title: String
    package let texts: [MatchText]

    package init(title: String, texts: [MatchText] = []) {
        self.title = title
        self.texts = texts
    }
}

/// A candidate that a query finds.
package struct Match: Equatable, Sendable {
    /// How sure the match is.
    package enum Kind: Int, Comparable, Sendable {
        /// A word has one wrong letter.
        case typo
        /// The letters of a word are there in order, with others between them.
        case letters
        /// All words are there.
        case words
        /// The title is the query.
        case title

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The place of the candidate in the array that the index was made of.
    package let candidate: Int
    package let kind: Kind
}

extension [Match] {
    /// The matches that have all words, in the order of the list; all of it if none has.
    ///
    /// Beside one that has what was typed, one that only resembles it is in the way.
    package var sure: ArraySlice<Match> {
        let sure = prefix { $0.kind >= .words }
        return sure.isEmpty ? self[...] : sure
    }
}

/// Candidates that are folded once, so that each query is quick.
///
/// Every word of a query must match a text of a candidate. The order is that of
/// ``Match/Kind``, taken from the worst word; then of points, the sum over the words of the best
/// text's: 12 for a whole text, 9 for its start, 8 for the start of a word, 4 inside of a word, 2
/// for letters in order, 0 for a typo, and the weight of the text; then of the title.
package struct MatchIndex: Sendable {
    /// A text's place in ``folded``; small, since a list keeps some hundred thousand.
    private struct Text {
        let mask: UInt64
        private let start: UInt32
        /// The number of bytes, and in the lowest four bits the weight.
        private let countAndWeight: UInt32

        init(_ range: Range<Int>, mask: UInt64, weight: Int) {
            self.mask = mask
            start = UInt32(range.lowerBound)
            countAndWeight = UInt32(range.count) * 16 + UInt32(weight)
        }

        var range: Range<Int> { Int(start)..<Int(start) + Int(countAndWeight / 16) }
        var weight: Int { Int(countAndWeight % 16) }
    }

    private var folded = FoldedText()
    private var texts: [Text] = []
    /// The texts of each candidate, of which the title is the first.
    private var textRanges: [Range<Int>] = []
    private var titles: [String] = []
    /// The place of each candidate in the order of titles.
    private var places: [Int] = []
    private var byTitle: [Int] = []

    package init(_ candidates: [MatchCandidate]) {
        for candidate in candidates { append(candidate) }
        finish()
    }

    /// An index of the candidates that `fill` appends.
    package init<Failure>(
        filledBy fill: (inout MatchIndex) throws(Failure) -> Void
    ) throws(Failure) {
        try fill(&self)
        finish()
    }

    /// Adds a candidate, while an index is being filled.
    package mutating func append(_ candidate: MatchCandidate) {
        let start = texts.count
        append(candidate.title, weight: MatchText.weightMax)
        for text in candidate.texts { append(text.text, weight: text.weight) }
        titles.append(candidate.title)
        textRanges.append(start..<texts.count)
    }

    /// Adds a candidate of another index, while this one is being filled: nothing is folded again.
    package mutating func append(_ candidate: Int, of other: MatchIndex) {
        let start = texts.count
        for text in other.texts[other.textRanges[candidate]] {
            let range = folded.append(other.folded, text.range)
            texts.append(Text(range, mask: text.mask, weight: text.weight))
        }
        titles.append(other.titles[candidate])
        textRanges.append(start..<texts.count)
    }

    private mutating func finish() {
        byTitle = titles.indices.sorted { left, right in
            let (first, second) = (title(left), title(right))
            if first != second { return first.lexicographicallyPrecedes(second) }
            let (own, other) = (titles[left], titles[right])
            return own == other ? left < right : own < other
        }
        places = [Int](repeating: 0, count: titles.count)
        for (place, candidate) in byTitle.enumerated() { places[candidate] = place }
    }

    private mutating func append(_ text: String, weight: Int) {
        let range = folded.append(text)
        let mask = QueryWord.letters(of: folded.bytes[range])
        texts.append(Text(range, mask: mask, weight: weight))
    }

    private func title(_ candidate: Int) -> ArraySlice<UInt8> {
        folded.bytes[texts[textRanges[candidate].lowerBound].range]
    }

    /// The candidates that match, best first; all of them, by title, for an empty query.
    package func search(_ query: String) -> [Match] {
        let words = Self.words(query)
        guard !words.isEmpty else {
            return byTitle.map { Match(candidate: $0, kind: .words) }
        }
        let whole = words.map(\.bytes).joined(separator: [UInt8(ascii: " ")]).map(\.self)
        var ranks: [Int] = []
        for candidate in textRanges.indices {
            guard let rank = rank(candidate, words, whole: whole) else { continue }
            ranks.append(rank * titles.count + titles.count - 1 - places[candidate])
        }
        ranks.sort(by: >)
        return ranks.map { rank in
            let place = titles.count - 1 - rank % titles.count
            let kind = Match.Kind(rawValue: rank / titles.count / Self.pointsMax) ?? .typo
            return Match(candidate: byTitle[place], kind: kind)
        }
    }

    static func words(_ query: String) -> [QueryWord] {
        FoldedText.bytes(of: query).split { $0 == 0x20 || (0x09...0x0D).contains($0) }
            .map { QueryWord(Array($0)) }
    }

    /// More points than some hundred words have.
    private static let pointsMax = 4096

    /// The kind, times ``pointsMax``, plus the points.
    private func rank(_ candidate: Int, _ words: [QueryWord], whole: [UInt8]) -> Int? {
        var kind = Match.Kind.title
        var points = 0
        for word in words {
            var best: (quality: WordMatch.Quality, points: Int)?
            for index in textRanges[candidate] {
                guard let match = match(word, texts[index]) else { continue }
                let points = Self.points(match.quality) + texts[index].weight
                let isBetter = best.map {
                    (Self.kind(match.quality), points) > (Self.kind($0.quality), $0.points)
                }
                if isBetter ?? true { best = (match.quality, points) }
            }
            guard let best else { return nil }
            kind = min(kind, Self.kind(best.quality))
            points += best.points
        }
        if kind == .words, title(candidate).elementsEqual(whole) { kind = .title }
        return kind.rawValue * Self.pointsMax + min(points, Self.pointsMax - 1)
    }

    private func match(_ word: QueryWord, _ text: Text) -> WordMatch? {
        word.match(
            in: folded.bytes.span.extracting(text.range),
            starts: folded.starts.span.extracting(text.range),
            mask: text.mask
        )
    }

    private static func kind(_ quality: WordMatch.Quality) -> Match.Kind {
        switch quality {
        case .typo: .typo
        case .subsequence: .letters
        case .inside, .wordStart, .start, .whole: .words
        }
    }

    private static func points(_ quality: WordMatch.Quality) -> Int {
        switch quality {
        case .typo: 0
        case .subsequence: 2
        case .inside: 4
        case .wordStart: 8
        case .start: 9
        case .whole: 12
        }
    }

    /// The parts of a candidate's title that the words of a query match, for highlighting.
    ///
    /// They are in order, begin and end at whole characters, and do not overlap or touch.
    package func titleRanges(of candidate: Int, query: String) -> [Range<String.Index>] {
        let text = texts[textRanges[candidate].lowerBound]
        let span = folded.bytes.span.extracting(text.range)
        let found = Self.words(query).flatMap { word in
            match(word, text).map { word.ranges(of: $0, in: span) } ?? []
        }
        let isFound = (0..<text.range.count).map { byte in found.contains { $0.contains(byte) } }
        let title = titles[candidate]
        var result: [Range<String.Index>] = []
        var byte = 0
        for index in title.indices {
            let next = title.index(after: index)
            let end = byte + FoldedText.bytes(of: String(title[index..<next])).count
            defer { byte = end }
            guard isFound[byte..<end].contains(true) else { continue }
            if let last = result.last, last.upperBound == index {
                result[result.count - 1] = last.lowerBound..<next
            } else {
                result.append(index..<next)
            }
        }
        return result
    }
}
