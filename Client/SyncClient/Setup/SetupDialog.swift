internal import KSAgent
internal import KSDaemon
internal import KSPrompting

/// The questions of `setup` in their order, and what follows from the answers.
///
/// What an option has answered is not asked, and a bad answer loses no other.
struct SetupDialog {
    private var options: AccountOptions
    private var server: String?
    private var account: String?
    private(set) var kit: String?
    private var invitation: String?

    init(
        options: AccountOptions,
        server: String? = nil,
        account: String? = nil,
        kit: String? = nil,
        invitation: String? = nil
    ) {
        (self.options, self.server, self.account) = (options, server, account)
        (self.kit, self.invitation) = (kit, invitation)
    }

    private var home: HomeOption { options.home }

    // MARK: The three ways

    mutating func makeAccount() throws(CommandFailure) {
        try askServer()
        try askNewAccount()
        try askDevice()
        let password = try askPassword(isNew: true)
        Console.note(
            "The kit is a file with the Account Key. Every new device needs it beside the password."
                + "\nNobody can replace it: without kit and devices all that the account holds is"
                + " lost."
        )
        try askKitToWrite(kit)
        let passcode = try askPasscode()
        try repeating { dialog throws(CommandFailure) in
            var command = SignupCommand()
            command.server = dialog.server ?? ""
            command.account = dialog.account ?? ""
            command.options = dialog.options
            command.kit = dialog.kit
            command.invitation = dialog.invitation
            var form = try command.form()
            form.password = password
            try command.finish(form, passcode: passcode)
        } correction: { dialog, failure in
            switch failure {
            // Another device was faster.
            case .nameTaken:
                { dialog throws(CommandFailure) in
                    dialog.account = nil
                    try dialog.askNewAccount()
                }
            case let failure where failure.isAboutInvitation:
                { dialog throws(CommandFailure) in try dialog.askNewAccount() }
            case KitFile.exists(dialog.kit ?? ""):
                { dialog throws(CommandFailure) in try dialog.askKitToWrite(nil) }
            default: nil
            }
        }
    }

    mutating func logIn() throws(CommandFailure) {
        let contents = try askKitToRead()
        var accountKey = contents?.accountKey
        if contents == nil {
            try askServer()
            try askAccount("Name of the account: ")
            accountKey = try SetupQuestion.again { () throws(CommandFailure) in
                try PromptedSecret.accountKey.read(file: nil)
            }
        }
        try askDevice()
        var password = try askPassword(isNew: false)
        let passcode = try askPasscode()
        try repeating { dialog throws(CommandFailure) in
            let command = dialog.loginCommand(accountKey: accountKey)
            var form = try command.form(contents)
            form.password = password
            try command.finish(form, passcode: passcode)
        } correction: { _, failure in
            guard failure == .credentialsRefused else { return nil }
            return { dialog throws(CommandFailure) in
                if contents == nil {
                    let earlier = dialog.account
                    dialog.account = nil
                    try dialog.askAccount("Name of the account", suggestion: earlier)
                }
                dialog.options.passwordFile = nil
                password = try dialog.askPassword(isNew: false)
            }
        }
    }

    mutating func stayLocal() throws(CommandFailure) {
        let passcode = try askPasscode()
        InterruptNote.end()
        do throws(AgentError) {
            _ = try home.madeHome()
        } catch {
            throw CommandFailure(error)
        }
        try options.setPasscode(passcode)
        Console.say("The keychain of this device is ready. It works without an account.")
    }

    private typealias Correction = (inout SetupDialog) throws(CommandFailure) -> Void

    /// Does what all answers were for; if one of them was bad, asks for it, and does it again.
    ///
    /// `correction`: asks again for what the failure is about; nil if no answer would help.
    private mutating func repeating(
        _ body: (SetupDialog) throws(CommandFailure) -> Void,
        correction: (SetupDialog, CommandFailure) -> Correction?
    ) throws(CommandFailure) {
        while true {
            InterruptNote.end()
            do throws(CommandFailure) {
                return try body(self)
            } catch {
                var correct = correction(self, error)
                if error == .nameRefused {
                    correct = { dialog throws(CommandFailure) in
                        dialog.options.device = nil
                        try dialog.askDevice()
                    }
                }
                guard let correct else { throw error }
                InterruptNote.begin()
                Console.warn(error.sentence)
                try correct(&self)
            }
        }
    }

