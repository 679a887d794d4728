internal import KSBytes
package import KSDaemon
internal import ArgumentParser
internal import KSImporting
internal import KSMoving

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the entries of another program's export, synchronized.",
        discussion: """
            The file's content says what it is: a table of comma-separated values, JSON of \
            Bitwarden, or what sync-client export has written as keychain-sync.

            Of a table the command reports each row that is not imported, and the rows of each \
            column that is not read; all else is imported. Rows are numbered as in a spreadsheet: \
            the header is row 1. A table has at most \(bytesMax / 1_000_000) MB.

            Of JSON it names each entry and part that is not taken. A file that is imported again \
            changes nothing. Where the file and an item differ, the newer value becomes the \
            current one, by the file's own time, and the other goes to the history; --prefer \
            decides otherwise, and for a table too.

            The exit status is 0 only when all was imported, or would be with --dry-run.
            """
    )

    /// Fits into one call, with room for its other fields.
    private static let bytesMax = 16_000_000
    /// JSON is read here, and sent in pieces.
    private static let jsonBytesMax = 256_000_000

    enum Preference: String, ExpressibleByArgument, CaseIterable {
        case file
        case present
        case newer
    }

    @Argument(help: "The file of the other program; - for standard input.")
    var file: String

    @Option(
        help: """
            Whose export it is: keychain-sync, chrome, apple, firefox, bitwarden, lastpass, \
            keepassxc, 1password or other; detected if not given.
            """
    )
    var format: String?

    @Option(help: "Which value stays where both differ: file, present or newer.")
    var prefer: Preference?

    @Flag(help: "Import nothing, but report what an import would.")
    var dryRun = false

    @OptionGroup
    var answer: AnswerOptions

    func validate() throws {
        let isKnown = format.map {
            ImportFormat(rawValue: $0) != nil || EntryFormat.named($0) != nil
        }
        guard isKnown != false else {
            throw ValidationError("The value '\(format ?? "")' is no format of an export.")
        }
    }

    func run() throws {
        var areAllImported = true
        try Console.run {
            let bytes = try FileInput.read(file, bytesMax: Self.jsonBytesMax)
            guard !EntryFormat.isJSON(bytes), prefer == nil else {
                let entries = EntryImport(bytes, format: format, answer: answer)
                areAllImported = try entries.run(prefer: prefer?.rawValue, dryRun: dryRun)
                return
            }
            areAllImported = try importTable(bytes)
        }
        if !areAllImported { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }

    private func importTable(_ bytes: [UInt8]) throws -> Bool {
        guard bytes.count <= Self.bytesMax else {
            throw CommandFailure.usage(
                "The file \(file) is larger than \(Self.bytesMax) bytes: name another one."
            )
        }
        guard format == nil || ImportFormat(rawValue: format ?? "") != nil else {
            throw CommandFailure(MovingError.otherFormat(format ?? ""))
        }
        let call = ImportPasswords(file: bytes, format: format, dryRun: dryRun)
        if !dryRun { _ = try answer.home.madeHome(expectsOne: true) }
        let counts = try answer.show(call) { counts in
            for finding in counts.findings { Console.warn(finding.sentence) }
            for remark in counts.remarks { Console.warn(ImportLines.sentence(remark)) }
            return ImportLines.lines(counts)
        }
        return counts.refusedRows == 0
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
