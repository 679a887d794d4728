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
            removed from the account: it shows them and asks; a script needs --yes.
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
            all. What this device can read of it stays, on all devices. What only another device \
            can read is deleted there too, and sync-client deleted has it there for 30 days. What \
            a newer program wrote stays.
            """,
            valueName: "item"
        )
    )
    var drop: String?

    @Flag(help: "Do not ask before --drop.")
    var yes = false

    @OptionGroup
    var answer: AnswerOptions

    func run() throws {
        var exit: CommandFailure.Exit?
        try Console.run {
            if let drop, !yes { try ask(toDrop: drop) }
            let call = Examine(restore: restore, discard: discard, replace: replace, drop: drop)
            exit = DoctorReport(try answer.show(call) { DoctorReport($0).lines }).exit
        }
        if let exit { throw ExitCode(exit.rawValue) }
    }

    /// Shows what would be dropped; returns only if it may be.
    private func ask(toDrop drop: String) throws {
        let found = try answer.home.call(FindDroppable(drop))
        // The call itself says that there is nothing.
        guard !found.isEmpty else { return }
        let what = counted(found.count, "unreadable record")
        guard Console.canAsk else {
            throw CommandFailure.usage(
                "Nobody can answer the question here: give --yes to drop \(what)."
            )
        }
        for record in found { Console.note(DoctorReport.line(record)) }
        if found.contains(where: { $0.readable == nil }) {
            Console.note(
                "Look at your other devices first: what only they can read is deleted there too,"
                    + " and sync-client deleted has it there for 30 days."
            )
        }
        guard try SetupQuestion.isYes("Drop \(what) for all devices?") else {
            throw CommandFailure.refused("Nothing was dropped.")
        }
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
            facts += (found.droppedRecords ?? []).map(Self.line)
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

    /// What happens to a record that is dropped.
    package static func line(_ record: DroppedRecord) -> String {
        let name = "  \(record.item) (\(record.reason)): "
        guard let readable = record.readable else {
            return name + "cannot be read here, and is deleted on all devices"
        }
        return name + "\(readable.printable) can be read here: it stays, and is sent again"
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
