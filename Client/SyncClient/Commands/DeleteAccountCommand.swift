internal import ArgumentParser
internal import KSBytes
internal import KSDaemon

struct DeleteAccountCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-account",
        abstract: "Deletes the account from its server, for all devices.",
        discussion: """
            It needs the account's password, beside this device. This device leaves the account \
            and keeps its items; so do the others, which say that the server does not have the \
            account any more: run sync-client logout --keep-items there. Nothing brings the \
            account back but sync-client server rebuild on a device that has not left it.
            """
    )

    @Flag(help: "Do not ask for the account's name.")
    var yes = false

    @Option(
        help: """
            A file with the account's password; - for standard input. Without it the command \
            asks, or reads the next line of standard input if there is no terminal.
            """
    )
    var passwordFile: String?

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        let account = try home.call(GetStatus()).sync?.account
        guard let account else { throw CommandFailure.noAccount }
        if !yes { try ask(account) }
        let password = try PromptedSecret.password.read(file: passwordFile, isNew: false)
        let left = try home.call(DeleteAccount(password: password))
        Console.say("Deleted the account \(left.account.printable); this device has none now.")
        Console.say("Items and values kept here: \(left.entries).")
    }

    private func ask(_ account: String) throws {
        guard Console.canAsk else {
            throw CommandFailure.usage("Nobody can answer the question here: give --yes.")
        }
        Console.note("This deletes \(account.printable) with all that its server holds.")
        let typed = try Console.ask("Type the account's name: ").trimmedOfBlanks
        guard typed == account else { throw CommandFailure.refused("Nothing was deleted.") }
    }
}
