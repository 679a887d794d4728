/// Positions of list elements: byte strings, ordered byte by byte.
///
/// A position begins with four bytes that count up or down at the list's ends, so that it stays
/// short there. Further bytes lie between two neighbours. Then come three random bytes, which the
/// elements of one insertion share, so that runs of two devices do not mix. No position ends in 0:
/// there is always room before it.
/// Source: "fractional indexing", as described by Figma (2017) for its lists of layers.
enum ListPosition {
    private static let headBytesCount = 4
    private static let randomBytesCount = 3
    /// The head of the first position of a list.
    private static let middle: UInt64 = 1 << 31

    /// Positions for elements that are inserted together.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - before: the position that they follow; nil at the beginning of the list.
    ///   - after: the position that they precede; nil at the end.
    ///   - random: makes the random bytes.
    /// - Returns: rising positions; nil if nothing lies between the neighbours.
    static func run(
        _ count: Int,
        after before: [UInt8]?,
        before after: [UInt8]?,
        using random: inout some RandomNumberGenerator
    ) -> [[UInt8]]? {
        guard var prefix = prefix(after: before, before: after) else { return nil }
        for _ in 0..<randomBytesCount {
            prefix.append(UInt8.random(in: 1...255, using: &random))
        }
        var digitsCount = 0
        var last = count - 1
        while last > 0 {
            digitsCount += 1
            last /= 255
        }
        return (0..<count).map { prefix + digits(of: $0, count: digitsCount) }
    }

    /// Digits from 1 to 255, since no position ends in 0.
    private static func digits(of index: Int, count: Int) -> [UInt8] {
        var digits = [UInt8](repeating: 0, count: count)
        var index = index
        for place in digits.indices.reversed() {
            digits[place] = UInt8(index % 255 + 1)
            index /= 255
        }
        return digits
    }

    /// Bytes that lie between both neighbours, whatever follows them.
    private static func prefix(after before: [UInt8]?, before after: [UInt8]?) -> [UInt8]? {
        switch (before.map(head), after.map(head)) {
        case (nil, nil): return bytes(middle)
        case (let low?, nil) where low < UInt32.max: return bytes(low + 1)
        case (nil, let high?) where high > 0: return bytes(high - 1)
        case (let low?, let high?) where high > low + 1: return bytes(low + 1)
        default: return digits(after: before ?? [], before: after)
        }
    }

    private static func head(_ position: [UInt8]) -> UInt64 {
        (0..<headBytesCount).reduce(0) { head, index in
            head << 8 | UInt64(index < position.count ? position[index] : 0)
        }
    }

    private static func bytes(_ head: UInt64) -> [UInt8] {
        (0..<headBytesCount).reversed().map { UInt8(truncatingIfNeeded: head >> UInt64(8 * $0)) }
    }

    private static func digits(after before: [UInt8], before after: [UInt8]?) -> [UInt8]? {
        var digits: [UInt8] = []
        var after = after
        while true {
            let index = digits.count
            // Below every digit once the lower neighbour has ended.
            let low = index < before.count ? Int(before[index]) : -1
            guard index < after?.count ?? .max else { return nil }
            let high = after.map { Int($0[index]) } ?? 256
            guard low <= high else { return nil }
            if high - low > 1 {
                digits.append(UInt8((low + high) / 2))
                return digits
            }
            digits.append(UInt8(max(low, 0)))
            // A smaller digit here keeps the position below the upper neighbour, whatever follows.
            if low >= 0, low < high { after = nil }
        }
    }
}