    private func loginCommand(accountKey: String?) -> LoginCommand {
        var command = LoginCommand()
        command.server = server
        command.account = account
        command.options = options
        command.kit = kit
        command.accountKey = accountKey
        command.accountKeyFile = nil
        command.removeDevice = []
        return command
    }

    // MARK: Server and names

    private mutating func askServer(suggestion: String? = nil) throws(CommandFailure) {
        let example = "Server's address, such as https://sync.example.org: "
        let question = suggestion == nil ? example : "Server's address"
        var options = options
        server = try SetupQuestion.ask(
            server,
            question,
            suggestion: suggestion
        ) { address throws(CommandFailure) in
            try Self.check(address, &options)
            return address
        }
        self.options = options
    }

    /// Asks the server for a sign of life; if nobody vouches for its key, the user has to.
    private static func check(
        _ address: String,
        _ options: inout AccountOptions
    ) throws(CommandFailure) {
        Console.note("Asking the server …")
        do throws(CommandFailure) {
            try checkForm(server: address, account: nil, options)
        } catch {
            guard error == .serverSignedByNobody, options.pin.isEmpty, options.ca == nil else {
                throw error
            }
            let home = options.home
            let pin = try HiddenTyping.during { () throws(CommandFailure) in
                try home.call(GetServerPin(server: address)).pin
            }
            try askAbout(pin)
            var pinned = options
            pinned.pin = [pin]
            try checkForm(server: address, account: nil, pinned)
            options = pinned
        }
    }

    /// Returns only if the user says that the server has printed this pin.
    private static func askAbout(_ pin: String) throws(CommandFailure) {
        Console.note(
            "The server's certificate is its own: nobody whom this machine trusts has signed it."
                + " Its pin is\n  \(pin)\nsync-server prints its pin when it starts."
        )
        let question = "Is it the same? Type yes or no, or paste the pin that the server prints: "
        let isSame = try SetupQuestion.ask(nil, question) { answer throws(CommandFailure) in
            switch PinAnswer(answer, shown: pin) {
            case .isSame: true
            case .isOther: false
            case .isMalformed: throw .pinMalformed
            case .isUnclear: throw .usage("Type yes or no, or paste a pin: sha256// and the rest.")
            }
        }
        guard isSame else {
            throw .refused(
                "Then another server answers at this address, and nothing was sent to it: check the"
                    + " address, or ask the server's operator."
            )
        }
    }

    /// Checks the server and the names, as `signup` and `login` do before they ask.
    ///
    /// `isNew`: whether the server is asked too if it would make the account.
    private static func checkForm(
        server: String,
        account: String?,
        isNew: Bool = false,
        invitation: String? = nil,
        _ options: AccountOptions
    ) throws(CommandFailure) {
        do throws(AgentError) {
            _ = try options.home.madeHome()
        } catch {
            throw CommandFailure(error)
        }
        // Until there is a name, any will do: it does not reach the server.
        var form = try options.form(
            server: server,
            pins: options.pin,
            account: account ?? options.deviceName
        )
        form.invitation = invitation
        let check = CheckServer(form, isNewAccount: isNew)
        try HiddenTyping.during { () throws(CommandFailure) in _ = try options.home.call(check) }
    }

    /// Asks for a name that the new account can have, and for an invitation if the server wants
    /// one.
    private mutating func askNewAccount() throws(CommandFailure) {
        let (server, options) = (server ?? "", options)
        var invitation = invitation
        account = try SetupQuestion.ask(
            account,
            "Name of the new account: "
        ) { typed throws(CommandFailure) in
            let name = try CheckedAccountForm.name(typed)
            while true {
                do throws(CommandFailure) {
                    try Self.checkForm(
                        server: server,
                        account: name,
                        isNew: true,
                        invitation: invitation,
                        options
                    )
                    return name
                } catch {
                    guard error.isAboutInvitation else { throw error }
                    Console.warn(error.sentence)
                }
                let question = "Invitation code (empty to begin again): "
                let typed = try Console.ask(question).trimmedOfBlanks
                guard !typed.isEmpty else { throw .wentBack }
                invitation = typed
            }
        }
        self.invitation = invitation
    }

