internal import KSBytes
internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import KSPrompting
internal import KSSealing

struct AccountOptions: ParsableArguments {
    @Option(help: "The server's pin, as sync-server prints it; may be given several times.")
    var pin: [String] = []

    @Option(help: "A file of certificate authorities (PEM), in place of this machine's.")
    var ca: String?

    @Option(
        help: "This device's name for the account's other devices; by default its host's name.",
        transform: Self.name
    )
    var device: String?

    @Option(
        help: """
            A file with the account's password; - for standard input. Without it the command \
            asks, or reads the next line of standard input if there is no terminal.
            """
    )
    var passwordFile: String?

    @Flag(
        help: """
            Use no passcode, which is the default: anyone with this device's files can open the \
            keychain.
            """
    )
    var noPasscode = false

    @Option(help: "A file with a passcode for this device; - for standard input.")
    var passcodeFile: String?

    @Flag(
        help: """
            Put items that were kept from another account into this one. Without it the command \
            asks, and is refused if there is no terminal.
            """
    )
    var intoOtherAccount = false

    @OptionGroup
    var home: HomeOption

    var deviceName: String { device ?? HostName.short }

    func validate() throws {
        guard passcodeFile == nil || !noPasscode else {
            throw ValidationError("Give --passcode-file or --no-passcode, not both.")
        }
        try Self.checkStandardInput([passwordFile, passcodeFile])
    }

    /// Refuses standard input for more than one of these files.
    static func checkStandardInput(_ files: [String?]) throws {
        guard files.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("Only one file can be -, standard input.")
        }
    }

    /// The name without blanks around it; a blank one is refused before anything is asked.
    static func name(_ typed: String) throws -> String {
        do throws(CommandFailure) {
            return try CheckedAccountForm.name(typed)
        } catch {
            throw ValidationError(error.sentence)
        }
    }

    /// The passcode to set on this device; nil for none.
    func passcode() throws(CommandFailure) -> [UInt8]? {
        guard let passcodeFile else { return nil }
        let passcode = try PromptedSecret.passcode.read(file: passcodeFile, isNew: true)
        // Checked before the server is asked.
        if try home.call(GetLockStatus()).passcode {
            throw CommandFailure(
                code: .passcodeAlreadySet,
                exit: .refused,
                sentence: "This device already has a passcode, which stays: leave --passcode-file"
                    + " out."
            )
        }
        return passcode
    }

    func setPasscode(_ passcode: [UInt8]?) throws(CommandFailure) {
        guard let passcode else { return }
        _ = try home.call(ChangePasscode(new: passcode))
        Console.say("This device has a passcode now.")
    }

    /// The form without its password.
    func form(
        server: String,
        pins: [String],
        account: String
    ) throws(CommandFailure) -> AccountForm {
        var form = AccountForm(
            server: server,
            pins: pins,
            account: account,
            device: deviceName,
            password: []
        )
        if let ca { form.authorityFile = try FileInput.absolutePath(ca) }
        if intoOtherAccount { form.intoOtherAccount = true }
        return form
    }

    /// Joins an account; if items kept from another one would go into it, the user is asked.
    func join(
        _ form: AccountForm,
        _ body: (AccountForm) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        do throws(CommandFailure) {
            return try body(form)
        } catch {
            guard error.code == .keptFromOther, Console.canAsk else { throw error }
            // What follows the colon is for a script.
            Console.note(error.sentence.prefix { $0 != ":" } + ".")
            guard try SetupQuestion.isYes("May they?") else { throw error }
        }
        var form = form
        form.intoOtherAccount = true
        try body(form)
    }

    /// Reads the password into the form, and checks server and pin before it asks for anything.
    ///
    /// `rest`: asks for what else is missing.
    /// - Returns: the passcode to set on the device; nil for none.
    func complete(
        _ form: inout AccountForm,
        isNew: Bool,
        askingFor rest: (inout AccountForm) throws(CommandFailure) -> Void = { _ in }
    ) throws(CommandFailure) -> [UInt8]? {
        let password = PromptedSecret.password
        // A file is read first: a password of the wrong form needs no server, and no home.
        let given = try passwordFile.map { file throws(CommandFailure) in
            try password.read(file: file, isNew: isNew)
        }
        do throws(AgentError) {
            _ = try home.madeHome()
        } catch {
            throw CommandFailure(error)
        }
        let passcode = try passcode()
        let server = CheckServer(form)
        if given == nil {
            // What is typed meanwhile may be the password.
            try HiddenTyping.during { () throws(CommandFailure) in _ = try home.call(server) }
        } else {
            _ = try home.call(server)
        }
        try rest(&form)
        form.password =
            if let given { given } else { try password.read(file: nil, isNew: isNew) }
        return passcode
    }

    /// Runs the first sync after a join; if it fails, the device has joined nevertheless.
    func firstSync() {
        do throws(CommandFailure) {
            let counts = try home.call(SyncNow())
            Console.say(SyncCommand.line(counts))
            DeviceNewsLines.warn(counts.deviceNews)
            if let failure = CommandFailure(openRecordsIn: counts) { throw failure }
        } catch {
            // A paused sync waits for the user; after any other failure it tries again.
            let isPaused = error.code == .circleForked
            Console.warn(error.sentence + (isPaused ? "" : " Sync tries again by itself."))
        }
    }
}

struct SignupCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "signup",
        abstract: "Makes an account, with this device as its first.",
        discussion:
            "The account's password has at least \(CheckedAccountForm.passwordCharactersMin)"
            + " characters. The command shows the Account Key, or writes it to the file of --kit."
    )

    @Option(help: "The server's address, such as https://sync.example.org.")
    var server: String

    @Option(help: "The account's name.", transform: AccountOptions.name)
    var account: String

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
        var form = try form()
        // Makes sure that the kit can be written; an empty file is removed again.
        if let kit { _ = try KitFile(path: kit) }
        let passcode = try options.complete(&form, isNew: true)
        try finish(form, passcode: passcode)
    }

    /// The form without its password.
    func form() throws(CommandFailure) -> AccountForm {
        var form = try options.form(server: server, pins: options.pin, account: account)
        form.invitation = invitation
        return form
    }

    /// Signs up with a complete form.
    func finish(_ form: AccountForm, passcode: [UInt8]?) throws(CommandFailure) {
        // The key is written or shown before the account is made, since every new device needs it.
        try options.join(form) { form throws(CommandFailure) in
            if let kit {
                try signUp(form, kit: kit)
            } else {
                try signUpShowingKey(form)
            }
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
        let contents = KitContents(
            account: self.account,
            server: account.server,
            pins: options.pin,
            accountKey: account.accountKey
        )
        try file.write(contents.text, discardsUnsent: discardsUnsent)
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
        Console.say("Signed up as \(account), with this device as \(options.deviceName).")
    }

    /// Discards the sign-up with this key if it was never sent.
    ///
    /// - Returns: whether it did; then no account can have the key.
    private func discardsUnsent(_ accountKey: String) -> Bool {
        // After an error the sign-up counts as sent.
        (try? options.home.call(DiscardUnsentSignUp(accountKey: accountKey))) ?? false
    }

    /// Whether an account with this key may exist.
    private func mayHave(_ accountKey: String) -> Bool {
        // After an error the account may exist.
        (try? options.home.call(MayHaveAccountKey(accountKey: accountKey))) ?? true
    }
}
