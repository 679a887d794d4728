internal import Glibc

/// Where the account's password comes from: never an argument, never the environment.
enum PasswordInput {
    /// No password is longer; a file that is was named by mistake.
    private static let bytesMax = 4096

    private static let noTerminal = CommandFailure(
        .usage,
        "There is no terminal to ask for the password on: give --password-file FILE, or - for"
            + " standard input."
    )

    /// Reads it from the file, or asks for it; a new one twice, because a slip would lock the user
    /// out.
    static func read(file: String?, isNew: Bool) throws(CommandFailure) -> [UInt8] {
        let password: [UInt8]
        if let file {
            password = try firstLine(ofFile: file)
        } else {
            password = try ask("Password of the account: ")
            if isNew, try ask("The same once more: ") != password {
                throw CommandFailure(.usage, "The two passwords differ: try again.")
            }
        }
        try JoinRequest.check(password: password, isNew: isNew)
        return password
    }

    static func firstLine(ofFile path: String) throws(CommandFailure) -> [UInt8] {
        var bytes = try FileInput.read(path, bytesMax: bytesMax)
        // Editors and echo end a file with a line break that nobody means.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            throw CommandFailure(.usage, "The file has more than one line: \(path)")
        }
        return bytes
    }

    /// Asks on the terminal itself, without echo, whatever standard input is.
    static func ask(
        _ prompt: String,
        noTerminal: CommandFailure = noTerminal
    ) throws(CommandFailure) -> [UInt8] {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw noTerminal }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { throw noTerminal }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(terminal, TCSAFLUSH, &silent)
        defer { unsafe tcsetattr(terminal, TCSAFLUSH, &before) }
        Console.write(prompt, to: terminal)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= bytesMax {
            let count = unsafe Glibc.read(terminal, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { throw noTerminal }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        // The user's own line break was not echoed either.
        Console.write("\n", to: terminal)
        return line
    }
}

/// Files that the user names.
enum FileInput {
    /// Reads a whole file; `-` is standard input.
    static func read(_ path: String, bytesMax: Int) throws(CommandFailure) -> [UInt8] {
        let file = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMax else {
                throw CommandFailure(.usage, "The file is larger than \(bytesMax) bytes: \(path)")
            }
        }
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure(.other, "The file cannot be read: \(path)")
    }

    /// The path as another process, with another working directory, has to say it.
    static func absolutePath(_ path: String) throws(CommandFailure) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw unreadable(path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
