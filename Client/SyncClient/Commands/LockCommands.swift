internal import KSBytes
internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import KSSealing

/// Both words are accepted: users also call the passcode a password.
private let passcodeFileNames: NameSpecification = [
    .customLong("passcode-file"), .customLong("password-file"),
]

struct LockCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Locks the keychain: only after-first-unlock and always items stay readable.",
        discussion: "It works without a passcode too; sync-client unlock opens it again."
    )

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        _ = try home.call(LockDevice())
        Console.say("The keychain is locked.")
    }
}

struct UnlockCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlocks the keychain, with the passcode if it has one."
    )

    @OptionGroup
    var home: HomeOption

    @Option(
        name: passcodeFileNames,
        help: """
            A file with the passcode; - for standard input. Without it the command asks, or reads \
            the next line of standard input if there is no terminal.
            """
    )
    var passcodeFile: String?

    func perform() throws {
        let hasPasscode = try home.call(GetLockStatus()).passcode
        let passcode =
            try hasPasscode ? PromptedSecret.passcode.read(file: passcodeFile, isNew: false) : nil
        _ = try home.call(UnlockDevice(passcode: passcode))
        Console.say("The keychain is unlocked.")
    }
}

struct PasscodeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        abstract: "Sets, changes or removes the passcode of this device.",
        discussion: """
            Without ACTION and without --lock-after it sets a passcode, or changes the existing \
            one. Removing the passcode deletes all when-passcode-set items for good. Without a \
            terminal each passcode, also a new one, is one line of standard input.
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case set
        case change
        case remove
    }

    @Argument(help: "What to do.")
    var action: Action?

    @OptionGroup
    var home: HomeOption

    @Option(
        name: passcodeFileNames,
        help: """
            A file with the current passcode, or the first one; - for standard input. Without it \
            the command asks.
            """
    )
    var passcodeFile: String?

    @Option(
        help: """
            A file with the new passcode; - for standard input. Without it the command asks, \
            twice on a terminal.
            """
    )
    var newPasscodeFile: String?

    @Option(
        help: ArgumentHelp(
            """
            Lock after so many minutes without use, at most \
            \(DeviceSettings.lockAfterMinutesMax); 0 for never. It has no effect without a \
            passcode.
            """,
            valueName: "minutes"
        )
    )
    var lockAfter: Int?

    func validate() throws {
        if let lockAfter, !(0...DeviceSettings.lockAfterMinutesMax).contains(lockAfter) {
            throw ValidationError(
                "--lock-after takes 0 to \(DeviceSettings.lockAfterMinutesMax) minutes."
            )
        }
        guard passcodeFile != "-" || newPasscodeFile != "-" else {
            throw ValidationError("Only one of the two passcodes can come from standard input.")
        }
        guard action != .remove || newPasscodeFile == nil else {
            throw ValidationError("--new-passcode-file cannot be used with remove.")
        }
        guard changesPasscode || (passcodeFile == nil && newPasscodeFile == nil) else {
            throw ValidationError(
                "--lock-after alone does not change the passcode: add set, change or remove."
            )
        }
    }

    private var changesPasscode: Bool { action != nil || lockAfter == nil }

    func perform() throws {
        if changesPasscode { try changePasscode() }
        guard let lockAfter else { return }
        let state = try home.call(LockAfter(minutes: lockAfter == 0 ? nil : Int64(lockAfter)))
        Console.say(
            lockAfter == 0
                ? "The keychain no longer locks by itself."
                : "The keychain locks after \(counted(lockAfter, "minute")) without use."
        )
        if lockAfter > 0, !state.passcode {
            Console.warn("This has no effect until the device has a passcode.")
        }
    }

    private func changePasscode() throws(CommandFailure) {
        let hasPasscode = try home.call(GetLockStatus()).passcode
        let action = action ?? (hasPasscode ? .change : .set)
        var call = ChangePasscode()
        switch action {
        case .set:
            if hasPasscode { throw CommandFailure(SealingError.passcodeAlreadySet) }
            // Only one passcode is involved, so either option may name it.
            let file = newPasscodeFile ?? passcodeFile
            call.new = try PromptedSecret.passcode.read(file: file, isNew: true)
        case .change, .remove:
            if !hasPasscode { throw CommandFailure(SealingError.passcodeNotSet) }
            call.old = try PromptedSecret.passcode.read(file: passcodeFile, isNew: false)
            if action == .change {
                call.new = try PromptedSecret.passcode.read(file: newPasscodeFile, isNew: true)
            }
        }
        _ = try home.call(call)
        switch action {
        case .set: Console.say("This device has a passcode now.")
        case .change: Console.say("The passcode is changed.")
        case .remove: Console.say("This device has no passcode any more.")
        }
    }
}
