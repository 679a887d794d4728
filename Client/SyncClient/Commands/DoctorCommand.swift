internal import KSBytes
internal import KSDeviceKeys
package import KSDaemon
internal import KSEveryday
internal import KSAgent
internal import ArgumentParser

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks for damage in this device's keychain; prints no secrets.",
        discussion: """
            The exit status is 0 only when nothing is wrong. An item that cannot be read is \
            quarantined when a program looks for it. --restore puts back items that can be read \
            again, for example after a key file was restored; --discard deletes the others. \
            Records that cannot be read are downloaded again, and refused changes are sent again. \
            --drop removes records that nobody can read, such as those of a device that was \
            removed from the account.
            """
    )

    @Flag(help: "Put back quarantined items that can be read again.")
    var restore = false

    @Flag(help: "Delete unreadable items for good; with --restore, those that stay unreadable.")
    var discard = false

    @Option(
        help: ArgumentHelp(
            """
            Let your unsent change of this item replace its versions on the server that cannot be \
            read here. A newer program might be able to read them.
            """,
            valueName: "item"
        )
    )
    var replace: String?

    @Option(
        help: ArgumentHelp(
            """
            Remove the unreadable record with this code from the account, or all of them: type \
            all. Where another device can read it, its item is deleted there too. What a newer \
            program wrote stays.
            """,
            valueName: "item"
        )
    )
    var drop: String?

    @OptionGroup
    var answer: AnswerOptions

    func run() throws {
        var exit: CommandFailure.Exit?
        try Console.run {
            let call = Examine(restore: restore, discard: discard, replace: replace, drop: drop)
            exit = DoctorReport(try answer.show(call) { DoctorReport($0).lines }).exit
        }
        if let exit { throw ExitCode(exit.rawValue) }
    }
}

/// The doctor's findings as sentences.
package struct DoctorReport: Equatable {
    package private(set) var problems: [String] = []
    private var facts: [String] = []
    /// False if items were locked.
    private let isComplete: Bool
    private let isLocked: Bool
    private let isDiskTrouble: Bool

    package init(_ answer: Examination) {
        let found = answer.findings
        isLocked = answer.lock.lock == .beforeFirstUnlock
        isComplete = found.locked == 0 && !isLocked
        isDiskTrouble = found.isDiskTrouble == true
        problems += found.damages.map { "The keychain's file is damaged: \($0)" }
        if let count = found.unreadableEntries {
            problems.append(
                "Entries of key-value stores that cannot be read: \(count) (--discard deletes them)"
            )
        }
        problems += found.keyFiles.compactMap(\.problem)
        problems += found.unreadable.map {
            "An item cannot be read: \($0.class), reference \($0.reference)"
        }
        problems += found.quarantinedRows.map {
            let since = $0.time.moment.iso8601
            return "A damaged item is quarantined: \($0.class), since \(since)"
        }
        problems += found.quarantinedRecords.sorted { $0.key < $1.key }.map {
            "Records of the server that cannot be opened: \($0.value) (\($0.key))"
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
                "Damaged rows of sync: \(count) (\(kind)); the next sync repairs what it can"
            )
        }
        if let account = found.account { problems.append(account) }
        if let paused = answer.sync?.paused { problems.append(paused) }
        if found.replaced != nil {
            facts.append("The versions that cannot be read are replaced by the next sync.")
        }
        if let dropped = found.dropped {
            facts.append("Dropped by the next sync: \(counted(dropped, "unreadable record"))")
        } else if let sync = answer.sync, !sync.quarantinedItems.isEmpty {
            facts.append("--drop removes an unreadable record for all devices: see --help.")
        }
        if let rebuilt = found.rebuiltEntries {
            facts.append("Entries of key-value stores rebuilt from the account: \(rebuilt)")
        }
        if let restored = found.restored { facts.append("Put back: \(restored)") }
        if let discarded = found.discarded { facts.append("Deleted for good: \(discarded)") }
        facts.append("Items read: \(found.readable)")
        if found.locked > 0 {
            facts.append("Locked, not checked: \(found.locked) (run sync-client unlock first)")
        }
        if isLocked {
            facts.append("Not checked (locked): the account (run sync-client unlock first)")
        }
        if let waiting = answer.sync?.waiting, waiting > 0 {
            facts.append("Received, opened at the next unlock: \(waiting)")
        }
    }

    /// How the command ends; nil if all was checked and nothing is wrong.
    package var exit: CommandFailure.Exit? {
        guard problems.isEmpty else { return isDiskTrouble ? .diskTrouble : .other }
        return isLocked ? .tryAgain : nil
    }

    package var lines: [String] {
        guard problems.isEmpty else { return facts + problems }
        return facts + [isComplete ? "Nothing is wrong." : "Nothing is wrong in what was checked."]
    }
}
