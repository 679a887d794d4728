internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import KSSealing

struct AccountOptions: ParsableArguments {
    @Option(help: "The server's address, such as https://sync.example.org.")
    var server: String

    @Option(help: "The server's pin, as sync-server prints it; may be given several times.")
    var pin: [String] = []

    @Option(help: "A file of certificate authorities (PEM), in place of this machine's.")
    var ca: String?

    @Option(help: "The account's name.", transform: Self.name)
    var account: String

    @Option(
        help: "This device's name, which the account's other devices show.",
        transform: Self.name
    )
    var device: String

    @Option(
        help: """
            A file with the account's password; - for standard input. Without it the command \
            asks, or reads the next line of standard input if there is no terminal.
            """
    )
    var passwordFile: String?

    @Flag(
        help: """
            Use no passcode, which is the default: whoever has this device's files can open the \
            keychain.
            """
    )
    var noPasscode = false

    @Option(help: "A file with a passcode for this device; - for standard input.")
    var passcodeFile: String?

    @OptionGroup
    var home: HomeOption

    func validate() throws {
        guard passcodeFile == nil || !noPasscode else {
            throw ValidationError("Give --passcode-file or --no-passcode, not both.")
        }
        guard passwordFile != "-" || passcodeFile != "-" else {
            throw ValidationError("Only one of the two can come from standard input.")
        }
    }

    /// The name without blanks around it; a blank one is refused before anything is asked.
    private static func name(_ typed: String) throws -> String {
        do throws(CommandFailure) {
            return try JoinRequest.name(typed)
        } catch {
            throw ValidationError(error.sentence)
        }
    }

    /// The passcode that this device is to have; nil for none.
    func passcode() throws(CommandFailure) -> [UInt8]? {
        guard let passcodeFile else { return nil }
        let passcode = try TypedSecret.passcode.read(file: passcodeFile, isNew: true)
        // Checked before the server is asked.
        if try home.call(GetLockStatus()).passcode {
            throw CommandFailure(SealingError.passcodeAlreadySet)
        }
        return passcode
    }

    func setPasscode(_ passcode: [UInt8]?) throws(CommandFailure) {
        guard let passcode else { return }
        _ = try home.call(ChangePasscode(new: passcode))
        Console.say("This device has a passcode now.")
    }

    func form(password: [UInt8]) throws(CommandFailure) -> AccountForm {
        var form = AccountForm(
            server: server,
            pins: pin,
            account: account,
            device: device,
            password: password
        )
        if let ca { form.authorityFile = try FileInput.absolutePath(ca) }
        return form
    }

    /// The first sync of a device that has joined; it has joined even if this sync fails.
    func firstSync() {
        do throws(CommandFailure) {
            let counts = try home.call(SyncNow())
            Console.say(SyncCommand.line(counts))
            if let failure = CommandFailure(openRecordsIn: counts) { throw failure }
        } catch {
            // After a pause the user has to act; whatever else it was, sync tries again.
            let isPaused = error.sentence.hasPrefix(CommandFailure.pausePrefix)
            Console.warn(error.sentence + (isPaused ? "" : " Sync goes on by itself."))
        }
    }
}

