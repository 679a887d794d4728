import Foundation
import KSMatching
import KSTestSupport
import Testing

/// What a search finds, and in which order.
struct MatchIndexTests {
    private func titles(_ query: String, in titles: [String]) -> [String] {
        MatchIndex(titles.map { MatchCandidate(title: $0) }).search(query)
            .map { titles[$0.candidate] }
    }

    private func kind(_ query: String, _ title: String) -> Match.Kind? {
        MatchIndex([MatchCandidate(title: title)]).search(query).first?.kind
    }

    @Test
    func `every word matches some text`() {
        let index = MatchIndex([
            MatchCandidate(
                title: "GitHub",
                texts: [MatchText("anna@example.com", weight: 5), MatchText("work", weight: 3)]
            ),
            MatchCandidate(title: "Work mail", texts: [MatchText("anna", weight: 5)]),
        ])
        func found(_ query: String) -> [Int] { index.search(query).map(\.candidate) }
        #expect(found("git work anna") == [0])
        #expect(found("work anna") == [1, 0])
        #expect(found("mail git") == [])
        #expect(found("  mail\t") == [1])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `an index made from another one finds what a fresh one finds`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let words = ["Bank", "mail", "Straße", "日本", "GitHub", "anna", "x", ""]
        func candidate() -> MatchCandidate {
            func text() -> String {
                (0...1).map { _ in words[Int.random(in: words.indices, using: &generator)] }
                    .joined(separator: " ")
            }
            return MatchCandidate(
                title: text(),
                texts: (0...2).map { MatchText(text(), weight: $0 * 3) }
            )
        }
        let old = (0..<30).map { _ in candidate() }
        let oldIndex = MatchIndex(old)
        // About half of the old ones, in another order, between new ones.
        let order = old.indices.shuffled(using: &generator).prefix(15)
        var all: [MatchCandidate] = []
        let index = MatchIndex { index in
            for place in order {
                all += [candidate(), old[place]]
                index.append(all[all.count - 2])
                index.append(place, of: oldIndex)
            }
        }
        let fresh = MatchIndex(all)
        for query in ["", "bank", "strasse", "mail anna", "日", "gthb", "bnak", "x x"] {
            #expect(index.search(query) == fresh.search(query), "\(query)")
        }
    }

    @Test
    func `better matches come first`() {
        let ranked = [
            "Mail", "mail archive", "AirMail", "My mail", "Gmail", "Mega ideal", "Made annual",
        ]
        #expect(titles("mail", in: ranked.reversed()) == Array(ranked.dropLast()))
        #expect(titles("archive mail", in: ranked) == ["mail archive"])
        #expect(kind("mail", "Mail") == .title)
        #expect(kind("my  MAIL", "My mail") == .title)
        #expect(kind("mail", "mail archive") == .words)
        #expect(kind("mail", "Mega ideal") == .letters)
    }

    @Test
    func `the weight of a text counts`() {
        func order(_ first: Int, _ second: Int) -> [Int] {
            MatchIndex([
                MatchCandidate(title: "A", texts: [MatchText("green bank", weight: first)]),
                MatchCandidate(title: "B", texts: [MatchText("green bank", weight: second)]),
            ]).search("bank").map(\.candidate)
        }
        #expect(order(1, 5) == [1, 0])
        #expect(order(5, 1) == [0, 1])
        #expect(order(3, 3) == [0, 1])
        #expect(order(99, 8) == [0, 1])
        #expect(order(-9, 0) == [0, 1])
    }

    @Test
    func `an empty query lists all by title`() {
        #expect(titles(" ", in: ["b", "Ä", "a", "C", "b"]) == ["a", "Ä", "b", "b", "C"])
        #expect(titles("", in: []) == [])
    }

    @Test(arguments: [
        ("BÜCHER", "bucher"), ("Bu\u{308}cher", "bücher"), ("Straße", "STRASSE"), ("Łódź", "lodz"),
        ("Ångström", "angstrom"), ("Ａｐｐｌｅ　ＩＤ", "apple id"), ("ｶﾞｽ", "ガス"), ("Άθήνα", "αθηνα"),
        ("ΟΔΟΣ", "οδος"), ("Ёлка", "елка"), ("Việt Nam", "viet nam"), ("İstanbul", "istanbul"),
        ("Œuvre", "oeuvre"), ("Šéf", "sef"), ("❤️ love", "❤ love"), ("soft\u{AD}ware", "software"),
        ("สวัสดี", "สวัสดี"), ("한국", "한국"), ("日本", "日本"),
    ])
    func `case, marks and width are ignored`(title: String, query: String) {
        #expect(kind(query, title) == .title)
        #expect(kind(title, query) == .title)
    }

    @Test
    func `vowels that are marks in form only are kept`() {
        #expect(kind("กน", "กิน") == .letters)
    }

    /// Foundation folds the same way, but for letters that Unicode does not decompose.
    @Test
    func `letters are folded as Foundation does`() {
        let byHand = Set("æÆœŒøØłŁđĐħĦıŧŦþÞðÐǣǢǽǼǿǾϒϓϔ".unicodeScalars)
        let ranges = [0x41...0x24F, 0x370...0x481, 0x48A...0x52F, 0x1E00...0x1FFF, 0x3041...0x30FF]
        let options: String.CompareOptions = [
            .caseInsensitive, .diacriticInsensitive, .widthInsensitive,
        ]
        var different: [String] = []
        for scalar in ranges.joined().compactMap({ Unicode.Scalar(UInt32($0)) }) {
            guard scalar.properties.isAlphabetic, !byHand.contains(scalar) else { continue }
            let letter = String(Character(scalar))
            let folded = letter.folding(options: options, locale: nil)
            if kind(folded, letter) != .title { different.append("\(letter) \(folded)") }
        }
        #expect(different == [])
    }

