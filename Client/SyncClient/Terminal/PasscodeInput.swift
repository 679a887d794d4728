internal import KSDaemon
internal import ArgumentParser
internal import KSSealing

/// Where the passcode of this device comes from: never an argument, never the environment.
enum PasscodeInput {
    /// The passcode is the device's password: where no other one is meant, both words are taken.
    static let fileNames: NameSpecification = [
        .customLong("passcode-file"), .customLong("password-file"),
    ]

    private static let noTerminal = CommandFailure(
        .usage,
        "There is no terminal to ask for the passcode on: give --passcode-file FILE, or - for"
            + " standard input."
    )

    /// The passcode that the device has.
    static func read(file: String?) throws(CommandFailure) -> [UInt8] {
        guard let file else {
            return try PasswordInput.ask("Passcode of this device: ", noTerminal: noTerminal)
        }
        return try PasswordInput.firstLine(ofFile: file)
    }

    /// One that it is to have; on a terminal it is asked for twice.
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
