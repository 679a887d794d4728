/// Finds the word that somebody may have meant.
package enum NearWord {
    /// - Returns: the only word that begins so, else the nearest one with two slips at most.
    package static func find(_ typed: String, in words: [String]) -> String? {
        guard typed.count > 2 else { return nil }
        let longer = words.filter { $0.hasPrefix(typed) }
        guard longer.count != 1 else { return longer[0] }
        let near = words.map { (word: $0, slips: slips(Array(typed.utf8), Array($0.utf8))) }
            .min { $0.slips < $1.slips }
        guard let near, near.slips <= min(2, (typed.count - 1) / 2) else { return nil }
        return near.word
    }

    /// How many characters are missing, too many, others, or changed places with the next one
    /// (Damerau and Levenshtein).
    private static func slips(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (line, byte) in left.enumerated() {
            var next = [line + 1]
            for (column, other) in right.enumerated() {
                var slips = min(row[column] + (byte == other ? 0 : 1), row[column + 1] + 1)
                slips = min(slips, next[column] + 1)
                if line > 0, column > 0, byte == right[column - 1], other == left[line - 1] {
                    slips = min(slips, before[column - 1] + 1)
                }
                next.append(slips)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
