/// Phrases that make a sentence a riddle, in comments, names of tests, messages and documents.
enum WordChecks {
    /// Each phrase with its plain replacement.
    static let riddles: [(phrase: String, instead: String)] = [
        ("anew", "again"), ("as it stands", "unchanged"), ("as such", "leave it out"),
        ("as they stand", "unchanged"), ("asks for patience", "has too many requests"),
        ("becomes of", "happens to"), ("goes with", "belongs to"),
        ("goes without saying", "leave it out"), ("hold sync", "pause sync"),
        ("holds sync", "pauses sync"), ("how things stand", "the state"),
        ("is stretched", "key derivation"), ("is told", "is reported"), ("lest", "so that not"),
        ("makes no sense", "is invalid"), ("put aside", "quarantined"),
        ("set aside", "quarantined"), ("sets aside", "quarantines"),
        ("stretching", "key derivation"), ("sync is held", "sync is paused"),
        ("tell of", "report"), ("telling of", "reporting"), ("tells of", "reports"),
        ("that are none", "that are not"), ("that is none", "that is not"),
        ("the very", "the same"), ("told apart", "distinguished"), ("told as", "reported as"),
        ("told from", "distinguished from"), ("told of", "reported"), ("told so", "reported"),
        ("what became of", "the result of"), ("what came of", "the result of"),
        ("what comes of", "the result of"), ("what is no", "a value that is not"),
        ("whatever came of", "any result of"), ("who asks", "the caller"),
        ("who runs it", "its operator"),
    ]
    /// A sentence that begins so has no subject.
    static let beginnings: Set<Substring> = ["Whoever", "Whose"]

    /// This folder names what it looks for.
    static let ownFolder = "Tests/TidyTests/"

    static func riddles(_ file: SourceFile) -> [Finding] {
        // The table of words names them.
        guard isWritten(file), file.path != "CONTRIBUTING.md", !file.path.hasPrefix(ownFolder)
        else { return [] }
        let lines = file.lines
        var isInBlock = false
        return lines.indices.compactMap { index in
            if file.isMarkdown, lines[index].hasPrefix("```") { isInBlock.toggle() }
            let next = index + 1 < lines.count ? lines[index + 1] : ""
            guard !isInBlock, let message = riddle(in: lines[index], before: next) else {
                return nil
            }
            return Finding(path: file.path, line: index + 1, message: message)
        }
    }

    /// Code, documents, tables, scripts and the Makefile, but not what scripts make of them.
    private static func isWritten(_ file: SourceFile) -> Bool {
        let name = file.path.split(separator: "/").last ?? ""
        let ending = name.contains(".") ? name.split(separator: ".").last ?? "" : ""
        return !file.isGenerated
            && ["", "md", "proto", "sql", "suppressions", "swift", "table"].contains(ending)
    }

    private static let phrases: [String: [(words: [String], message: String)]] = {
        let all = riddles.map { riddle in
            let words = riddle.phrase.split(separator: " ").map(String.init)
            return (words: words, message: "\"\(riddle.phrase)\": \(riddle.instead)")
        }
        return Dictionary(grouping: all) { $0.words[0] }
    }()

    private static let wordsMax = riddles.map { $0.phrase.split(separator: " ").count }.max() ?? 1

    private static func words(of line: Substring) -> [String] {
        line.lowercased().split { !$0.isLetter && $0 != "_" }.map(String.init)
    }

    /// A phrase may continue on the next line.
    private static func riddle(in line: Substring, before next: Substring) -> String? {
        let own = words(of: line)
        let words = own + words(of: next).prefix(wordsMax - 1)
        let comment = line.drop { $0 == " " }
        let first = comment.drop { !$0.isLetter }.prefix(while: \.isLetter)
        if comment.hasPrefix("//"), beginnings.contains(first) {
            return "a comment that begins with \"\(first)\": name its subject first"
        }
        for index in own.indices {
            let found = phrases[words[index]]?.first { words[index...].starts(with: $0.words) }
            if let found { return found.message }
        }
        return nil
    }
}
