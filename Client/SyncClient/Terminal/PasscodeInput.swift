internal import KSDaemon
internal import ArgumentParser
internal import KSSealing

/// Reads this device's passcode from a file, the terminal or standard input.
enum PasscodeInput {
    /// Both words are accepted: users also call the passcode a password.
    static let fileNames: NameSpecification = [
        .customLong("passcode-file"), .customLong("password-file"),
    ]

    private static let noTerminal = CommandFailure.usage(
        "There is no terminal to ask for the passcode on: give --passcode-file FILE, or - for"
            + " standard input."
    )

    /// Reads the present passcode.
    static func read(file: String?) throws(CommandFailure) -> [UInt8] {
        guard let file else {
            return try PasswordInput.ask("Passcode of this device: ", noTerminal: noTerminal)
        }
        return try PasswordInput.firstLine(ofFile: file)
    }

    /// Reads a new passcode; on a terminal it asks twice.
    static func readNew(file: String?) throws(CommandFailure) -> [UInt8] {
        let passcode: [UInt8]
        if let file {
            passcode = try PasswordInput.firstLine(ofFile: file)
        } else {
            passcode = try PasswordInput.askNew(
                "New passcode: ",
                plural: "passcodes",
                noTerminal: noTerminal
            )
        }
        guard !passcode.isEmpty else { throw CommandFailure(SealingError.passcodeEmpty) }
        return passcode
    }
}
