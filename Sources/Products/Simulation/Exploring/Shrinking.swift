/// The shortest part of a list that still fails, found by leaving out ever smaller pieces.
///
/// No single element can be left out of the result. Source: Zeller and Hildebrandt, "Simplifying
/// and Isolating Failure-Inducing Input" (2002), which calls it delta debugging.
///
/// - Parameters:
///   - elements: a list that fails.
///   - fails: whether a part of it does.
/// - Returns: the part, in the same order.
package func shrunk<Element>(
    _ elements: [Element],
    fails: ([Element]) throws -> Bool
) rethrows -> [Element] {
    var left = elements
    var size = max(1, left.count / 2)
    while !left.isEmpty {
        var start = 0
        var isShorter = false
        while start < left.count {
            var rest = left
            rest.removeSubrange(start..<min(start + size, left.count))
            if try fails(rest) {
                left = rest
                isShorter = true
            } else {
                start += size
            }
        }
        if size > 1 {
            size /= 2
        } else if !isShorter {
            break
        }
    }
    return left
}
