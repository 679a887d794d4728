internal import ArgumentParser
internal import KSAgent
internal import KSDaemon
internal import KSRPC

struct AccountServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Shows the account's server and its pins, or changes them.",
        subcommands: [
            ServerShowCommand.self, ServerSetCommand.self, ServerPinCommand.self,
        ],
        defaultSubcommand: ServerShowCommand.self
    )
}

struct ServerShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the server's address, its pins, and when its certificate ends."
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        try answer.show(GetServer(), Self.lines)
    }

    private static func lines(_ shown: ShownServer) -> [String] {
        var lines = ["server       \(shown.server)"]
        for pin in shown.pins {
            lines.append("pin          \(pin)" + (pin == shown.pinInUse ? "  in use" : ""))
        }
        if let file = shown.authorityFile { lines.append("authorities  \(file.printable)") }
        if let end = shown.certificateEnd {
            lines.append("certificate  ends \(JSONText.time(end.secondsSince2001))")
        } else {
            lines.append("certificate  unknown: the server does not answer")
        }
        if let pin = shown.pinInUse, !shown.pins.isEmpty, !shown.pins.contains(pin) {
            lines.append("problem      the key that answers has another pin: \(pin)")
        }
        return lines
    }
}

struct ServerSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Switches to another address, after the account's server has moved.",
        discussion: """
            The server at the new address must know this device; otherwise nothing changes. What \
            it lacks of the account, the devices send it again, as after a restore of a backup. \
            The old server need not answer. Without --pin and --ca the pins stay.
            """
    )

    @Argument(help: "The new address, such as https://sync.example.org.")
    var url: String

    @Option(help: "The server's pin, as sync-server prints it; may be given several times.")
    var pin: [String] = []

    @Option(help: "A file of certificate authorities (PEM), in place of this machine's.")
    var ca: String?

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        let authorities = try ca.map { file throws(CommandFailure) in
            try FileInput.absolutePath(file)
        }
        let change = try home.call(
            SetServer(server: url, pins: pin, authorityFile: authorities)
        )
        Console.say("This device syncs with the server at its new address now.")
        guard !change.isComplete else { return }
        Console.say(
            "That server lacks some of what this device has synced: the devices send it again."
        )
    }
}

struct ServerPinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Adds or removes a pin; the server's key must have one of them.",
        subcommands: [ServerPinAddCommand.self, ServerPinRemoveCommand.self]
    )
}

struct ServerPinAddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a pin, such as that of sync-server next-pin."
    )

    @Argument(help: "The pin: sha256// and 44 characters.")
    var pin: String

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        _ = try home.call(ChangeServerPin(pin: pin, removes: false))
    }
}

struct ServerPinRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a pin, unless it is the only one or the server uses its key."
    )

    @Argument(help: "The pin: sha256// and 44 characters.")
    var pin: String

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        _ = try home.call(ChangeServerPin(pin: pin, removes: true))
    }
}
