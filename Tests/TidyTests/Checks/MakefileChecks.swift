/// The commands that a newcomer and CI rely on.
enum MakefileChecks {
    static let commands = [
        "build", "test", "times", "lint", "format", "check", "imports", "thorough", "demo",
        "check-versions", "try-packages",
        "up", "install", "bench", "docs", "sanitize", "fuzz",
    ]
    /// These build nothing.
    private static let areBare: Set<String> = ["lint", "format", "check"]

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

    /// CI runs the README's commands as they stand, and then what is beyond them.
    ///
    /// It does so at the limit of open files that a user has. `make check` runs the same.
    static func checkRule(_ makefile: SourceFile, ci: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        func found(_ file: SourceFile, _ line: Int, _ message: String) {
            findings.append(Finding(path: file.path, line: line, message: message))
        }
        let steps = ["lint", "demo", "test", "imports"]
        let commands = ci.lines.filter { $0.hasPrefix("make ") || $0.hasPrefix("exec make ") }
        if commands != ["make lint", "make demo", "make test", "exec make imports"] {
            found(ci, 1, "it does not run `lint`, `demo`, `test` and `imports`")
        }
        if !ci.lines.contains("ulimit -Sn 1024") { found(ci, 1, "it allows more open files") }
        let rules = rules(makefile)
        if let check = rules["check"], !check.needs.map(String.init).starts(with: steps) {
            found(makefile, check.line, "`check` does not run what CI runs")
        }
        // Users run release programs, and release builds show faults that debug builds hide.
        for name in ["test", "thorough"] {
            guard let rule = rules[name] else { continue }
            let runs = rule.recipe.filter {
                $0.contains("swift test") || $0.contains("scripts/run-tests")
            }
            if runs.isEmpty || !runs.allSatisfy({ ($0 + " ").contains(" $(RELEASE) ") }) {
                found(makefile, rule.line, "`\(name)` does not run tests of the release build")
            }
        }
        if let rule = rules["imports"], !rule.recipe.contains("scripts/build-checked") {
            found(makefile, rule.line, "`imports` does not check the dependencies")
        }
        return findings
    }

    /// Each suite that asks whether it is thorough is among those that `thorough` runs.
    static func thoroughRule(_ makefile: SourceFile, tests: [SourceFile]) -> [Finding] {
        let line = makefile.lines.first { $0.hasPrefix("MORE :=") } ?? ""
        let filters = line.split { $0 == " " || $0 == "|" }.map(String.init)
        return tests.compactMap { file in
            let parts = file.path.split(separator: "/").map(String.init)
            // The modules stand on floors.
            guard parts.first == "Tests",
                let module = parts.dropFirst().dropLast().first(where: { $0.hasSuffix("Tests") }),
                module != "TidyTests",
                let index = file.lines.firstIndex(where: { $0.contains("isThorough") })
            else { return nil }
            let suite = String(parts[parts.count - 1].dropLast(".swift".count))
            guard !filters.contains(module), !filters.contains(suite) else { return nil }
            return Finding(
                path: file.path,
                line: index + 1,
                message: "`make thorough` does not run this suite"
            )
        }
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
