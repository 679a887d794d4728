/// Forbidden code, and code that needs a reason beside it.
enum CodeChecks {
    static func unsafeSendable(_ file: SourceFile) -> [Finding] {
        guard file.isSwift else { return [] }
        let code = file.code
        let lines = file.lines
        return code.indices.compactMap { index in
            guard code[index].contains("@unchecked Sendable") else { return nil }
            let next = index + 1 < lines.count ? lines[index + 1].drop { $0 == " " } : ""
            guard !next.hasPrefix("// Safety:") else { return nil }
            return Finding(
                path: file.path,
                line: index + 1,
                message: "@unchecked Sendable without `// Safety:` on the next line"
            )
        }
    }

    /// Unfinished work is an issue, not a comment.
    static func unfinishedWork(_ file: SourceFile) -> [Finding] {
        let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        return file.lines.enumerated().compactMap { index, line in
            let found = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            guard let word = words.first(where: { found.contains(Substring($0)) }) else {
                return nil
            }
            return Finding(path: file.path, line: index + 1, message: "\(word) left behind")
        }
    }

    static func force(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, !file.isTest, !file.isGenerated else { return [] }
        return file.code.enumerated().compactMap { index, line in
            let found = ["try!", "as!"].first { word in
                line.split { " (,:=[{".contains($0) }.contains { $0.hasPrefix(word) }
            }
            guard let found else { return nil }
            return Finding(path: file.path, line: index + 1, message: "\(found) outside of tests")
        }
    }

    /// A lost error needs its reason on the same line or in a comment just above.
    static func lostErrors(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, !file.isGenerated else { return [] }
        let lines = file.lines
        return file.code.enumerated().compactMap { index, line in
            // Not the end of `SignedEntry?`.
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "?" }
            guard words.contains("try?") else { return nil }
            let isExplained =
                lines[index].contains("//")
                || index > 0 && lines[index - 1].drop { $0 == " " }.hasPrefix("//")
            guard !isExplained else { return nil }
            return Finding(
                path: file.path,
                line: index + 1,
                message: "try? without a comment that says why losing the error is right"
            )
        }
    }

    /// Paths of one machine do not belong into a project.
    static func machinePaths(_ file: SourceFile) -> [Finding] {
        let starts = ["work", "root", "home", "Users"].map { "/" + $0 + "/" }
        return file.lines.enumerated().compactMap { index, line in
            let isOfMachine = starts.contains { start in
                line.ranges(of: start).contains { range in
                    guard range.lowerBound > line.startIndex else { return true }
                    // Behind a letter it is the middle of a longer path or of an address.
                    let before = line[line.index(before: range.lowerBound)]
                    return !before.isLetter && !before.isNumber && !"._-~}/".contains(before)
                }
            }
            guard isOfMachine else { return nil }
            return Finding(path: file.path, line: index + 1, message: "a path of one machine")
        }
    }
}
