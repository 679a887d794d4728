internal import KSAgent
internal import KSBytes
package import KSDaemon
internal import ArgumentParser
internal import Foundation
internal import KSSyncEngine

struct PassphraseOption: ParsableArguments {
    @Option(
        help: """
            A file with the passphrase; - for standard input. Without it the command asks, or \
            reads the next line of standard input if there is no terminal.
            """
    )
    var passphraseFile: String?

    func read(isNew: Bool) throws(CommandFailure) -> [UInt8] {
        try PromptedSecret.passphrase.read(file: passphraseFile, isNew: isNew)
    }
}

package struct BackupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes the keychain and all key-value stores into a file under a passphrase.",
        discussion: "The backup leaves out items of this device alone (ThisDeviceOnly)."
    )

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @OptionGroup
    var passphrase: PassphraseOption

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        let path = try FileInput.newFilePath(file)
        try home.refuseIfLocked()
        let passphrase = try passphrase.read(isNew: true)
        let answer = try home.call(BackUp(path: path, passphrase: passphrase))
        Console.say(Self.line(items: answer.items, entries: answer.entries))
    }
}

extension BackupCommand {
    package static func line(items: Int, entries: Int) -> String {
        let counts =
            [counted(items, "item")]
            + (entries == 0 ? [] : [counted(entries, "key-value entry", "key-value entries")])
        return "Backed up \(counts.joined(separator: " and "))."
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a backup, an earlier value of an item, or a deleted item.",
        discussion: """
            restore FILE adds what a backup has and this device lacks. restore ITEM VERSION puts \
            an earlier value back on all devices: ITEM is a title, a site, user@site or a code, \
            VERSION a number that history shows, and there may be several. restore ITEM makes a \
            deleted item again. Nothing is lost by any of them: the present values go to the \
            history, but for attributes that only programs set, which have none.

            Of a backup, an item that both have is joined: earlier passwords go to the history, \
            concurrent changes stay side by side, and a counter counts nothing twice. A second \
            restore therefore changes nothing, and a restore before a login does the same as one \
            after it. An item of this device alone keeps its newer version. The command restores \
            what the account has deleted since the backup only if you want it: it asks on a \
            terminal; otherwise the exit status is 1.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A file that sync-client backup wrote, or an item and the versions to put back.",
            valueName: "file-or-item"
        )
    )
    var words: [String]

    @Flag(name: .customLong("file"), help: "Take the word as the name of a file.")
    var isFile = false

    @Flag(name: .customLong("item"), help: "Take the first word as the name of an item.")
    var isItem = false

    @OptionGroup
    var passphrase: PassphraseOption

    @Flag(
        inversion: .prefixedNo,
        help: "Whether to restore what the account has deleted since the backup, without asking."
    )
    var undelete: Bool?

    @OptionGroup
    var answer: AnswerOptions

    func validate() throws {
        guard !isFile || !isItem else {
            throw ValidationError("Give --file or --item, not both.")
        }
        guard words.count == 1 || !isFile else {
            throw ValidationError("A backup is one file.")
        }
    }

    func run() throws {
        var isAllDecided = true
        try Console.run {
            let restored = ItemRestore(words: words, isItem: isItem, answer: answer)
            guard try !isFile && restored.isMeant() else {
                isAllDecided = try restoreBackup(words[0])
                return
            }
            try restored.restore()
        }
        if !isAllDecided { throw ExitCode(CommandFailure.Exit.other.rawValue) }
    }

    /// - Returns: whether everything was restored, except what the user decided to leave out.
    private func restoreBackup(_ file: String) throws -> Bool {
        let path = try FileInput.absolutePath(file)
        _ = try answer.home.madeHome(expectsOne: true)
        try answer.home.refuseIfLocked()
        let passphrase = try passphrase.read(isNew: false)
        var restore = Restore(path: path, passphrase: passphrase, undeletes: undelete ?? false)
        var restored = try answer.home.call(restore)
        var isAnswered = undelete != nil
        if restored.deleted > 0, !isAnswered, let wants = Self.ask(about: restored.deleted) {
            isAnswered = true
            restore.undeletes = wants
            if wants { restored.addUndeleted(try answer.home.call(restore)) }
        }
        answer.say(RestoreLines.lines(restored), json: restored.agentValue)
        if restored.deleted > 0, !isAnswered {
            Console.warn(RestoreLines.deleted(restored.deleted))
        }
        return restored.notRestored == (isAnswered ? restored.deleted : 0)
    }

    /// Asks on a terminal whether to restore what the account has deleted.
    ///
    /// - Returns: nil if nobody can answer.
    private static func ask(about count: Int) -> Bool? {
        // At the end of the input nobody has answered.
        guard Console.canAsk, let line = try? Console.ask(RestoreLines.question(count) + " [y/N] ")
        else { return nil }
        return YesOrNo(line) == .yes
    }
}

/// The lines that report what a restore did.
package enum RestoreLines {
    package static func lines(_ restored: Restored) -> [String] {
        let items = lines(restored.items, "Items")
        guard restored.entries != RestoreCounts() else { return items }
        return items + lines(restored.entries, "Key-value entries")
    }

    private static func lines(_ counts: RestoreCounts, _ name: String) -> [String] {
        let replaced = counts.replaced > 0 ? ", \(counts.replaced) replaced" : ""
        let line =
            "\(name): \(counts.added) added, \(counts.joined) joined\(replaced),"
            + " \(counts.unchanged) unchanged, \(counts.leftOut.sum) left out"
        let left = counts.leftOut
        let reasons = [
            (left.deleted, "deleted in the account since the backup"),
            (left.newerHere, "newer on this device"),
            (left.tooLarge, "too large together with this device's version"),
            (left.damagedHere, "damaged here: run sync-client doctor, then restore again"),
            (left.refused, "an item that never leaves this device has the same key"),
        ].filter { $0.0 > 0 }
        return [line] + reasons.map { "  \($0.0) left out: \($0.1)" }
    }

    package static func question(_ count: Int) -> String {
        let these = count == 1 ? "it" : "them"
        return "The account has deleted \(countedEntries(count)) since the backup."
            + " Restore \(these) on all devices?"
    }

    package static func deleted(_ count: Int) -> String {
        let these = count == 1 ? "it" : "them"
        return "The account has deleted \(countedEntries(count)) since the backup. To restore"
            + " \(these) on all devices, repeat the command with --undelete."
    }
}
