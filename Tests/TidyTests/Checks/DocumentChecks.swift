/// Documents that stay true.
enum DocumentChecks {
    static let decisionHeadings = ["Status", "Problem", "Options", "Choice", "Consequences"]

    static func decision(_ file: SourceFile) -> [Finding] {
        let name = file.path.split(separator: "/").last ?? ""
        guard file.path.hasPrefix("docs/decisions/"), file.isMarkdown, name != "README.md" else {
            return []
        }
        let headings = file.lines.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
        guard headings != decisionHeadings else { return [] }
        let wanted = decisionHeadings.joined(separator: ", ")
        return [Finding(path: file.path, line: 1, message: "its headings are not \(wanted)")]
    }

    /// Decisions are numbered from 0001 up, without gaps.
    static func decisionNumbers(_ files: [SourceFile]) -> [Finding] {
        let names = files.map(\.path).filter { $0.hasPrefix("docs/decisions/0") }
        return zip(names, 1...).compactMap { path, number in
            let digits = String(number)
            let wanted = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            guard !path.hasPrefix("docs/decisions/\(wanted)-") else { return nil }
            return Finding(path: path, line: 1, message: "its number is not \(wanted)")
        }
    }

    /// Every link to a file of the project has one, with the line that it names.
    static func links(
        _ file: SourceFile,
        paths: Set<String>,
        lineCount: (String) -> Int?
    ) -> [Finding] {
        guard file.isMarkdown else { return [] }
        return targets(file).compactMap { line, link in
            guard !link.contains("://"), !link.hasPrefix("mailto:"), !link.hasPrefix("#") else {
                return nil
            }
            let parts = link.split(separator: "#", maxSplits: 1)
            let path = resolve(String(parts[0]), from: file.path)
            guard paths.contains(path) else {
                return Finding(path: file.path, line: line, message: "no file \(link)")
            }
            guard parts.count == 2, parts[1].hasPrefix("L") else { return nil }
            let numbers = parts[1].split(separator: "-").map { Int($0.dropFirst()) }
            let count = lineCount(path) ?? 0
            guard numbers.allSatisfy({ (1...max(count, 1)).contains($0 ?? 0) }) else {
                return Finding(path: file.path, line: line, message: "no such line: \(link)")
            }
            return nil
        }
    }

    /// A unit of systemd without an `[Install]` cannot be enabled, and does not start at a boot.
    static func units(_ file: SourceFile) -> [Finding] {
        guard file.isMarkdown, let line = file.lines.firstIndex(of: "[Service]") else { return [] }
        let isInstalled = file.lines[line...].prefix { !$0.hasPrefix("```") }.contains("[Install]")
        guard !isInstalled else { return [] }
        return [Finding(path: file.path, line: line + 1, message: "the unit has no [Install]")]
    }

    /// The twelve steps of a write, in their order, each with a link to the code.
    static func walkthrough(_ file: SourceFile) -> [Finding] {
        let steps = file.lines.enumerated().filter { $0.element.first?.isNumber == true }
        let numbers = steps.map { $0.element.prefix { $0.isNumber } }
        guard numbers == (1...12).map({ Substring(String($0)) }) else {
            return [Finding(path: file.path, line: 1, message: "its steps are not 1 to 12")]
        }
        let linked = targets(file).filter { $0.link.contains(".swift") }.map(\.line)
        return steps.compactMap { step in
            // The lines that continue a step are indented.
            let rest = file.lines.dropFirst(step.offset + 1).prefix { $0.hasPrefix(" ") }
            let first = step.offset + 1
            guard !linked.contains(where: (first...first + rest.count).contains) else {
                return nil
            }
            let message = "a step without a link to its code"
            return Finding(path: file.path, line: first, message: message)
        }
    }

    /// Every `make` command in a document is one of the Makefile's.
    static func makeCommands(_ file: SourceFile, makefile: SourceFile) -> [Finding] {
        guard file.isMarkdown else { return [] }
        let known = Set(
            makefile.lines.compactMap { line -> Substring? in
                guard let colon = line.firstIndex(of: ":"), line.first?.isLetter == true,
                    line[colon...].dropFirst().first != "="
                else { return nil }
                return line[..<colon]
            }
        )
        return commandTexts(file).flatMap { line, text -> [Finding] in
            let words = text.split(separator: " ")
            guard words.first == "make" else { return [] }
            return words.dropFirst().prefix { $0.allSatisfy { $0.isLetter || $0 == "-" } }
                .filter { !known.contains($0) }
                .map { Finding(path: file.path, line: line, message: "make has no `\($0)`") }
        }
    }

    /// Code spans, and the lines of code blocks.
    private static func commandTexts(_ file: SourceFile) -> [(line: Int, text: Substring)] {
        var isInBlock = false
        var found: [(line: Int, text: Substring)] = []
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") {
                isInBlock.toggle()
            } else if isInBlock {
                found.append((index + 1, line.prefix { $0 != "#" }))
            } else {
                let spans = line.split(separator: "`", omittingEmptySubsequences: false)
                for span in stride(from: 1, to: spans.count, by: 2) {
                    found.append((index + 1, spans[span]))
                }
            }
        }
        return found
    }

    /// The targets of `[text](target)`, outside of code.
    private static func targets(_ file: SourceFile) -> [(line: Int, link: String)] {
        var isInBlock = false
        var found: [(line: Int, link: String)] = []
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") { isInBlock.toggle() }
            guard !isInBlock else { continue }
            var rest = line
            while let start = rest.firstRange(of: "](") {
                rest = rest[start.upperBound...]
                let link = rest.prefix { $0 != ")" && $0 != " " }
                if !link.isEmpty { found.append((index + 1, String(link))) }
            }
        }
        return found
    }

    /// A link's path from the root of the project.
    private static func resolve(_ link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
