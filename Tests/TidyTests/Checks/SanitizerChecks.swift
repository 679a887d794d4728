/// The code that the sanitizers leave out.
enum SanitizerChecks {
    static let suppressions = "Tests/ThreadSanitizer.suppressions"

    /// The thread sanitizer does not see the lock of a `Mutex`, so each file with one is named.
    static func mutexes(_ suppressions: SourceFile, _ files: [SourceFile]) -> [Finding] {
        let named = Set(suppressions.lines.map(String.init))
        return files.compactMap { file in
            let line = file.lines.firstIndex { $0.contains("Mutex<") || $0.contains("Mutex(") }
            let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
            guard file.isSwift, let line, !named.contains("race:" + name) else { return nil }
            let message = "it has a Mutex, and \(suppressions.path) does not name it"
            return Finding(path: file.path, line: line + 1, message: message)
        }
    }
}
