internal import KSMatching
internal import KSPicking
internal import KSScreens

/// What a key of `keychain pick` costs among ten thousand items: the search, and the new screen.
struct PickSpeed {
    private static let runs = 20
    private static let itemCount = 10_000

    func measure() {
        for (names, entries) in [("numbered", numbered), ("worded", worded)] {
            let bare = slowest { _ in
                _ = entries.filter { $0.title.utf8.contains(UInt8(ascii: "7")) }.count
            }
            var picker = picker(entries)
            let ours = slowest { key in
                _ = picker.handle(key)
                _ = picker.frame
            }
            report(
                "slowest key of keychain pick, of \(Self.itemCount) \(names) items",
                milliseconds: ours,
                bareMilliseconds: bare,
                aimMilliseconds: 16
            )
        }
    }

    private var numbered: [PickEntry] {
        (0..<Self.itemCount).map { number in
            entry(number, title: "Site \(number)", site: "www.site\(number).example")
        }
    }

    private var worded: [PickEntry] {
        let words = ["bank", "garden", "silver", "mail", "river", "cloud", "forum", "stone"]
        return (0..<Self.itemCount).map { number in
            let (first, second) = (words[number % 8], words[number / 8 % 8])
            return entry(number, title: "\(first) \(second) \(number)", site: "\(second).example")
        }
    }

    private func entry(_ number: Int, title: String, site: String) -> PickEntry {
        PickEntry(
            id: "\(number)",
            title: title,
            subtitle: "user\(number)@mail.example",
            site: site
        )
    }

    private func picker(_ entries: [PickEntry]) -> Picker {
        let candidates = entries.map { entry in
            MatchCandidate(
                title: entry.title,
                texts: [MatchText(entry.site, weight: 6), MatchText(entry.subtitle, weight: 5)]
            )
        }
        let index = PickIndex(entries, candidates: candidates)
        return Picker(
            entries: entries,
            rows: 50,
            columns: 120,
            seconds: 0,
            highlight: index.highlighted,
            match: index.matches
        )
    }

    /// The milliseconds of the slowest key, each the median of its runs.
    private func slowest(_ body: (Keystroke) -> Void) -> Double {
        let keys: [Keystroke] =
            "site 77".map { .character($0) } + [.control("u")]
            + "gardem".map { .character($0) } + [.control("u")]
        let clock = ContinuousClock()
        var times = [[Double]](repeating: [], count: keys.count)
        for _ in 0..<Self.runs {
            for (place, key) in keys.enumerated() {
                times[place].append(clock.measure { body(key) } / .milliseconds(1))
            }
        }
        return times.map { $0.sorted()[Self.runs / 2] }.max() ?? 0
    }
}
