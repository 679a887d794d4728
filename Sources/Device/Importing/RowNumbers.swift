/// Shows the numbers of rows.
package enum RowNumbers {
    /// Numbers in rising order, as in `2-5, 9`.
    package static func text(_ rows: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for row in rows {
            if let last = ranges.last, row <= last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...max(row, last.upperBound)
            } else {
                ranges.append(row...row)
            }
        }
        return ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ", ")
    }
}
