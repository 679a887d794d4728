internal import KSDaemon
internal import ArgumentParser
internal import KSKeychain

struct PassphraseOption: ParsableArguments {
    @Option(
        help: """
            A file with the passphrase; - for standard input. Without it the command asks, or \
            reads the next line of standard input if there is no terminal.
            """
    )
    var passphraseFile: String?

    func read(isNew: Bool) throws(CommandFailure) -> [UInt8] {
        try TypedSecret.passphrase.read(file: passphraseFile, isNew: isNew)
    }
}

struct BackupCommand: ClientCommand {
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
        let entries = answer.entries == 0 ? "" : " and \(answer.entries) key-value entries"
        Console.say("Backed up \(answer.items) items\(entries).")
    }
}

struct RestoreCommand: ClientCommand {
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

    @OptionGroup
    var passphrase: PassphraseOption

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let path = try FileInput.absolutePath(file)
        _ = try answer.home.madeHome()
        try answer.home.refuseIfLocked()
        let passphrase = try passphrase.read(isNew: false)
        try answer.show(Restore(path: path, passphrase: passphrase)) { Self.lines($0) }
    }

    private static func lines(_ restored: Restored) -> [String] {
        let items = line(restored.items)
        guard restored.entries != RestoreCounts() else { return [items] }
        return [items, "key-value entries: " + line(restored.entries)]
    }

    private static func line(_ counts: RestoreCounts) -> String {
        "added \(counts.added), replaced \(counts.replaced), kept \(counts.kept),"
            + " unchanged \(counts.unchanged)"
    }
}
