internal import KSMatching

/// What is wrong with a line that has none of the forms, and what its author may have meant.
struct StorySlip {
    /// The number of the word that is wrong, from 0; that of the words for the end of the line.
    let place: Int
    let message: String

    /// With more alternatives than this, only some are named.
    private static let namedMax = 5
    private static let all = "\"sync-simulate actions\" lists all lines"

    /// - Parameters:
    ///   - tokens: the words of the line.
    ///   - mistakes: how far they fit each form.
    ///   - devices: those that the lines before have named.
    init(_ tokens: [StoryToken], _ mistakes: [StoryForm.Mismatch], _ devices: [String]) {
        let first = tokens[0].text
        let starts = mistakes.compactMap(\.first)
        let isWord = starts.contains(first) && !devices.contains(first)
        // What the forms that fit furthest expect.
        let mistakes = mistakes.filter { !isWord || $0.first == first }
        let furthest = mistakes.map(\.place).max() ?? 0
        // A device may have any name, but no device has this one.
        if furthest > 0, !devices.contains(first), tokens[0].isWord, !isWord,
            let near = NearWord.find(first, in: starts + devices)
        {
            (place, message) = (0, "found \"\(first)\"; did you mean \(near)?")
            return
        }
        place = furthest
        let there = mistakes.filter { $0.place == furthest }
        guard furthest < tokens.count else {
            message = Self.expected(there, found: "the end of the line")
            return
        }
        let found = tokens[furthest]
        let near = NearWord.find(found.text, in: there.flatMap(\.words))
        message =
            if let near, found.isWord, near != found.text {
                "found \"\(found.text)\"; did you mean \(near)?"
            } else {
                Self.expected(there, found: "\"\(found.text)\"")
            }
    }

    private static func expected(_ mistakes: [StoryForm.Mismatch], found: String) -> String {
        var expected: [String] = []
        for mistake in mistakes where !expected.contains(mistake.expected) {
            expected.append(mistake.expected)
        }
        guard expected.count > namedMax else {
            return "expected \(expected.joined(separator: " or ")), found \(found)"
        }
        let some = expected.prefix(3).joined(separator: ", ")
        return "expected a word such as \(some), found \(found); \(all)"
    }
}
