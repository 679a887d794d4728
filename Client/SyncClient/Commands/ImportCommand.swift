internal import KSAgent
internal import ArgumentParser
internal import KSDaemon
internal import KSMoving

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the entries of another program's export, synchronized.",
        discussion: """
            The file's content says what it is: a table of comma-separated values of one of many \
            programs, JSON of Bitwarden, also encrypted with a password, a database of KeePass \
            (KDBX) or its XML, 1Password's 1PUX, Proton Pass's ZIP, a CXF file, .netrc, \
            .git-credentials, or what sync-client export has written as keychain-sync. A table of \
            an unknown program is read with --map, a COLUMN=FIELD for each column; the fields are \
            \(fields).

            A folder of pass, such as ~/.password-store, is decrypted by gpg, whose agent asks \
            for the passphrase. The word secret-service in place of a file reads a running Secret \
            Service, such as GNOME's keyring; a locked collection there is named and not read.

            An encrypted file is opened with its password, its key file, or both.

            The command names each entry and part that is not taken. Rows of a table are numbered \
            as in a spreadsheet: the header is row 1. A file that is imported again changes \
            nothing. Where the file and an item differ, the newer value becomes the current one, \
            by the file's own time, and the other goes to the history; --prefer decides otherwise.

            The exit status is 0 only when all was imported, or would be with --dry-run.
            """
    )

    /// The words of `--map`.
    private static let fields = TableRole.words.map(\.word).joined(separator: ", ")
    /// The file is read here, and sent in pieces.
    private static let bytesMax = 256_000_000

    enum Preference: String, ExpressibleByArgument, CaseIterable {
        case file
        case present
        case newer
    }

    @Argument(help: "The file or folder; - for standard input, or secret-service.")
    var file: String

    @Option(
        help: """
            Whose export it is: keychain-sync, bitwarden, kdbx, keepass-xml, 1pux, protonpass-zip, \
            cxf, netrc, git-credentials, pass, \(TableLayout.listed); detected if not given.
            """
    )
    var format: String?

    @Option(help: ArgumentHelp("What a column of a table holds.", valueName: "column=field"))
    var map: [String] = []

    @Option(help: "Which value stays where both differ: file, present or newer.")
    var prefer: Preference?

    @Flag(help: "Import nothing, but report what an import would.")
    var dryRun = false

    @OptionGroup
    var secrets: FilePasswordOptions

    @OptionGroup
    var answer: AnswerOptions

    func validate() throws {
        let isKnown = format.map {
            TableLayout.named($0) != nil || EntryFormat.named($0) != nil
                || ImportSources.formats.contains($0)
        }
        try AccountOptions.checkStandardInput([file, secrets.passwordFile, secrets.keyFile])
        guard isKnown != false else {
            throw ValidationError("The value '\(format ?? "")' is no format of an export.")
        }
        guard map.isEmpty || ColumnMap(map) != nil else {
            throw ValidationError(
                "Each --map is COLUMN=FIELD, once for a column; the fields are \(Self.fields)."
            )
        }
    }

    func run() throws {
        ProcessProtection.forbidMemoryReading()
        var areAllImported = true
        try Console.run {
            var entries = EntryImport(try read(), answer: answer)
            areAllImported = try entries.run(prefer: prefer?.rawValue, dryRun: dryRun)
        }
        if !areAllImported { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }

    private func read() throws -> ReadEntries {
        if let read = try ImportSources.read(file, format: format) { return read }
        let bytes = try FileInput.read(file, bytesMax: Self.bytesMax)
        var source = try secrets.source(bytes, path: file)
        source.map = map.isEmpty ? nil : ColumnMap(map)
        return try EntryImport.read(source, format: format)
    }
}
