internal import ArgumentParser
internal import KSAgent
internal import KSBytes
internal import KSDaemon
internal import KSEveryday

struct AccountServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Shows the account's server and its pins, or changes them.",
        subcommands: [
            ServerShowCommand.self, ServerSetCommand.self, ServerRebuildCommand.self,
            ServerPinCommand.self,
        ],
        defaultSubcommand: ServerShowCommand.self
    )
}

struct ServerShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the server's address, its pins, and when its certificate ends.",
        discussion: """
            If the key that answers has none of the pins, the exit status is 77; if no server \
            answers with a certificate that can be read, it is 69.
            """
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let shown = try answer.show(GetServer(), Self.lines)
        if shown.unknownPin != nil { throw CommandFailure(code: .pinMismatch) }
        if shown.certificateEnd == nil { throw CommandFailure(code: .outOfReach) }
    }

    private static func lines(_ shown: ShownServer) -> [String] {
        var lines = ["server       \(shown.server)"]
        for pin in shown.pins {
            lines.append("pin          \(pin)" + (pin == shown.pinInUse ? "  in use" : ""))
        }
        if let file = shown.authorityFile { lines.append("authorities  \(file.printable)") }
        if let end = shown.certificateEnd {
            lines.append("certificate  ends \(end.moment.iso8601)")
        } else {
            lines.append("certificate  unknown: no server answers with one that can be read")
        }
        if let pin = shown.unknownPin {
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
            The old server need not answer. Without --pin, --no-pin and --ca the pins stay.
            """
    )

    @Argument(help: "The new address, such as https://sync.example.org.")
    var url: String

    @OptionGroup
    var trust: TrustOptions

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        try answer.show(SetServer(server: url, trust: try trust.new)) { change in
            ["This device syncs with the server at its new address now."]
                + (change.isComplete
                    ? []
                    : [
                        "That server lacks some of what this device has synced: the devices send"
                            + " it again."
                    ])
        }
    }
}

struct ServerRebuildCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Makes the account again on a server that has lost it, or on a new one.",
        discussion: """
            The account is made as this device knows it, with the same devices, password and \
            Account Key; then every device sends what it has, and nobody logs in again. It asks \
            first; a script needs --yes. Without an address the server is the present one. On the \
            other devices nothing is to be done, or sync-client server set for a new address.
            """
    )

    @Argument(help: "The server's address, if it is a new one.")
    var url: String?

    @OptionGroup
    var trust: TrustOptions

    @Option(help: "The code of an invitation, if the server asks for one.")
    var invitation: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        var rebuild = RebuildAccount(
            server: url,
            trust: try trust.new,
            invitation: invitation ?? "",
            isCarriedOut: false
        )
        let found = try answer.home.call(rebuild)
        if !yes {
            guard Console.canAsk else {
                throw CommandFailure.usage(
                    "Nobody can answer the question here: give --yes to make the account again."
                )
            }
            let devices = counted(found.devices, "device")
            let isWanted = try SetupQuestion.isYes(
                "\(found.server) does not have this account. Make it there again, with"
                    + " \(devices) and all that they hold?"
            )
            guard isWanted else { return Console.say("Nothing was changed.") }
        }
        rebuild.isCarriedOut = true
        try answer.show(rebuild) { _ in
            ["The account is on the server again; the devices send it what they have."]
        }
    }
}

/// How a device knows that a server is the right one.
struct TrustOptions: ParsableArguments {
    @Option(help: "The server's pin, as sync-server prints it; may be given several times.")
    var pin: [String] = []

    @Flag(help: "Trust certificate authorities again, and no pin.")
    var noPin = false

    @Option(help: "A file of certificate authorities (PEM), in place of this machine's.")
    var ca: String?

    func validate() throws {
        guard pin.isEmpty || !noPin else {
            throw ValidationError("Give --pin or --no-pin, not both.")
        }
    }

    var new: NewTrust {
        get throws(CommandFailure) {
            NewTrust(
                pins: pin,
                authorityFile: try ca.map { file throws(CommandFailure) in
                    try FileInput.absolutePath(file)
                },
                dropsPins: noPin
            )
        }
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
        abstract: "Adds a pin, such as that of sync-server next-pin.",
        discussion: """
            A device without pins trusts certificate authorities; its first pin must be that of \
            the key that the server has now.
            """
    )

    @Argument(help: "The pin: sha256// and 44 characters.")
    var pin: String

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws { try answer.change(ChangeServerPin(pin: pin, removes: false)) }
}

struct ServerPinRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a pin, unless it is the only one or the server uses its key."
    )

    @Argument(help: "The pin: sha256// and 44 characters.")
    var pin: String

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws { try answer.change(ChangeServerPin(pin: pin, removes: true)) }
}

extension AnswerOptions {
    /// Changes a pin; as JSON, the answer is that of `server`.
    fileprivate func change(_ pin: ChangeServerPin) throws {
        _ = try home.call(pin)
        if json { try show(GetServer()) { _ in [] } }
    }
}
