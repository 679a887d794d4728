/// The commands that a newcomer and CI rely on.
enum MakefileChecks {
    static let commands = [
        "build", "test", "times", "lint", "format", "check", "demo", "try-packages", "up",
        "install", "bench", "docs", "sanitize", "fuzz",
    ]
    /// These build nothing.
    private static let areBare: Set<String> = ["lint", "format"]

    /// Every command exists, and those that build first install the system's packages.
    static func commandRule(_ makefile: SourceFile) -> [Finding] {
        let rules = rules(makefile)
        return commands.compactMap { name in
            guard let rule = rules[name] else {
                return Finding(path: makefile.path, line: 1, message: "there is no `\(name)`")
            }
            guard areBare.contains(name) || rule.needs.contains("packages") else {
                return Finding(
                    path: makefile.path,
                    line: rule.line,
                    message: "`\(name)` does not need `packages`"
                )
            }
            return nil
        }
    }

    /// CI runs `check`, which lints, runs all tests that `test` runs, and the demo.
    static func checkRule(_ makefile: SourceFile, ci: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        if ci.lines.last(where: { !$0.isEmpty }) != "exec make check" {
            findings.append(Finding(path: ci.path, line: 1, message: "it does not run `check`"))
        }
        if !ci.lines.contains("ulimit -Sn 1024") {
            findings.append(Finding(path: ci.path, line: 1, message: "it allows more open files"))
        }
        let rules = rules(makefile)
        guard let check = rules["check"], let test = rules["test"] else { return findings }
        // The build before it is a step of its own.
        let tests = test.recipe.filter { $0.hasPrefix("swift test") }
        let run = check.recipe.filter { $0.hasPrefix("swift test") }
        let hasAll =
            check.needs.contains("lint") && check.recipe.contains("scripts/build-checked")
            && check.recipe.contains("scripts/demo") && !tests.isEmpty && run == tests
            // Users run release programs, and release builds show faults that debug builds hide.
            && tests.allSatisfy { $0.contains(" $(RELEASE) ") }
        if !hasAll {
            findings.append(
                Finding(
                    path: makefile.path,
                    line: check.line,
                    message: "`check` is not lint, build, the tests of `test`, and the demo"
                )
            )
        }
        return findings
    }

    private struct Rule {
        let line: Int
        let needs: [Substring]
        var recipe: [String] = []
    }

    private static func rules(_ makefile: SourceFile) -> [String: Rule] {
        var rules: [String: Rule] = [:]
        var name: String?
        for (index, line) in makefile.lines.enumerated() {
            if line.hasPrefix("\t"), let name {
                rules[name]?.recipe.append(String(line.dropFirst()))
            } else if let colon = line.firstIndex(of: ":"), line.first?.isLetter == true,
                line[colon...].dropFirst().first != "="
            {
                let title = String(line[..<colon])
                name = title
                rules[title] = Rule(
                    line: index + 1,
                    needs: line[colon...].dropFirst().split(separator: " ")
                )
            } else {
                name = nil
            }
        }
        return rules
    }
}
