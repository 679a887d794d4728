/// Generated files are committed as their scripts make them, and nobody edits them.
enum GeneratedChecks {
    private static let mark = "DO NOT EDIT: scripts/generate-tables "

    /// A file in a folder for generated ones says in its first line that it is one.
    static func marks(_ file: SourceFile) -> [Finding] {
        guard file.isGenerated, file.lines.first?.hasPrefix("// DO NOT EDIT") != true else {
            return []
        }
        return [Finding(path: file.path, line: 1, message: "it does not begin with DO NOT EDIT")]
    }

    /// Compares what the script makes with the project's files.
    static func differences(made: [SourceFile], committed: [SourceFile]) -> [Finding] {
        let changed = made.compactMap { file -> Finding? in
            guard let known = committed.first(where: { $0.path == file.path }) else {
                return Finding(path: file.path, line: 1, message: "run scripts/generate-tables")
            }
            guard known.text != file.text else { return nil }
            let line = zip(known.lines, file.lines).prefix { $0 == $1 }.count + 1
            return Finding(path: file.path, line: line, message: "run scripts/generate-tables")
        }
        let paths = Set(made.map(\.path))
        let left = committed.filter { file in
            file.lines.first?.contains(mark) == true && !paths.contains(file.path)
        }
        return changed
            + left.map { Finding(path: $0.path, line: 1, message: "no script makes it any more") }
    }
}
