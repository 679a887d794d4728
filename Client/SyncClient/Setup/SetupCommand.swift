internal import ArgumentParser
internal import KSAgent
internal import KSDaemon
internal import KSDeviceKeys

extension SetupWay: ExpressibleByArgument {}

struct SetupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Asks what a new device needs, and sets it up.",
        discussion: """
            new makes an account as signup does, login adds this device to one, and local uses \
            the keychain on this device alone. Without WAY the command asks. It asks for what the \
            options leave out, and needs a terminal. Nothing is changed before the last answer.
            """
    )

    @Argument(help: "What to set up: new, login or local.")
    var way: SetupWay?

    @Option(help: "The server's address, such as https://sync.example.org.")
    var server: String?

    @Option(help: "The account's name.", transform: AccountOptions.name)
    var account: String?

    @OptionGroup
    var options: AccountOptions

    @Option(help: "The kit: the file that new writes, and that login reads.")
    var kit: String?

    @Option(help: "The invitation code, if the server's operator requires one.")
    var invitation: String?

    func perform() throws {
        guard Console.canAsk else { throw Self.noTerminal }
        try refuseIfSetUp()
        Console.outliveReaders()
        InterruptNote.begin()
        var dialog = SetupDialog(
            options: options,
            server: server,
            account: account,
            kit: kit.map(SetupQuestion.path),
            invitation: invitation
        )
        var given = way
        while true {
            let way = try given ?? SetupQuestion.ask(nil, SetupWay.question, SetupWay.init(answer:))
            do throws(CommandFailure) {
                try Self.setUp(way, &dialog)
                let lines = way.nextCommands(kit: dialog.kit, home: options.home.home)
                return lines.forEach(Console.say)
            } catch {
                guard error == .wentBack else { throw error }
                // Also what the command line has said may be what was wrong.
                given = nil
                dialog = SetupDialog(options: options)
                InterruptNote.begin()
            }
        }
    }

    private static func setUp(
        _ way: SetupWay,
        _ dialog: inout SetupDialog
    ) throws(CommandFailure) {
        switch way {
        case .new: try dialog.makeAccount()
        case .login: try dialog.logIn()
        case .local: try dialog.stayLocal()
        }
    }

    private static let noTerminal = CommandFailure.usage(
        "setup needs a terminal to ask on: without one use sync-client signup or sync-client login,"
            + " which take everything from options and files."
    )

    /// Refuses a device that has an account, or whose keychain cannot be used now.
    private func refuseIfSetUp() throws(CommandFailure) {
        guard AgentHome.exists(argument: options.home.home) else { return }
        let status = try options.home.call(GetStatus())
        if let sync = status.sync {
            throw .other(
                "This device belongs to the account \(sync.account) already, as \(sync.device):"
                    + " nothing was changed. To join another one, log out first (sync-client"
                    + " logout), or use another --home."
            )
        }
        if let problem = status.standing.problem { throw .other(problem) }
        guard status.lock.lock == .unlocked else { throw .locked }
    }
}
