import KSMatching
import KSPicking
import KSScreens
import Testing

/// What a search of many items costs, and that it finds what it found when it cost more.
struct PickIndexTests {
    private static func index(_ titles: [String]) -> (PickIndex, MatchIndex) {
        let entries = titles.enumerated().map { number, title in
            PickEntry(
                id: "\(number)",
                title: title,
                subtitle: "user\(number % 7)",
                site: "a.example"
            )
        }
        let candidates = entries.map { entry in
            MatchCandidate(title: entry.title, texts: [MatchText(entry.subtitle, weight: 5)])
        }
        return (PickIndex(entries, candidates: candidates), MatchIndex(candidates))
    }

    @Test
    func `near matches come only where nothing has what was typed`() {
        let (index, _) = Self.index(["Manila", "Mail", "Gmail"])
        #expect(index.matches("mail").map(\.id) == ["1", "2"])
        #expect(index.matches("mnl").map(\.id) == ["0"])
    }

    @Test
    func `a key of a search among many items marks only the rows that are shown`() {
        let (index, _) = Self.index((0..<10_000).map { "Site \($0)" })
        var searches = 0
        var marks = 0
        var picker = Picker(
            entries: index.entries,
            rows: 24,
            columns: 80,
            seconds: 0,
            highlight: {
                marks += 1
                return index.highlighted($0, $1)
            },
            match: {
                searches += 1
                return index.matches($0)
            }
        )
        #expect(picker.frame.lines[0].text.hasSuffix("10000/10000"))
        let keys: [Keystroke] = [
            .character("s"), .character("i"), .backspace, .down, .pageDown, .end, .backspace,
            .character("7"), .home,
        ]
        for key in keys {
            (searches, marks) = (0, 0)
            let query = picker.frame.lines[0]
            _ = picker.handle(key)
            marks = 0
            let isSearched = picker.frame.lines[0] != query
            #expect(searches == (isSearched ? 1 : 0), "\(key)")
            #expect(marks == 22, "\(key)")
        }
    }

    /// The picker of before had all matches with all their marks.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the screen is the same as if every match had been marked`(seed: UInt64) {
        var generator = SystemRandomNumberGeneratorOfSeed(state: seed)
        let words = ["Bank", "mail", "Straße", "日本", "GitHub", "anna", "e\u{301}cole", "x", ""]
        let titles = (0..<60).map { _ in
            (0...2).map { _ in words[Int.random(in: words.indices, using: &generator)] }
                .joined(separator: " ")
        }
        let (index, whole) = Self.index(titles)
        func all(_ query: String) -> [PickMatch] {
            whole.search(query).map { match in
                let title = titles[match.candidate]
                let ranges = whole.titleRanges(of: match.candidate, query: query).map { range in
                    title.distance(
                        from: title.startIndex,
                        to: range.lowerBound
                    )..<title.distance(
                        from: title.startIndex,
                        to: range.upperBound
                    )
                }
                return PickMatch(id: "\(match.candidate)", titleRanges: ranges)
            }
        }
        var before = Picker(entries: index.entries, rows: 12, columns: 60, seconds: 0, match: all)
        var now = Picker(
            entries: index.entries,
            rows: 12,
            columns: 60,
            seconds: 0,
            highlight: index.highlighted,
            match: index.matches
        )
        let letters: [Character] = [
            "b", "a", "n", "k", " ", "m", "i", "l", "s", "t", "e", "日", "é",
        ]
        for _ in 0..<200 {
            let key: Keystroke =
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: .backspace
                case 1: .down
                case 2: .control("u")
                default: .character(letters[Int.random(in: letters.indices, using: &generator)])
                }
            #expect(before.handle(key) == now.handle(key))
            #expect(before.frame == now.frame, "\(key)")
        }
    }
}
