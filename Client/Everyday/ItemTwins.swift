package import KSAgent
internal import KSBytes

/// Items that have one name for people: title, user name and place.
package enum ItemTwins {
    private struct Name: Hashable {
        let title: String
        let userName: String
        let place: String

        init(_ item: ListedItem) {
            (title, userName, place) = (item.title, item.userName, item.place)
        }
    }

    /// What tells each item from the others of its name, in parentheses; empty for an item without
    /// twins.
    ///
    /// Only what differs is said.
    package static func ends(of items: [ListedItem]) -> [String] {
        var ends = [String](repeating: "", count: items.count)
        // Of ten thousand items nearly none has a twin, so names are compared by hash first.
        let hashes = items.map { Name($0).hashValue }
        var seen = Set<Int>(minimumCapacity: items.count)
        let shared = Set(hashes.filter { !seen.insert($0).inserted })
        guard !shared.isEmpty else { return ends }
        let places = items.indices.filter { shared.contains(hashes[$0]) }
        let groups = Dictionary(grouping: places) { Name(items[$0]) }
        for places in groups.values where places.count > 1 {
            let words = differences(of: places.map { items[$0] })
            for (place, words) in zip(places, words) {
                ends[place] = " (\(words.joined(separator: ", ")))"
            }
        }
        return ends
    }

    private static func differences(of twins: [ListedItem]) -> [[String]] {
        var words = [[String]](repeating: [], count: twins.count)
        /// Adds a word to each item that has one, if not all have the same.
        func add(_ texts: [String]) {
            guard Set(texts).count > 1 else { return }
            for (index, text) in texts.enumerated() where !text.isEmpty {
                words[index].append(text)
            }
        }
        func isToldApart() -> Bool { Set(words).count == twins.count }
        add(twins.map { standing(isSynced: $0.isSynced) })
        add(twins.map { $0.site.scheme == "https" ? "" : $0.site.scheme })
        add(twins.map(\.site.path))
        add(twins.map { $0.site.realm.isEmpty ? "" : "realm \($0.site.realm)" })
        // What nearly all sites have is said of the one that has nothing else.
        for (index, twin) in twins.enumerated() where words[index].isEmpty {
            words[index] = [twin.site.scheme.isEmpty ? "no scheme" : twin.site.scheme]
        }
        if !isToldApart() { add(twins.map(\.type)) }
        if !isToldApart() {
            add(twins.map { "changed " + Moment(secondsSince2001: $0.changedSeconds).short })
        }
        // They differ in what only programs set. Their references begin with the class.
        if !isToldApart() {
            add(twins.map { "reference " + String(hexadecimal: $0.reference) })
        }
        return words
    }

    static func standing(isSynced: Bool) -> String {
        isSynced ? "synced" : "on this device only"
    }
}

/// A name with an end that tells an item from its twins: `Mail (synced)`.
struct EndedName: Equatable {
    /// Without the end.
    let name: String
    /// With its space and parentheses.
    let end: String

    /// Nil for a name without an end.
    init?(_ text: String) {
        guard text.hasSuffix(")"), let start = text.ranges(of: " (").last?.lowerBound else {
            return nil
        }
        name = String(text[..<start])
        end = String(text[start...])
        guard !name.isEmpty else { return nil }
    }

    /// Whether the end is the one of items that sync, or of those that do not.
    func isOf(isSynced: Bool) -> Bool { end == " (\(ItemTwins.standing(isSynced: isSynced)))" }

    /// Which of the items, all of which the name may mean, are meant.
    func meant(of items: [ListedItem]) -> [ListedItem] {
        let ends = ItemTwins.ends(of: items)
        return zip(items, ends).filter { item, end in
            end == self.end || isOf(isSynced: item.isSynced)
        }.map(\.0)
    }
}
