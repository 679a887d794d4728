/// By what a person names an item on the command line.
package struct NamedItem: Sendable {
    package let label: String
    /// Hosts or services, such as `github.com`.
    package let sites: [String]
    package let users: [String]

    package init(label: String, sites: [String] = [], users: [String] = []) {
        self.label = label
        self.sites = sites
        self.users = users
    }
}

/// Which items a name stands for.
///
/// The first of these rules by which there is an item decides, so that an item can always be
/// reached by its whole label:
///
/// 1. The label is the name, character by character.
/// 2. The label is the name but for case, marks on letters and width, which the following rules
///    ignore too.
/// 3. A site is the name, or `user@site` is, or a user name is, in this order; all these items
///    count. The `www.` of a site may be missing.
/// 4. Each word of the name is a part of the label, of a site or of a user name; `a@b` also where
///    `a` is a part of a user name and `b` one of a site.
///
/// Letters in order and typos, by which a search finds more, count for nothing here: a secret of
/// the wrong item must not be shown or copied.
package enum NameResolution: Equatable, Sendable {
    case none
    /// The place of the item in the array.
    case one(Int)
    /// At least two places, the likeliest first; equal ones by label.
    case several([Int])

    package init(_ name: String, among items: [NamedItem]) {
        let identical = items.indices.filter { items[$0].label == name }
        let found = identical.isEmpty ? Self.folded(name, items) : identical
        self =
            switch found.count {
            case 0: .none
            case 1: .one(found[0])
            default: .several(found)
            }
    }

    /// Whether a name is only a part of what an item is called.
    package static func isPart(_ name: String, of item: NamedItem) -> Bool {
        var buffer = FoldedText()
        return item.label != name && FoldedName(name)?.hit(item, &buffer)?.rule == .part
    }

    private static func folded(_ name: String, _ items: [NamedItem]) -> [Int] {
        guard let name = FoldedName(name) else { return [] }
        var best = NameHit.Rule.part
        var hits: [(points: Int, label: [UInt8], item: Int)] = []
        var buffer = FoldedText()
        for (index, item) in items.enumerated() {
            guard let hit = name.hit(item, &buffer), hit.rule >= best else { continue }
            if hit.rule > best {
                hits.removeAll()
                best = hit.rule
            }
            hits.append((hit.points, hit.label, index))
        }
        return hits.sorted { left, right in
            if left.points != right.points { return left.points > right.points }
            if left.label != right.label {
                return left.label.lexicographicallyPrecedes(right.label)
            }
            let (own, other) = (items[left.item].label, items[right.item].label)
            return own == other ? left.item < right.item : own < other
        }.map(\.item)
    }
}

/// How a name hits an item: the rule, and the order among the items of one rule.
private struct NameHit {
    enum Rule: Int, Comparable {
        case part, exact, label

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    let rule: Rule
    let points: Int
    /// The folded label.
    let label: [UInt8]
}

/// A name that is folded once.
private struct FoldedName {
    private let bytes: [UInt8]
    private let words: [(whole: QueryWord, user: QueryWord, site: QueryWord)]

    /// Nil for a name of blanks.
    init?(_ name: String) {
        let words = MatchIndex.words(name)
        guard !words.isEmpty else { return nil }
        bytes = Array(words.map(\.bytes).joined(separator: [UInt8(ascii: " ")]))
        self.words = words.map { word in
            // A user name may have an at sign, a site has none.
            let sign = word.bytes.lastIndex(of: UInt8(ascii: "@")) ?? 0
            let (user, site) = (word.bytes[..<sign], word.bytes[sign...].dropFirst())
            return (word, QueryWord(Array(user)), QueryWord(Array(site)))
        }
    }

    func hit(_ item: NamedItem, _ buffer: inout FoldedText) -> NameHit? {
        buffer.removeAll()
        let label = buffer.append(item.label)
        let sites = item.sites.map { buffer.append($0) }
        let users = item.users.map { buffer.append($0) }
        func hit(_ rule: NameHit.Rule, _ points: Int) -> NameHit {
            NameHit(rule: rule, points: points, label: Array(buffer.bytes[label]))
        }
        if buffer.bytes[label] == bytes[...] { return hit(.label, 0) }
        if let points = exactPoints(buffer, sites, users) { return hit(.exact, points) }
        var sum = 0
        for word in words {
            guard let points = partPoints(word, buffer, label, sites, users) else { return nil }
            sum += points
        }
        return hit(.part, sum)
    }

    private func exactPoints(
        _ buffer: FoldedText,
        _ sites: [Range<Int>],
        _ users: [Range<Int>]
    ) -> Int? {
        let name = bytes[...]
        func isSite(_ site: Range<Int>, _ name: ArraySlice<UInt8>) -> Bool {
            Self.withoutWWW(buffer.bytes[site]) == Self.withoutWWW(name)
        }
        if sites.contains(where: { isSite($0, name) }) { return 3 }
        for user in users where name.starts(with: buffer.bytes[user]) {
            let rest = name.dropFirst(user.count)
            if rest.isEmpty { return 1 }
            let site = rest.dropFirst()
            if rest.first == UInt8(ascii: "@"), sites.contains(where: { isSite($0, site) }) {
                return 2
            }
        }
        return nil
    }

    private static func withoutWWW(_ site: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        site.starts(with: "www.".utf8) ? site.dropFirst(4) : site
    }

    /// More for the label than for a site, for a site than for a user name, and for the start of a
    /// text or of a word than for its inside.
    private func partPoints(
        _ word: (whole: QueryWord, user: QueryWord, site: QueryWord),
        _ buffer: FoldedText,
        _ label: Range<Int>,
        _ sites: [Range<Int>],
        _ users: [Range<Int>]
    ) -> Int? {
        func quality(_ word: QueryWord, _ ranges: [Range<Int>]) -> Int? {
            ranges.compactMap { range in
                word.literal(
                    buffer.bytes.span.extracting(range),
                    buffer.starts.span.extracting(range)
                )?.quality.rawValue
            }.max()
        }
        var points = [
            quality(word.whole, [label]).map { 4 * $0 + 3 },
            quality(word.whole, sites).map { 4 * $0 + 2 },
            quality(word.whole, users).map { 4 * $0 + 1 },
        ]
        if let user = quality(word.user, users), let site = quality(word.site, sites) {
            points.append(4 * min(user, site))
        }
        return points.compactMap(\.self).max()
    }
}
