import KSDigests

/// A migration that has been shipped is never edited: databases out there have run it.
///
/// Until the first tag none has, and an edit brings its new hash.
enum MigrationChecks {
    /// The list is in the form of `sha256sum`, so that it can be checked without this test.
    static let listPath = "Tests/TidyTests/Migrations.sha256"

    static func hashes(_ files: [SourceFile], list: SourceFile) -> [Finding] {
        let listed = Set(list.lines.filter { !$0.isEmpty }.map(String.init))
        let actual = files.filter { $0.path.contains("/Migrations/") && $0.path.hasSuffix(".sql") }
            .map { file in
                let digest = SHA256.hash(Array(file.text.utf8))
                return digest.map(hexadecimal).joined() + "  " + file.path
            }
        let unknown = actual.filter { !listed.contains($0) }.map { "not in the list: \($0)" }
        let gone = listed.subtracting(actual).sorted().map { "no longer there: \($0)" }
        return (unknown + gone).map { Finding(path: list.path, line: 1, message: $0) }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
