internal import KSBytes
package import KSDaemon
internal import ArgumentParser
internal import KSImporting

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the passwords of another program's export, synchronized.",
        discussion: """
            The command reports each row that is not imported, and the rows of each column that \
            is not read; all else is imported. Rows are numbered as in a spreadsheet: the header \
            is row 1. The file has at most \(bytesMax / 1_000_000) MB.

            The exit status is 0 only when every row was imported, or would be with --dry-run.
            """
    )

    /// Fits into one call, with room for its other fields.
    private static let bytesMax = 16_000_000

    @Argument(help: "A file of comma-separated values; - for standard input.")
    var file: String

    @Option(
        help: """
            Whose export it is: chrome, apple, firefox, bitwarden, lastpass, keepassxc, 1password \
            or other; detected if not given.
            """
    )
    var format: ImportFormat?

    @Flag(help: "Import nothing, but report what an import would.")
    var dryRun = false

    @OptionGroup
    var answer: AnswerOptions

    func run() throws {
        var areAllImported = true
        try Console.run {
            let call = ImportPasswords(
                file: try FileInput.read(file, bytesMax: Self.bytesMax),
                format: format?.rawValue,
                dryRun: dryRun
            )
            if !dryRun { _ = try answer.home.madeHome(expectsOne: true) }
            let counts = try answer.show(call) { counts in
                for finding in counts.findings { Console.warn(finding.sentence) }
                for remark in counts.remarks { Console.warn(ImportLines.sentence(remark)) }
                return ImportLines.lines(counts)
            }
            areAllImported = counts.refusedRows == 0
        }
        if !areAllImported { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }
}

/// The lines that report what an import did.
package enum ImportLines {
    package static func lines(_ counts: ImportedPasswords) -> [String] {
        // Without an account there is no history; the affected rows are listed.
        let hasHistory = counts.withoutHistory == 0
        var lines = [
            layout(counts),
            "\(counted(counts.rows, "row")), \(counted(counts.items, "item")):"
                + " \(counts.added) \(counts.dryRun ? "would be added" : "added"),"
                + " \(counts.unchanged) \(counts.unchanged == 1 ? "was" : "were") there already.",
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
        if counts.oneTimeCodes > 0 {
            let isOne = counts.oneTimeCodes == 1
            lines.append(
                "\(counted(counts.oneTimeCodes, "one-time code")) \(isOne ? "is" : "are") in a"
                    + " field of \(isOne ? "its item" : "their items"): \"keychain totp\"."
            )
        }
        if counts.refusedRows > 0 {
            let were = counts.refusedRows == 1 ? "was" : "were"
            let numbers = RowNumbers.text(counts.refusedRowNumbers)
            lines.append("\(counted(counts.refusedRows, "row")) \(were) not imported: \(numbers).")
        }
        return lines
    }

    /// The detected layout; for an unknown program also the columns that were read.
    private static func layout(_ counts: ImportedPasswords) -> String {
        let separator = counts.separator == "comma" ? "" : ", with \(counts.separator)s"
        let columns = counts.columns.map(\.printable).joined(separator: ", ")
        let isOther = counts.format == ImportFormat.other.rawValue
        let read = isOther ? " Its columns read: \(columns)." : ""
        return "Layout: \(counts.format)\(separator).\(read)"
    }

    /// A remark for the user, as one sentence.
    package static func sentence(_ remark: ImportRemark) -> String {
        let column = "\"\(remark.column)\""
        let further = remark.rowCount - remark.rows.count
        let more = further > 0 ? " and \(further) more" : ""
        let isOne = remark.rowCount == 1
        let rows = "\(isOne ? "row" : "rows") \(RowNumbers.text(remark.rows))\(more)"
        switch ColumnRemark.Reason(rawValue: remark.reason) {
        case .pathLeftOut:
            return "Only scheme, host and port of the column \(column) are imported; "
                + "\(rows) \(isOne ? "has" : "have") more."
        case .httpsAssumed:
            return "The column \(column) has addresses without a scheme, which are taken as https:"
                + " \(rows)."
        case .columnLeftOut, .none:
            return "The column \(column) is not imported; it is filled in \(rows)."
        }
    }
}

extension ImportFormat: ExpressibleByArgument {}
