internal import ArgumentParser
internal import KSBytes
internal import KSDaemon
internal import KSSealing

struct LoginCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Adds this device to an account, by password and Account Key.",
        discussion: """
            --kit names the file that the sign-up wrote: it has server, pin, account and Account \
            Key, and an option beside it takes precedence. Without a kit and without an Account \
            Key the command asks for the key.
            """
    )

    @Option(help: "The server's address, such as https://sync.example.org.")
    var server: String?

    @Option(help: "The account's name.", transform: AccountOptions.name)
    var account: String?

    @OptionGroup
    var options: AccountOptions

    @Option(help: "The kit; - for standard input.")
    var kit: String?

    /// The command warns if the account has room for fewer devices.
    private static let freeDevicesMin = 10

    @Option(
        help: """
            The Account Key, K1-… as the kit has it. Other programs can read it as an argument: \
            --kit and --account-key-file keep it from them.
            """
    )
    var accountKey: String?

    @Option(help: "A file with the Account Key; - for standard input.")
    var accountKeyFile: String?

    @Option(
        help: """
            The name or code of a device to remove from the account first, such as one that was \
            stolen; may be given several times. If several devices have the name, give the code.
            """
    )
    var removeDevice: [String] = []

    func validate() throws {
        guard accountKey == nil || accountKeyFile == nil else {
            throw ValidationError("Give --account-key or --account-key-file, not both.")
        }
        for (value, name) in [(server, "server"), (account, "account")]
        where value == nil && kit == nil {
            throw ValidationError("Missing expected argument '--\(name) <\(name)>', or --kit.")
        }
        try AccountOptions.checkStandardInput([
            options.passwordFile, options.passcodeFile, kit, accountKeyFile,
        ])
    }

    func perform() throws {
        // The command must set the passcode even if nobody reads the output any more.
        Console.outliveReaders()
        var form = try form(kit.map(KitContents.init(file:)))
        let passcode = try options.complete(&form, isNew: false) { form throws(CommandFailure) in
            guard form.accountKey == nil else { return }
            form.accountKey = try PromptedSecret.accountKey.read(file: nil)
        }
        try finish(form, passcode: passcode)
    }

    /// Logs in with a complete form.
    func finish(_ form: AccountForm, passcode: [UInt8]?) throws(CommandFailure) {
        var form = form
        form.removedDevices = removeDevice
        try options.join(form) { form throws(CommandFailure) in
            report(try options.home.call(LogIn(form)), asked: form.device)
        }
        try options.setPasscode(passcode)
        options.firstSync()
    }

    private func report(_ joined: JoinedAccount, asked device: String) {
        let name = joined.device
        for line in DeviceLines.removed(joined.removed ?? []) { Console.say(line) }
        Console.say("Logged in to \(joined.account), with this device as \(name).")
        if name != device {
            Console.warn("The account already has a device \(device): this one is \(name).")
        }
        if let free = joined.freeDevices, free < Self.freeDevicesMin {
            let more = free == 0 ? "no more logins" : "only \(counted(free, "more login"))"
            Console.warn("The account has room for \(more): each adds a device to it.")
        }
    }

    /// What the options and the kit say.
    func form(_ kit: KitContents?) throws(CommandFailure) -> AccountForm {
        let server = server ?? kit?.server ?? ""
        var pins = options.pin
        // The kit's pins belong to the kit's server, and --ca replaces them.
        if pins.isEmpty, options.ca == nil, let kit, Self.isSame(server, kit.server) {
            pins = kit.pins
        }
        var form = try options.form(
            server: server,
            pins: pins,
            account: account ?? kit?.account ?? ""
        )
        let key = try accountKeyFile.map { file throws(CommandFailure) in
            try PromptedSecret.accountKey.read(file: file)
        }
        form.accountKey = accountKey ?? key ?? kit?.accountKey
        if let key = form.accountKey { try Self.check(key) }
        return form
    }

    /// Compares an address as it was typed with the one in a kit.
    private static func isSame(_ typed: String, _ server: String) -> Bool {
        let typed = typed.lowercased()
        return typed == server || typed == server + "/"
    }

    /// Refuses what cannot be an Account Key, before the server is asked.
    private static func check(_ text: String) throws(CommandFailure) {
        do throws(SealingError) {
            _ = try AccountKey(parsing: text)
        } catch {
            throw CommandFailure(error)
        }
    }
}