    @Test(arguments: [
        ("github", "githbu"), ("github", "gitub"), ("github", "gixthub"), ("github", "gothub"),
        ("github", "iGithub"), ("amazon", "amazom"), ("My amazon", "amazno"),
        ("Yandex", "yandx"), ("почта", "почат"), ("почта", "пачта"), ("почта", "пчта"),
        ("Bücher", "buhcer"), ("mississippi", "missisippi"), ("github", "githubb"),
    ])
    func `one wrong letter is forgiven in words of five`(title: String, query: String) {
        #expect(kind(query, title) != nil)
        #expect((kind(query, title) ?? .title) < .words)
    }

    @Test(arguments: [
        ("mail", "mial"), ("mail", "meil"), ("github", "gtihbu"), ("github", "xxthub"),
        ("github", "githubxx"), ("почта", "пачто"), ("amazon", "zonama"), ("", "abcde"),
    ])
    func `two wrong letters, or one in a short word, are not`(title: String, query: String) {
        #expect(kind(query, title) == nil)
    }

    @Test
    func `typos come last`() {
        let all = ["githbu", "Github", "A github", "Git hub of users", "gitlab"]
        #expect(
            titles("github", in: all) == ["Github", "A github", "Git hub of users", "githbu"]
        )
        #expect(kind("github", "githbu") == .typo)
        #expect(kind("github", "Git hub of users") == .letters)
    }

    @Test(arguments: [
        ("gthb", "GitHub", true), ("fb", "Facebook", true), ("glm", "Google mail", true),
        ("amzn", "Amazon", true), ("ao", "a very long one", false), ("ithb", "GitHub", false),
        ("bf", "Facebook", false), ("пч", "почта", true), ("gg", "Git", false),
    ])
    func `letters in order count from the start of a word, close together`(
        query: String,
        title: String,
        isFound: Bool
    ) {
        #expect(kind(query, title) == (isFound ? .letters : nil))
    }

    /// Random texts over few letters, judged by `String`.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `words are found where String finds them`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func text(_ length: ClosedRange<Int>, _ letters: String) -> String {
            String(
                (0..<Int.random(in: length, using: &random)).compactMap { _ in
                    letters.randomElement(using: &random)
                }
            )
        }
        for _ in 0..<50 {
            let title = text(0...8, "aäb -é")
            let words = [text(1...3, "aäbé"), text(1...2, "ab")]
            let plain = title.folding(options: .diacriticInsensitive, locale: nil)
            let isFound = words.allSatisfy {
                plain.contains($0.folding(options: .diacriticInsensitive, locale: nil))
            }
            let kind = kind(words.joined(separator: " "), title)
            #expect((kind ?? .letters >= .words) == isFound, "\(title) \(words)")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the order does not depend on that of the candidates`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let all = [
            "mail", "Mail", "mail b", "Mail a", "a mail", "b mail", "gmail", "email", "m a i l",
            "mäil", "maxil", "Mail, old", "mailbox",
        ]
        let shuffled = all.shuffled(using: &random)
        #expect(titles("mail", in: shuffled) == titles("mail", in: all))
        #expect(titles("ma", in: shuffled) == titles("ma", in: all))
        #expect(titles("", in: shuffled) == titles("", in: all))
    }

    @Test
    func `a query of very many words is found`() {
        let many = (0..<400).map { "w\($0)" }.joined(separator: " ")
        #expect(kind(many, many) == .title)
        #expect(kind(many, many + " and more") == .words)
    }

    @Test(arguments: [
        ("hub", "GitHub", ["Hub"]), ("git hub", "GitHub", ["GitHub"]),
        ("gb", "GitHub", ["G", "b"]),
        ("lodz", "Łódź x", ["Łódź"]), ("mail a", "Mail A, mail", ["Mail", "A"]),
        ("strase", "Die Straße", []), ("strass", "Die Straße", ["Straß"]),
        ("stras", "Die Straße", ["Straß"]), ("githbu", "My Github", ["Github"]),
        ("cafe", "Un cafe\u{301}!", ["cafe\u{301}"]), ("x", "GitHub", []), ("", "GitHub", []),
        ("日", "本日", ["日"]), ("heart", "❤️heart", ["heart"]),
    ])
    func `the matching parts of a title are known`(query: String, title: String, parts: [String]) {
        let index = MatchIndex([MatchCandidate(title: title)])
        let ranges = index.titleRanges(of: 0, query: query)
        if query != "strase" { #expect(ranges.map { String(title[$0]) } == parts) }
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `any text can be a title and a query`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func text() -> String {
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let code = UInt32.random(in: 0x20...0x2FFF, using: &random)
                Unicode.Scalar(code).map { text.unicodeScalars.append($0) }
            }
            return text
        }
        for _ in 0..<50 {
            let title = text()
            let index = MatchIndex([MatchCandidate(title: title)])
            #expect(index.search(title).count == 1, "\(title.unicodeScalars.map(\.value))")
            let ranges = index.titleRanges(of: 0, query: String(title.prefix(3)))
            #expect(ranges.allSatisfy { $0.upperBound <= title.endIndex })
            _ = index.titleRanges(of: 0, query: text())
        }
    }
}
