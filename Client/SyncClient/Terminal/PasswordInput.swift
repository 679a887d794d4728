internal import KSDaemon
internal import KSAgent
internal import KSFiles
internal import Glibc
internal import KSPrompting

/// Reads the account's password from a file, the terminal or standard input.
///
/// Never from an argument or the environment, which other programs can read.
enum PasswordInput {
    /// A longer file was named by mistake.
    private static let bytesMax = 4096

    private static let noTerminal = CommandFailure.usage(
        "There is no terminal to ask for the password on: give --password-file FILE, or - for"
            + " standard input."
    )

    /// Reads it from the file, or asks for it.
    static func read(file: String?, isNew: Bool) throws(CommandFailure) -> [UInt8] {
        let password: [UInt8]
        if let file {
            password = try firstLine(ofFile: file)
        } else {
            let prompt = "Password of the account: "
            password =
                try isNew
                ? askNew(prompt, plural: "passwords", noTerminal: noTerminal) : ask(prompt)
        }
        try JoinRequest.check(password: password, isNew: isNew)
        return password
    }

    static func firstLine(ofFile path: String) throws(CommandFailure) -> [UInt8] {
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

    /// Asks on the terminal; without a terminal, reads the next line of standard input.
    static func ask(
        _ prompt: String,
        noTerminal: CommandFailure = noTerminal
    ) throws(CommandFailure) -> [UInt8] {
        if let typed = try typed(prompt) { return typed }
        return try lineOfStandardInput(noTerminal)
    }

    /// Asks for a new one, on a terminal twice, because a typing mistake would lock the user out.
    ///
    /// Without a terminal it reads one line of standard input.
    static func askNew(
        _ prompt: String,
        plural: String,
        noTerminal: CommandFailure
    ) throws(CommandFailure) -> [UInt8] {
        guard let typed = try typed(prompt) else { return try lineOfStandardInput(noTerminal) }
        guard try ask("The same once more: ", noTerminal: noTerminal) == typed else {
            throw CommandFailure.usage("The two \(plural) differ: try again.")
        }
        return typed
    }

    /// - Returns: nil if there is no terminal.
    private static func typed(_ prompt: String) throws(CommandFailure) -> [UInt8]? {
        let line: [UInt8]
        do throws(PromptError) {
            line = try PasswordPrompt.ask(prompt)
        } catch {
            guard error == .noTerminal else {
                throw CommandFailure.usage("Nothing was typed, so nothing was done.")
            }
            return nil
        }
        return try checked(line)
    }

    private static func lineOfStandardInput(
        _ noTerminal: CommandFailure
    ) throws(CommandFailure) -> [UInt8] {
        guard let line = PasswordPrompt.lineOfStandardInput() else { throw noTerminal }
        return try checked(line)
    }

    private static func checked(_ line: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard line.count <= bytesMax else {
            throw CommandFailure.usage("That is longer than \(bytesMax) bytes: type less.")
        }
        return line
    }
}

/// Files that the user names.
enum FileInput {
    /// Reads a whole file; `-` is standard input.
    static func read(_ path: String, bytesMax: Int) throws(CommandFailure) -> [UInt8] {
        do throws(FileError) {
            let file = try path == "-" ? OpenFile.standardInput() : OpenFile(reading: path)
            return try file.contents(bytesMax: bytesMax)
        } catch .system(errno: EFBIG) {
            throw CommandFailure.usage(
                "The file \(path) is larger than \(bytesMax) bytes: name the right one."
            )
        } catch {
            throw unreadable(path, error)
        }
    }

    private static func unreadable(_ path: String, _ error: FileError) -> CommandFailure {
        CommandFailure.diskTrouble(
            "The file \(path) cannot be read (\(AgentError.words(errno: error.number))): name one"
                + " that can."
        )
    }

    /// An absolute path, for a process with another working directory.
    static func absolutePath(_ path: String) throws(CommandFailure) -> String {
        do throws(FileError) {
            return try Paths.resolved(path)
        } catch {
            throw unreadable(path, error)
        }
    }

    /// The absolute path of a file that is not there yet, in a folder that is.
    static func newFilePath(_ path: String) throws(CommandFailure) -> String {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        guard !["", ".", ".."].contains(name) else {
            throw CommandFailure.usage("That is not the name of a file: \(path)")
        }
        do throws(FileError) {
            let folder = try Paths.resolved(Paths.folder(of: path))
            return folder == "/" ? "/" + name : folder + "/" + name
        } catch {
            let why = AgentError.words(errno: error.number)
            throw CommandFailure.diskTrouble("The file cannot be written (\(why)): \(path)")
        }
    }
}
