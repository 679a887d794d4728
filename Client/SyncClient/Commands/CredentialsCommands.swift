internal import ArgumentParser
internal import Glibc
internal import KSAgent
internal import KSDaemon
internal import KSFiles

struct PasswdCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwd",
        abstract: "Changes the account's password, for all devices.",
        discussion: """
            It needs the server: the password is changed everywhere, or nowhere. The other devices \
            stay in the account and need nothing; the Account Key, and so the kit, stays the same. \
            The account's keys change, so somebody who knew the old password and the Account Key \
            can read nothing new. If they may have added a device, see sync-client devices.
            """
    )

    @Option(
        help: """
            A file with the present password; - for standard input. Without it the command asks, \
            or reads the next line of standard input if there is no terminal.
            """
    )
    var passwordFile: String?

    @Option(help: "A file with the new password; - for standard input. Without it, see above.")
    var newPasswordFile: String?

    @OptionGroup
    var home: HomeOption

    func validate() throws {
        try AccountOptions.checkStandardInput([passwordFile, newPasswordFile])
    }

    func perform() throws {
        try home.refuseIfLocked()
        let old = try PromptedSecret.password.read(file: passwordFile, isNew: false)
        let new = try PromptedSecret.newPassword.read(file: newPasswordFile, isNew: true)
        let call = ReplaceCredentials(password: old, newPassword: new, renewsAccountKey: false)
        _ = try home.call(call)
        Console.say("The password is changed. New devices need it, and the same Account Key.")
    }
}

struct KitCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "kit",
        abstract: "Writes the Account Key again, with all that a new device needs.",
        discussion: """
            The kit goes to a new file that only you can read: a page to print with a QR code if \
            its name ends in .svg, else text, which sync-client login --kit reads. The QR code \
            holds the same text. With --renew the account gets another Account Key, such as when \
            a kit was lost: earlier kits open nothing any more, and the other devices need \
            nothing. It needs the server and the account's password.
            """
    )

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @Flag(help: "Give the account another Account Key first.")
    var renew = false

    @Option(help: "With --renew: a file with the account's password; - for standard input.")
    var passwordFile: String?

    @Option(
        help: """
            A file with the passcode; - for standard input. Without it the command asks, if this \
            device has a passcode.
            """
    )
    var passcodeFile: String?

    @OptionGroup
    var home: HomeOption

    func validate() throws {
        guard renew || passwordFile == nil else {
            throw ValidationError("--password-file is used with --renew only.")
        }
        try AccountOptions.checkStandardInput([passwordFile, passcodeFile])
    }

    func perform() throws {
        guard file != "-" else {
            throw CommandFailure.usage("Name a file: a kit does not go to standard output.")
        }
        let path = try FileInput.newFilePath(file)
        guard unsafe access(path, F_OK) != 0 else { throw CommandFailure(code: .fileExists) }
        try home.refuseIfLocked()
        try home.askPasscode(file: passcodeFile)
        guard renew else { return try write(home.call(GetKit()), to: path) }
        // Earlier kits open nothing afterwards, so there must be a place for the new one.
        try Self.checkCanWrite(path)
        let password = try PromptedSecret.password.read(file: passwordFile, isNew: false)
        Console.outliveReaders()
        let kit = try home.call(ReplaceCredentials(password: password, renewsAccountKey: true))
        Console.say("The account has another Account Key: destroy its earlier kits.")
        do {
            try write(kit, to: path)
        } catch {
            throw CommandFailure(
                code: error.code,
                exit: error.exit,
                sentence: error.sentence + " Then run sync-client kit again, without --renew."
            )
        }
    }

    private func write(_ kit: ShownKit, to path: String) throws(CommandFailure) {
        let contents = KitContents(kit)
        let text = path.hasSuffix(".svg") ? try KitPage(contents).svg : contents.text
        do throws(FileError) {
            _ = try NewFiles.write([Array(text.utf8)], to: path)
        } catch .system(errno: EEXIST) {
            throw CommandFailure(code: .fileExists)
        } catch {
            let why = AgentError.words(errno: error.number)
            throw CommandFailure.diskTrouble(
                "The kit cannot be written to \(path) (\(why)): name another place."
            )
        }
        Console.say("The kit is in \(file): print it, or keep it in a safe place.")
    }

    private static func checkCanWrite(_ path: String) throws(CommandFailure) {
        do throws(FileError) {
            _ = try NewFiles.write([[]], to: path)
        } catch {
            let why = AgentError.words(errno: error.number)
            throw CommandFailure.diskTrouble(
                "The kit cannot be written to \(path) (\(why)): name another place. Nothing was"
                    + " changed."
            )
        }
        unsafe unlink(path)
    }
}

extension HomeOption {
    /// A passer-by at an unlocked device cannot take everything away without the passcode.
    func askPasscode(file: String?) throws(CommandFailure) {
        guard try call(GetLockStatus()).passcode else { return }
        let passcode = try PromptedSecret.passcode.read(file: file, isNew: false)
        _ = try call(UnlockDevice(passcode: passcode))
    }
}

extension KitContents {
    init(_ kit: ShownKit) {
        self.init(
            account: kit.account,
            server: kit.server,
            pins: kit.pins,
            accountKey: kit.accountKey
        )
    }
}
