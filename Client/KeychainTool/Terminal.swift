internal import Glibc

/// Where the tool's words go.
enum OutputStream: Int32 {
    case output = 1
    case error = 2
}

/// No password could be asked for.
struct NoTerminal: Error {}

/// The process's arguments, streams and terminal.
enum Terminal {
    /// The arguments after the program's name, as bytes: a password need not be UTF-8.
    static var arguments: [[UInt8]] {
        let count = Int(CommandLine.argc)
        return (1..<max(1, count)).compactMap { index in
            guard let text = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    static func write(_ bytes: [UInt8], to stream: OutputStream) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(
                    stream.rawValue,
                    all.baseAddress?.advanced(by: sent),
                    all.count - sent
                )
            }
            if count < 0 && errno == EINTR { continue }
            // Nobody reads any more: there is no one to tell.
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Asks on the terminal itself, without echo, whatever standard input is.
    static func askPassword(_ prompt: String) throws(NoTerminal) -> [UInt8] {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw NoTerminal() }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { throw NoTerminal() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(terminal, TCSAFLUSH, &silent)
        defer { unsafe tcsetattr(terminal, TCSAFLUSH, &before) }
        let words = Array(prompt.utf8)
        guard unsafe Glibc.write(terminal, words, words.count) == words.count else {
            throw NoTerminal()
        }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe Glibc.read(terminal, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { throw NoTerminal() }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        // The user's own line break was not echoed either.
        _ = unsafe Glibc.write(terminal, "\n", 1)
        return line
    }
}
