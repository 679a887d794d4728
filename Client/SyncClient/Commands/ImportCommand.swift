internal import KSRPC
internal import KSAgent
internal import ArgumentParser
internal import KSImporting

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the passwords of another program's export, synchronized.",
        discussion: """
            A row that cannot be read is reported by its number, and the others are imported. It \
            is the number that a spreadsheet shows: the header is row 1. The file has at most \
            \(bytesMax / 1_000_000) MB.
            """
    )

    /// What fits into one call, with room for what is around it.
    private static let bytesMax = 16_000_000

    @Argument(help: "A file of comma-separated values; - for standard input.")
    var file: String

    @Option(help: "Whose export it is: chrome, apple, firefox or bitwarden; else it is found out.")
    var format: ImportFormat?

    @Flag(help: "Only say what would happen.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup
    var home: HomeOption

    func run() throws {
        try Console.run {
            var arguments: AgentDictionary = [
                "file": .data(try FileInput.read(file, bytesMax: Self.bytesMax)),
                "dryRun": .bool(dryRun),
            ]
            if let format { arguments["format"] = .string(format.rawValue) }
            let answer = try home.call("import", arguments)
            guard !json else { return Console.say(JSONText.text(answer)) }
            let counts = answer.dictionary ?? [:]
            for finding in counts["findings"]?.array ?? [] {
                Console.warn(finding.dictionary?["sentence"]?.string ?? "")
            }
            for line in Self.lines(counts) { Console.say(line) }
        }
    }

    static func lines(_ counts: AgentDictionary) -> [String] {
        func count(_ name: String) -> Int64 { counts[name]?.integer ?? 0 }
        let isDryRun = counts["dryRun"]?.bool ?? false
        // Without an account there is none; the rows that would need it are named one by one.
        let hasHistory = count("withoutHistory") == 0
        var lines = [
            "\(count("rows")) rows, \(count("items")) items:"
                + " \(count("added")) \(isDryRun ? "would be added" : "added"),"
                + " \(count("unchanged")) were there already."
        ]
        if count("kept") > 0 {
            lines.append(
                "\(count("kept")) were there with another password, which stays the current one"
                    + (hasHistory ? "; the file's is in their history." : ".")
            )
        }
        if count("equalRows") > 0 {
            lines.append("\(count("equalRows")) rows say again what an earlier row says.")
        }
        if hasHistory, count("superseded") > 0 {
            lines.append(
                "\(count("superseded")) further passwords of the same login are in the history."
            )
        }
        if count("refusedRows") > 0 {
            lines.append("\(count("refusedRows")) rows were not imported.")
        }
        return lines
    }
}

extension ImportFormat: ExpressibleByArgument {}
