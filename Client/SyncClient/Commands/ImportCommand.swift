package import KSDaemon
internal import ArgumentParser
internal import KSImporting

struct ImportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the passwords of another program's export, synchronized.",
        discussion: """
            A row that cannot be read is reported by its number, and the others are imported. It \
            is the number that a spreadsheet shows: the header is row 1. The file has at most \
            \(bytesMax / 1_000_000) MB.
            """
    )

    /// What fits into one call, with room for its other fields.
    private static let bytesMax = 16_000_000

    @Argument(help: "A file of comma-separated values; - for standard input.")
    var file: String

    @Option(help: "Whose export it is: chrome, apple, firefox or bitwarden; detected if not given.")
    var format: ImportFormat?

    @Flag(help: "Only report what would be imported.")
    var dryRun = false

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let call = ImportPasswords(
            file: try FileInput.read(file, bytesMax: Self.bytesMax),
            format: format?.rawValue,
            dryRun: dryRun
        )
        if !dryRun { _ = try answer.home.madeHome() }
        try answer.show(call) { counts in
            for finding in counts.findings { Console.warn(finding.sentence) }
            return ImportLines.lines(counts)
        }
    }
}

/// The lines that report what an import did.
package enum ImportLines {
    package static func lines(_ counts: ImportedPasswords) -> [String] {
        // Without an account there is no history; the affected rows are listed.
        let hasHistory = counts.withoutHistory == 0
        var lines = [
            "\(counted(counts.rows, "row")), \(counted(counts.items, "item")):"
                + " \(counts.added) \(counts.dryRun ? "would be added" : "added"),"
                + " \(counts.unchanged) \(counts.unchanged == 1 ? "was" : "were") there already."
        ]
        if counts.kept > 0 {
            lines.append(
                "\(counts.kept) \(counts.kept == 1 ? "exists" : "exist") with another password,"
                    + " which stays the current one"
                    + (hasHistory ? "; the file's is in their history." : ".")
            )
        }
        if counts.equalRows > 0 {
            let repeats = counts.equalRows == 1 ? "repeats" : "repeat"
            lines.append("\(counted(counts.equalRows, "row")) \(repeats) an earlier row.")
        }
        if hasHistory, counts.superseded > 0 {
            let isOne = counts.superseded == 1
            lines.append(
                counted(counts.superseded, "further password")
                    + " of the same login \(isOne ? "is" : "are") in the history."
            )
        }
        if counts.refusedRows > 0 {
            let were = counts.refusedRows == 1 ? "was" : "were"
            lines.append("\(counted(counts.refusedRows, "row")) \(were) not imported.")
        }
        return lines
    }
}

extension ImportFormat: ExpressibleByArgument {}
