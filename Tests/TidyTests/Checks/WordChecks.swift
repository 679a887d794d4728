/// Phrases that make a sentence a riddle, in comments, test names, messages and documents.
enum WordChecks {
    /// Each phrase with its plain replacement.
    static let riddles: [(phrase: String, instead: String)] = [
        ("anew", "again"), ("as it stands", "unchanged"), ("as they stand", "unchanged"),
        ("goes without saying", "leave it out"), ("hold sync", "pause sync"),
        ("holds sync", "pauses sync"), ("is stretched", "key derivation"), ("lest", "so that not"),
        ("put aside", "quarantined"), ("set aside", "quarantined"), ("sets aside", "quarantines"),
        ("stretching", "key derivation"), ("sync is held", "sync is paused"),
        ("tell of", "report"), ("telling of", "reporting"), ("tells of", "reports"),
        ("that are none", "that are not"), ("that is none", "that is not"),
        ("the very", "the same"), ("told of", "reported"),
        ("what became of", "the result of"), ("what came of", "the result of"),
        ("what comes of", "the result of"), ("whatever came of", "any result of"),
    ]
    /// A sentence that begins so has no subject.
    static let beginnings: Set<Substring> = ["Whoever", "Whose"]

    /// Folders whose text is not yet plain; the list only gets shorter.
    static let notYet = [
        "Client/KeychainTool/", "Sources/Agent/", "Sources/Daemon/", "Sources/Keychain/",
        "Sources/KeychainFiles/", "Sources/SecItem/", "Sources/Sealing/", "Sources/Security/",
        "Tests/AgentTests/", "Tests/DaemonTests/",
        "Tests/KeychainFilesTests/", "Tests/KeychainTests/", "Tests/SealingTests/",
        "Tests/SecItemTests/", "Tests/SecurityTests/",
        // These name what they look for.
        "Tests/TidyTests/",
    ]

    static func riddles(_ file: SourceFile) -> [Finding] {
        // The table of words names them.
        guard file.isSwift || file.isMarkdown, !file.isGenerated, file.path != "CONTRIBUTING.md",
            !notYet.contains(where: file.path.hasPrefix)
        else { return [] }
        var isInBlock = false
        return file.lines.enumerated().compactMap { index, line in
            if file.isMarkdown, line.hasPrefix("```") { isInBlock.toggle() }
            guard !isInBlock, let message = riddle(in: line) else { return nil }
            return Finding(path: file.path, line: index + 1, message: message)
        }
    }

    private static let phrases: [Substring: [(words: [Substring], message: String)]] = {
        let all = riddles.map { riddle in
            let words = Substring(riddle.phrase).split(separator: " ")
            return (words: words, message: "\"\(riddle.phrase)\": \(riddle.instead)")
        }
        return Dictionary(grouping: all) { $0.words[0] }
    }()

    private static func riddle(in line: Substring) -> String? {
        let text = line.lowercased()
        let words = text.split { !$0.isLetter && $0 != "_" }
        let comment = line.drop { $0 == " " }
        let first = comment.drop { !$0.isLetter }.prefix(while: \.isLetter)
        if comment.hasPrefix("//"), beginnings.contains(first) {
            return "a comment that begins with \"\(first)\": name its subject first"
        }
        for index in words.indices {
            let found = phrases[words[index]]?.first { words[index...].starts(with: $0.words) }
            if let found { return found.message }
        }
        return nil
    }
}