    /// Asks for the name of an account that exists.
    private mutating func askAccount(
        _ question: String,
        suggestion: String? = nil
    ) throws(CommandFailure) {
        let (server, options) = (server ?? "", options)
        account = try SetupQuestion.ask(
            account,
            question,
            suggestion: suggestion
        ) { typed throws(CommandFailure) in
            let name = try CheckedAccountForm.name(typed)
            try Self.checkForm(server: server, account: name, options)
            return name
        }
    }

    private mutating func askDevice() throws(CommandFailure) {
        let question = "Name of this device"
        options.device = try SetupQuestion.ask(
            options.device,
            question,
            suggestion: HostName.short,
            CheckedAccountForm.name
        )
    }

    // MARK: Kit and secrets

    private mutating func askKitToWrite(_ given: String?) throws(CommandFailure) {
        kit = try SetupQuestion.ask(
            given,
            "Write the kit to",
            suggestion: "~/keychain-sync-kit.txt"
        ) { typed throws(CommandFailure) in
            let path = SetupQuestion.path(typed)
            // Makes sure that it can be written; an empty file is removed again.
            _ = try KitFile(path: path)
            return path
        }
    }

    /// Asks for the kit, whose server is checked.
    ///
    /// - Returns: nil if the user has none.
    private mutating func askKitToRead() throws(CommandFailure) -> KitContents? {
        let question = "Kit, the file that the first device wrote (empty for none): "
        // A server and an account that are given stand for a kit.
        if kit == nil, server != nil, account != nil { return nil }
        let dialog = self
        typealias Answer = (path: String?, contents: KitContents?, isReached: Bool)
        let read = { (typed: String) throws(CommandFailure) -> Answer in
            guard !typed.isEmpty else { return (nil, nil, true) }
            let path = SetupQuestion.path(typed)
            let contents = try KitContents(file: path)
            Console.note("Asking the server …")
            var command = dialog.loginCommand(accountKey: nil)
            command.kit = path
            do throws(AgentError) {
                _ = try dialog.home.madeHome()
            } catch {
                throw CommandFailure(error)
            }
            let form = try command.form(contents)
            do throws(CommandFailure) {
                try HiddenTyping.during { () throws(CommandFailure) in
                    _ = try dialog.home.call(CheckServer(form))
                }
            } catch {
                guard dialog.server == nil, error.exit == .serverOutOfReach else { throw error }
                Console.warn(error.sentence)
                return (path, contents, false)
            }
            return (path, contents, true)
        }
        let answer = try SetupQuestion.ask(kit, question, read)
        kit = answer.path
        if let contents = answer.contents, !answer.isReached {
            // The server may have moved since the kit was written, and its key with it.
            Console.note("That is the address in the kit. If it has changed, type the new one.")
            if options.pin.isEmpty, options.ca == nil { options.pin = contents.pins }
            try askServer(suggestion: contents.server)
        }
        return answer.contents
    }

    private func askPassword(isNew: Bool) throws(CommandFailure) -> [UInt8] {
        var file = options.passwordFile
        return try SetupQuestion.again { () throws(CommandFailure) in
            let given = file
            // If the file has no good one, the user types it.
            file = nil
            return try PromptedSecret.password.read(file: given, isNew: isNew)
        }
    }

    /// - Returns: nil for none, or if the device has one already.
    private func askPasscode() throws(CommandFailure) -> [UInt8]? {
        if options.noPasscode { return nil }
        if options.passcodeFile != nil { return try options.passcode() }
        if AgentHome.exists(argument: home.home), try home.call(GetLockStatus()).passcode {
            return nil
        }
        Console.note(
            "Without a passcode anyone with this device's files can open the keychain. With one you"
                + " unlock it\nafter each start (sync-client unlock)."
        )
        guard try SetupQuestion.isYes("Do you want a passcode for this device?") else { return nil }
        return try SetupQuestion.again { () throws(CommandFailure) in
            try PromptedSecret.passcode.read(file: nil, isNew: true)
        }
    }
}

extension CommandFailure {
    /// Whether another invitation code would help.
    fileprivate var isAboutInvitation: Bool {
        [.invitationNeeded, .invitationUnknown, .invitationUsed].contains(self)
    }
}