struct SignupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "signup",
        abstract: "Makes an account, with this device as its first.",
        discussion: "The account's password has at least \(JoinRequest.passwordCharactersMin)"
            + " characters. The command shows the Account Key, or writes it to the file of --kit."
    )

    @OptionGroup
    var options: AccountOptions

    @Option(help: "Write the Account Key to this file, which must be new or empty.")
    var kit: String?

    @Option(help: "The invitation code, if the server's operator requires one.")
    var invitation: String?

    func perform() throws {
        // The sign-up must be completed even if nobody reads the output any more.
        Console.outliveReaders()
        if kit == nil, Console.isDiscarded { throw Self.keyWouldBeLost }
        let password = try TypedSecret.password.read(file: options.passwordFile, isNew: true)
        _ = try options.home.madeHome()
        let passcode = try options.passcode()
        var form = try options.form(password: password)
        form.invitation = invitation
        // The key is written or shown before the account is made, since every new device needs it.
        if let kit {
            try signUp(form, kit: kit)
        } else {
            try signUpShowingKey(form)
        }
        try options.setPasscode(passcode)
        options.firstSync()
    }

    private static let keyWouldBeLost = CommandFailure.usage(
        "The output is discarded, so the Account Key would be lost: name a file for it with --kit."
    )

    private func signUp(_ form: AccountForm, kit: String) throws(CommandFailure) {
        var file = try KitFile(path: kit)
        let account = try options.home.call(PrepareSignUp(form))
        let text = KitFile.text(
            account: options.account,
            server: account.server,
            accountKey: account.accountKey
        )
        try file.write(text, discardsUnsent: discardsUnsent)
        do {
            try send(form)
        } catch {
            // The sign-up was not sent, or was refused.
            let isVoid = discardsUnsent(account.accountKey) || !mayHave(account.accountKey)
            if isVoid { file.remove() }
            throw error
        }
        // The key itself is not printed: a script's output may be kept in a log.
        Console.say("The Account Key is in \(kit): keep it in a safe place.")
        Console.say("Every new device needs it beside the password; it is shown nowhere else.")
    }

    private func signUpShowingKey(_ form: AccountForm) throws(CommandFailure) {
        let accountKey = try options.home.call(PrepareSignUp(form)).accountKey
        let number = Console.show(
            """
            Account Key: \(accountKey)
            Every new device needs it beside the password, once this one has signed up; it is not \
            shown again.

            """
        )
        if let number {
            throw CommandFailure.diskTrouble(
                "The Account Key cannot be shown (\(AgentError.words(errno: number))), and no"
                    + " account was made: name a file for it with --kit."
            )
        }
        try send(form)
    }

    private func send(_ form: AccountForm) throws(CommandFailure) {
        _ = try options.home.call(SignUp(form))
        Console.say("Signed up as \(options.account), with this device as \(options.device).")
    }

    /// Discards the sign-up with this key if it was never sent.
    ///
    /// - Returns: whether it did; then no account can have the key.
    private func discardsUnsent(_ accountKey: String) -> Bool {
        // After an error it counts as sent.
        (try? options.home.call(DiscardUnsentSignUp(accountKey: accountKey))) ?? false
    }

    /// Whether an account with this key may exist.
    private func mayHave(_ accountKey: String) -> Bool {
        // After an error it may.
        (try? options.home.call(MayHaveAccountKey(accountKey: accountKey))) ?? true
    }
}

struct LoginCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Adds this device to an account, by password and Account Key."
    )

    @OptionGroup
    var options: AccountOptions

    /// With fewer the command warns.
    private static let freeDevicesMin = 10

    @Option(help: "The Account Key, K1-… as the kit has it.")
    var accountKey: String

    @Option(
        help: """
            The name or code of a device to remove from the account first, such as one that was \
            stolen; may be given several times.
            """
    )
    var removeDevice: [String] = []

    func perform() throws {
        // A passcode still has to be set after the first line of output.
        Console.outliveReaders()
        let password = try TypedSecret.password.read(file: options.passwordFile, isNew: false)
        _ = try options.home.madeHome()
        let passcode = try options.passcode()
        var form = try options.form(password: password)
        form.accountKey = accountKey
        form.removedDevices = removeDevice
        let joined = try options.home.call(LogIn(form))
        let name = joined.device
        Console.say("Logged in to \(options.account), with this device as \(name).")
        if name != options.device {
            Console.warn("The account has a device \(options.device) already: this is \(name).")
        }
        if let free = joined.freeDevices, free < Self.freeDevicesMin {
            let more = free == 0 ? "no more" : "only \(free) more"
            Console.warn("The account has room for \(more) logins: each adds a device to it.")
        }
        try options.setPasscode(passcode)
        options.firstSync()
    }
}
