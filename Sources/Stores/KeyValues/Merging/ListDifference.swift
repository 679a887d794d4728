/// The difference between two lists, with few changes.
///
/// Equal values are matched in their order. The longest rising row of matches keeps its place; the
/// other matches are moved. Between two kept elements, a removed value and a new one are one
/// element whose value changed.
struct ListDifference {
    /// The elements of the new list.
    let items: [PlannedElement]

    init(from old: [MergedList.Element], to new: [[UInt8]]) {
        let matches = Self.equalValues(in: old.map(\.value), to: new)
        let matched = Set(matches.compactMap(\.self))
        let kept = Self.longestRisingRow(matches)
        // For each new value the place of the next kept element.
        var ends: [Int] = []
        for index in matches.indices.reversed() {
            ends.append(kept.contains(index) ? matches[index] ?? 0 : ends.last ?? old.count)
        }
        ends.reverse()
        var items: [PlannedElement] = []
        var next = 0
        for (index, match) in matches.enumerated() {
            if let match {
                items.append(kept.contains(index) ? .kept(old[match]) : .moved(old[match]))
                if kept.contains(index) { next = match + 1 }
                continue
            }
            while next < ends[index], matched.contains(next) { next += 1 }
            if next < ends[index] {
                items.append(.changed(old[next], new[index]))
                next += 1
            } else {
                items.append(.new(new[index]))
            }
        }
        self.items = items
    }

    /// The place of the old value that each new one matches; equal ones match in their order.
    private static func equalValues(in old: [[UInt8]], to new: [[UInt8]]) -> [Int?] {
        var places: [[UInt8]: [Int]] = [:]
        for (place, value) in old.enumerated().reversed() {
            places[value, default: []].append(place)
        }
        return new.map { places[$0]?.popLast() }
    }

    /// The place of each old value in the new list; nil for one that is not kept.
    static func matches(from old: [[UInt8]], to new: [[UInt8]]) -> [Int?] {
        let matches = equalValues(in: old, to: new)
        var places = [Int?](repeating: nil, count: old.count)
        for index in longestRisingRow(matches) {
            if let place = matches[index] { places[place] = index }
        }
        return places
    }

    /// The indices of a longest rising row among the numbers.
    ///
    /// Source: Fredman, "On computing the length of longest increasing subsequences" (1975).
    private static func longestRisingRow(_ numbers: [Int?]) -> Set<Int> {
        // The index of the smallest end of a row of each length.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for (index, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let end = numbers[ends[middle]], end < number {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var row: Set<Int> = []
        var index = ends.last
        while let place = index {
            row.insert(place)
            index = previous[place]
        }
        return row
    }
}
