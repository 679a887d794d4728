package import KSMatching

/// Finds entries by their texts for a ``Picker``.
///
/// A search only ranks: marking the matched letters takes ten times as long, and is done for the
/// rows on the screen alone.
package struct PickIndex {
    package let entries: [PickEntry]
    private let index: MatchIndex

    /// `candidates`: what each entry is found by, in the order of the entries.
    package init(_ entries: [PickEntry], candidates: [MatchCandidate]) {
        precondition(entries.count == candidates.count)
        self.entries = entries
        index = MatchIndex(candidates)
    }

    /// The entries that match, the best first, without the marks of ``highlighted(_:_:)``.
    ///
    /// Those that only resemble the query are left out where others match.
    package func matches(_ query: String) -> [PickMatch] {
        index.search(query).sure.map { PickMatch(id: entries[$0.candidate].id) }
    }

    /// Where a query matches the title of the entry at a place.
    package func highlighted(_ place: Int, _ query: String) -> PickMatch {
        let entry = entries[place]
        let title = entry.title
        let ranges = index.titleRanges(of: place, query: query).map { range in
            let start = title.distance(from: title.startIndex, to: range.lowerBound)
            return start..<(start + title.distance(from: range.lowerBound, to: range.upperBound))
        }
        return PickMatch(id: entry.id, titleRanges: ranges)
    }
}
