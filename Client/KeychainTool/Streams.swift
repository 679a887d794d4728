internal import Glibc
internal import Prompting

/// What the tool needs from its process: streams, files, the terminal, the working directory.
struct Surroundings {
    var write: ([UInt8], OutputStream) -> Void
    var askPassword: (String) throws(NoTerminal) -> [UInt8]
    /// The next line of standard input without its line break; nil at its end.
    var readLine: () -> [UInt8]?
    var isInteractive: () -> Bool
    var workingDirectory: () -> String?
    var readFile: (String) throws(FileError) -> [UInt8]
    var writeFile: (String, [UInt8]) throws(FileError) -> Void

    /// Those of this process.
    static var process: Surroundings {
        let input = LineInput()
        return Surroundings(
            write: { bytes, stream in Terminal.write(bytes, to: stream) },
            askPassword: { prompt throws(NoTerminal) in
                do throws(PromptError) {
                    return try PasswordPrompt.ask(prompt)
                } catch .noTerminal {
                    // As on macOS, for scripts that pipe it in; nobody is there to read a prompt.
                    guard let line = input.next() else { throw NoTerminal() }
                    return line
                } catch {
                    throw NoTerminal()
                }
            },
            readLine: { input.next() },
            isInteractive: { isatty(STDIN_FILENO) == 1 },
            workingDirectory: { Terminal.workingDirectory },
            readFile: { path throws(FileError) in try Terminal.read(path) },
            writeFile: { path, bytes throws(FileError) in try Terminal.write(bytes, toFile: path) }
        )
    }
}

/// A file that the user named cannot be read or written.
struct FileError: Error, Equatable {
    let errno: Int32

    var text: String { unsafe String(cString: strerror(errno)) }
}

/// Standard input, line by line.
final class LineInput {
    /// A line that is longer is no command.
    private static let lineBytesMax = 1 << 20
    private var pending: [UInt8] = []
    private var isAtEnd = false

    func next() -> [UInt8]? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(pending[..<end])
                pending.removeSubrange(...end)
                return line
            }
            if isAtEnd || pending.count > Self.lineBytesMax {
                defer { pending = [] }
                return pending.isEmpty ? nil : pending
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count > 0 { pending += buffer[..<count] } else { isAtEnd = true }
        }
    }
}

extension Terminal {
    static var workingDirectory: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// Reads a whole file; none that is handed to the daemon may be larger than a message.
    static func read(_ path: String) throws(FileError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileError(errno: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= 16 << 20 {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileError(errno: errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        throw FileError(errno: EFBIG)
    }

    /// Writes a file that its user alone can read: there may be keys in it.
    static func write(_ bytes: [UInt8], toFile path: String) throws(FileError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(errno: errno) }
        defer { close(file) }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(file, all.baseAddress?.advanced(by: sent), all.count - sent)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileError(errno: errno) }
            sent += count
        }
    }
}
