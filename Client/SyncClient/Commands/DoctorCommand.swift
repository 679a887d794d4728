internal import KSRPC
internal import KSDaemon
internal import KSAgent
internal import ArgumentParser

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks for damage in what this device keeps; shows nothing secret.",
        discussion: """
            It ends with 0 only when nothing is wrong. An item that cannot be read is set aside \
            when something meets it. --restore puts back what can be read again (after a key \
            file came back from a backup, say); --discard gives the rest up. What came from the \
            server and cannot be read is asked for again, and what the server refused is sent again.
            """
    )

    @OptionGroup
    var home: HomeOption

    @Flag(help: "Put back what was set aside and can be read again.")
    var restore = false

    @Flag(help: "Delete for good what cannot be read; with --restore, what still cannot.")
    var discard = false

    @Option(
        help: ArgumentHelp(
            """
            Let your unsent change of an item replace the server's versions of it that cannot be \
            read here, which a newer program might have read.
            """,
            valueName: "item"
        )
    )
    var replace: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        var isWell = true
        try Console.run {
            var arguments: AgentDictionary = [
                "restore": .bool(restore), "discard": .bool(discard),
            ]
            if let replace { arguments["replace"] = .string(replace) }
            let answer = try home.call("doctor", arguments)
            let report = DoctorReport(answer.dictionary ?? [:])
            isWell = report.problems.isEmpty
            guard !json else { return Console.say(JSONText.text(answer)) }
            for line in report.lines { Console.say(line) }
        }
        if !isWell { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }
}

/// What the doctor found, in words.
struct DoctorReport: Equatable {
    private(set) var problems: [String] = []
    private var facts: [String] = []

    init(_ answer: AgentDictionary) {
        func count(_ name: String) -> Int64 { answer[name]?.integer ?? 0 }
        for damage in answer["damages"]?.array ?? [] {
            problems.append("The keychain's file is damaged: \(damage.string ?? "")")
        }
        for file in answer["keyFiles"]?.array ?? [] {
            guard let problem = file.dictionary?["problem"]?.string else { continue }
            problems.append(problem)
        }
        for row in answer["unreadable"]?.array ?? [] {
            problems.append("An item cannot be read: \(Self.name(row.dictionary))")
        }
        for row in answer["quarantinedRows"]?.array ?? [] {
            let row = row.dictionary
            let since = row?["time"]?.date.map { ", since " + JSONText.time($0) } ?? ""
            problems.append("A damaged item was set aside: \(row?["class"]?.string ?? "")\(since)")
        }
        for entry in answer["quarantinedRecords"]?.dictionary?.entries ?? [] {
            let count = entry.value.integer ?? 0
            problems.append("Of the server's records \(count) cannot be opened: \(entry.key)")
        }
        problems += OpenRecordLines.lines(answer)
        for entry in answer["unreadableSync"]?.dictionary?.entries ?? [] {
            let count = entry.value.integer ?? 0
            guard count > 0 else { continue }
            problems.append(
                "Of what sync keeps \(count) cannot be read (\(entry.key)); the next sync mends"
                    + " what it can"
            )
        }
        if let account = answer["account"]?.string { problems.append(account) }
        if let held = answer["held"]?.string { problems.append(held) }
        if answer["replaced"] != nil {
            facts.append("The versions that cannot be read are replaced by the next sync.")
        }
        if answer["restored"] != nil { facts.append("Put back: \(count("restored"))") }
        if answer["discarded"] != nil { facts.append("Deleted for good: \(count("discarded"))") }
        facts.append("Items read: \(count("readable"))")
        if count("locked") > 0 {
            facts.append("Locked, not looked at: \(count("locked")) (run sync-client unlock first)")
        }
        if count("waiting") > 0 {
            facts.append("Received, opened at the next unlock: \(count("waiting"))")
        }
    }

    private static func name(_ row: AgentDictionary?) -> String {
        "\(row?["class"]?.string ?? ""), reference \(row?["reference"]?.string ?? "")"
    }

    var lines: [String] {
        facts + (problems.isEmpty ? ["Nothing is wrong."] : problems)
    }
}
