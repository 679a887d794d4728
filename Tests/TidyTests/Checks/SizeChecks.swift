/// Files, functions and lines small enough to be read.
enum SizeChecks {
    static let fileLinesMax = 400
    static let testFileLinesMax = 600
    static let functionLinesMax = 70
    static let columnsMax = 100

    static func fileLength(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, !file.isGenerated else { return [] }
        let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
        // The package manager reads one file.
        if file.path == "Package.swift" { return [] }
        let most = file.isTest ? testFileLinesMax : fileLinesMax
        guard count > most else { return [] }
        return [Finding(path: file.path, line: most, message: "\(count) lines, more than \(most)")]
    }

    /// Tables and generated text may be wider, and so may the changelog.
    ///
    /// A row of a table cannot be wrapped, nobody reads generated text, and each entry of the
    /// changelog is one line, so that it stays short.
    static func lineLength(_ file: SourceFile) -> [Finding] {
        guard !file.isGenerated, !file.isTable, file.path != "CHANGELOG.md",
            !file.path.hasSuffix(".sha256"), !file.path.hasSuffix(".json")
        else { return [] }
        var isInBlock = false
        return file.lines.enumerated().compactMap { index, line in
            if file.isMarkdown {
                let text = line.drop { $0 == " " }
                if text.hasPrefix("```") { isInBlock.toggle() }
                guard !isInBlock, !text.hasPrefix("|"), !text.hasPrefix("#") else { return nil }
            }
            guard line.utf8.count > columnsMax else { return nil }
            let count = line.count - (file.isMarkdown ? targetColumns(line) : 0)
            guard count > columnsMax else { return nil }
            return Finding(
                path: file.path,
                line: index + 1,
                message: "\(count) columns, more than \(columnsMax)"
            )
        }
    }

    /// The length of the targets of a line's links, which cannot be wrapped.
    private static func targetColumns(_ line: Substring) -> Int {
        var count = 0
        var rest = line
        while let start = rest.firstRange(of: "](") {
            rest = rest[start.upperBound...]
            count += rest.prefix { $0 != ")" }.count
        }
        return count
    }

    /// Counts from the line of `func` or `init` to that of the closing brace.
    static func functionLength(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, !file.isGenerated else { return [] }
        let lines = file.code
        return lines.indices.compactMap { index in
            guard let name = functionName(lines[index]),
                let end = bodyEnd(lines, from: index), end - index + 1 > functionLinesMax
            else { return nil }
            let count = end - index + 1
            return Finding(
                path: file.path,
                line: index + 1,
                message: "\(name) has \(count) lines, more than \(functionLinesMax)"
            )
        }
    }

    private static func functionName(_ line: String) -> String? {
        var words = line.split { $0 == " " || $0 == "(" || $0 == "<" }
        let modifiers: Set<Substring> = [
            "public", "package", "private", "fileprivate", "internal", "static", "class", "final",
            "override", "mutating", "nonisolated", "consuming", "borrowing", "convenience",
            "required", "isolated",
        ]
        while let word = words.first, modifiers.contains(word) || word.hasPrefix("@") {
            words.removeFirst()
        }
        guard let first = words.first else { return nil }
        if ["init", "init?", "deinit"].contains(first) { return String(first) }
        guard first == "func", words.count > 1 else { return nil }
        return String(words[1])
    }

    /// The line of the brace that closes the body, or nil when the declaration has none.
    private static func bodyEnd(_ lines: [String], from start: Int) -> Int? {
        var parentheses = 0
        var braces = 0
        for index in start..<lines.count {
            let startsAnew = index > start && braces == 0 && parentheses == 0
            if startsAnew, !continues(lines[index]) { return nil }
            for byte in lines[index].utf8 {
                switch byte {
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"): parentheses -= 1
                case UInt8(ascii: "{") where parentheses == 0 || braces > 0: braces += 1
                case UInt8(ascii: "}") where braces > 0:
                    braces -= 1
                    if braces == 0 { return index }
                default: break
                }
            }
        }
        return nil
    }

    /// True when a line can only be the rest of a declaration's head.
    private static func continues(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        return ["{", "->", "where ", "throws", "async", "rethrows"].contains { text.hasPrefix($0) }
    }
}
