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
            let answer = try home.call(
                Examine(restore: restore, discard: discard, replace: replace)
            )
            let report = DoctorReport(answer)
            isWell = report.problems.isEmpty
            guard !json else { return Console.say(try JSONText.text(answer.agentValue)) }
            for line in report.lines { Console.say(line) }
        }
        if !isWell { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }
}

/// What the doctor found, in words.
struct DoctorReport: Equatable {
    private(set) var problems: [String] = []
    private var facts: [String] = []

    init(_ answer: Examination) {
        let found = answer.findings
        problems += found.damages.map { "The keychain's file is damaged: \($0)" }
        problems += found.keyFiles.compactMap(\.problem)
        problems += found.unreadable.map {
            "An item cannot be read: \($0.class), reference \($0.reference)"
        }
        problems += found.quarantinedRows.map {
            let since = JSONText.time($0.time.secondsSince2001)
            return "A damaged item was set aside: \($0.class), since \(since)"
        }
        problems += found.quarantinedRecords.sorted { $0.key < $1.key }.map {
            "Of the server's records \($0.value) cannot be opened: \($0.key)"
        }
        if let sync = answer.sync {
            problems += OpenRecordLines.lines(
                notSent: sync.notSent,
                quarantined: sync.quarantinedItems
            )
        }
        for (kind, count) in (found.unreadableSync ?? [:]).sorted(by: { $0.key < $1.key })
        where count > 0 {
            problems.append(
                "Of what sync keeps \(count) cannot be read (\(kind)); the next sync mends"
                    + " what it can"
            )
        }
        if let account = found.account { problems.append(account) }
        if let held = answer.sync?.held { problems.append(held) }
        if found.replaced != nil {
            facts.append("The versions that cannot be read are replaced by the next sync.")
        }
        if let restored = found.restored { facts.append("Put back: \(restored)") }
        if let discarded = found.discarded { facts.append("Deleted for good: \(discarded)") }
        facts.append("Items read: \(found.readable)")
        if found.locked > 0 {
            facts.append("Locked, not looked at: \(found.locked) (run sync-client unlock first)")
        }
        if let waiting = answer.sync?.waiting, waiting > 0 {
            facts.append("Received, opened at the next unlock: \(waiting)")
        }
    }

    var lines: [String] {
        facts + (problems.isEmpty ? ["Nothing is wrong."] : problems)
    }
}
