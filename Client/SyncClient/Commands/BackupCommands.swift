internal import KSDaemon
internal import KSAgent
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

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes the keychain into a file under a passphrase.",
        discussion: "The backup leaves out items of this device alone (ThisDeviceOnly)."
    )

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @OptionGroup
    var passphrase: PassphraseOption

    @OptionGroup
    var home: HomeOption

    func run() throws {
        try Console.run {
            let path = try FileInput.newFilePath(file)
            let passphrase = try passphrase.read(isNew: true)
            let answer = try home.call(BackUp(path: path, passphrase: passphrase))
            Console.say("Backed up \(answer.items) items.")
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Adds the items of a backup to the keychain; of two versions the newer one stays."
    )

    @Argument(help: "A file that sync-client backup wrote.")
    var file: String

    @OptionGroup
    var passphrase: PassphraseOption

    @OptionGroup
    var answer: AnswerOptions

    func run() throws {
        try Console.run {
            let path = try FileInput.absolutePath(file)
            let passphrase = try passphrase.read(isNew: false)
            try answer.show(Restore(path: path, passphrase: passphrase)) { [Self.line($0)] }
        }
    }

    private static func line(_ counts: RestoreCounts) -> String {
        "added \(counts.added), replaced \(counts.replaced), kept \(counts.kept),"
            + " unchanged \(counts.unchanged)"
    }
}
