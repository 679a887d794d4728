internal import KSRPC
internal import KSDaemon
internal import KSAgent
internal import ArgumentParser

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes the keychain and all key-value stores into a file under a passphrase.",
        discussion: "The backup leaves out items of this device alone (ThisDeviceOnly)."
    )

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @Option(
        help: """
            A file with the passphrase; - for standard input. Without it the command asks, or \
            reads the next line of standard input if there is no terminal.
            """
    )
    var passphraseFile: String?

    @OptionGroup
    var home: HomeOption

    func run() throws {
        try Console.run {
            let path = try FileInput.newFilePath(file)
            let passphrase = try PassphraseInput.read(file: passphraseFile, isNew: true)
            let answer = try home.call(BackUp(path: path, passphrase: passphrase))
            let entries = answer.entries == 0 ? "" : " and \(answer.entries) key-value entries"
            Console.say("Backed up \(answer.items) items\(entries).")
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Adds what is in a backup to this device; of two versions the newer one stays.",
        discussion: """
            A device with an account restores key-value stores after its first sync. A counter is \
            set to the value of the backup where the account has none.
            """
    )

    @Argument(help: "A file that sync-client backup wrote.")
    var file: String

    @Option(
        help: """
            A file with the passphrase; - for standard input. Without it the command asks, or \
            reads the next line of standard input if there is no terminal.
            """
    )
    var passphraseFile: String?

    @OptionGroup
    var home: HomeOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try Console.run {
            let path = try FileInput.absolutePath(file)
            let passphrase = try PassphraseInput.read(file: passphraseFile, isNew: false)
            let counts = try home.call(Restore(path: path, passphrase: passphrase))
            Console.say(try json ? JSONText.text(counts.agentValue) : Self.line(counts))
        }
    }

    static func line(_ counts: Restored) -> String {
        "added \(counts.added), replaced \(counts.replaced), kept \(counts.kept),"
            + " unchanged \(counts.unchanged)" + keyValues(counts.keyValues)
    }

    private static func keyValues(_ counts: RestoredCounts) -> String {
        guard counts != RestoredCounts() else { return "" }
        return "\nkey-value entries: added \(counts.added), replaced \(counts.replaced),"
            + " kept \(counts.kept), unchanged \(counts.unchanged)"
    }
}

/// Reads a backup's passphrase from a file, the terminal or standard input.
enum PassphraseInput {
    private static let noTerminal = CommandFailure.usage(
        "There is no terminal to ask for the passphrase on: give --passphrase-file FILE, or - for"
            + " standard input."
    )

    static func read(file: String?, isNew: Bool) throws(CommandFailure) -> [UInt8] {
        if let file { return try PasswordInput.firstLine(ofFile: file) }
        let prompt = "Passphrase of the backup: "
        guard isNew else { return try PasswordInput.ask(prompt, noTerminal: noTerminal) }
        return try PasswordInput.askNew(prompt, plural: "passphrases", noTerminal: noTerminal)
    }
}
