internal import KSDaemon
internal import KSPrompting
internal import KSDeviceKeys
internal import KSMoving
internal import KSSealing

/// Reads a password, passcode or passphrase from a file, the terminal or standard input.
///
/// Never from an argument or the environment, which other programs can read.
struct PromptedSecret {
    private let word: String
    /// The option that names a file; by default the word with `-file`.
    private var option: String?
    private let prompt: String
    private var newPrompt: String?
    private var check: ((_ bytes: [UInt8], _ isNew: Bool) throws(CommandFailure) -> Void)?

    /// The account's password.
    static var password: PromptedSecret {
        PromptedSecret(
            word: "password",
            prompt: "Password of the account: ",
            check: CheckedAccountForm.check(password:isNew:)
        )
    }

    /// The one that replaces the account's password.
    static var newPassword: PromptedSecret {
        var secret = password
        secret.option = "new-password-file"
        secret.newPrompt = "New password of the account: "
        return secret
    }

    /// The device's passcode.
    static var passcode: PromptedSecret {
        PromptedSecret(
            word: "passcode",
            prompt: "Passcode of this device: ",
            newPrompt: "New passcode: ",
            check: { bytes, isNew throws(CommandFailure) in
                if isNew, bytes.isEmpty { throw CommandFailure(SealingError.passcodeEmpty) }
            }
        )
    }

    /// The passphrase of a backup.
    static var passphrase: PromptedSecret {
        PromptedSecret(word: "passphrase", prompt: "Passphrase of the backup: ")
    }

    /// The password of another program's file.
    static var filePassword: PromptedSecret {
        PromptedSecret(
            word: "password",
            prompt: "Password of the file: ",
            newPrompt: "New password of the file: ",
            check: { bytes, isNew throws(CommandFailure) in
                if isNew, bytes.isEmpty { throw CommandFailure(MovingError.emptyPassword) }
            }
        )
    }

    /// The account's key, which is text.
    static var accountKey: PromptedSecret {
        PromptedSecret(
            word: "Account Key",
            option: "account-key-file",
            prompt: "Account Key: ",
            check: { bytes, _ throws(CommandFailure) in
                do throws(SealingError) {
                    _ = try AccountKey(parsing: String(decoding: bytes, as: UTF8.self))
                } catch {
                    throw CommandFailure(error)
                }
            }
        )
    }

    /// No secret is longer, so the user named a longer file by mistake.
    private static let bytesMax = 4096

    /// Reads a text that is not new.
    func read(file: String?) throws(CommandFailure) -> String {
        String(decoding: try read(file: file, isNew: false), as: UTF8.self)
    }

    /// Reads it from the file, or asks for it.
    func read(file: String?, isNew: Bool) throws(CommandFailure) -> [UInt8] {
        let bytes = if let file { try Self.firstLine(ofFile: file) } else { try ask(isNew: isNew) }
        try check?(bytes, isNew)
        return bytes
    }

    private static func firstLine(ofFile path: String) throws(CommandFailure) -> [UInt8] {
        var bytes = try FileInput.read(path, bytesMax: bytesMax)
        // Editors and echo add a line break, which is not part of the password.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            throw CommandFailure.usage(
                "The file \(path) has more than one line: name one that has a single line."
            )
        }
        return bytes
    }

    /// Asks on the terminal, twice for a new one: a typing mistake would lock the user out.
    ///
    /// Without a terminal it reads the next line of standard input, once.
    private func ask(isNew: Bool) throws(CommandFailure) -> [UInt8] {
        guard let typed = try typed(isNew ? newPrompt ?? prompt : prompt) else {
            return try lineOfStandardInput()
        }
        guard isNew else { return typed }
        guard try self.typed("Repeat it: ") == typed else {
            throw CommandFailure.usage("The two \(word)s differ: try again.")
        }
        return typed
    }

    /// - Returns: nil if there is no terminal.
    private func typed(_ prompt: String) throws(CommandFailure) -> [UInt8]? {
        let line: [UInt8]
        do throws(PromptError) {
            line = try PasswordPrompt.ask(prompt)
        } catch .noTerminal {
            return nil
        } catch .tooLong {
            throw Self.tooLong
        } catch .severalLines {
            throw CommandFailure.usage(
                "Several lines were pasted, and a \(word) has one: try again."
            )
        } catch {
            throw CommandFailure.nothingTyped
        }
        return try Self.checked(line)
    }

    private func lineOfStandardInput() throws(CommandFailure) -> [UInt8] {
        let line: [UInt8]?
        do throws(PromptError) {
            line = try PasswordPrompt.lineOfStandardInput()
        } catch {
            throw Self.tooLong
        }
        guard let line else {
            throw CommandFailure.usage(
                "There is no terminal to ask for the \(word) on: give"
                    + " --\(option ?? word + "-file") FILE, or - for standard input."
            )
        }
        return try Self.checked(line)
    }

    private static func checked(_ line: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard line.count <= bytesMax else { throw tooLong }
        return line
    }

    private static let tooLong = CommandFailure.usage(
        "That is longer than \(bytesMax) bytes: type less."
    )
}

extension CommandFailure {
    /// The user has ended the input.
    static let nothingTyped = CommandFailure.usage("Nothing was typed, so nothing was done.")
}
