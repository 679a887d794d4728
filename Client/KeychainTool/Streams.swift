internal import KSFiles
internal import Glibc
internal import KSPrompting

/// What the tool needs from its process: streams, files, the terminal, the working directory.
struct Surroundings {
    var write: ([UInt8], OutputStream) -> Void
    var askPassword: (String) throws(NoTerminal) -> [UInt8]
    /// The next line of standard input without its line break; nil at its end.
    var readLine: () throws(LineTooLong) -> [UInt8]?
    var isInteractive: () -> Bool
    /// Whether standard output is a terminal.
    var isShown: () -> Bool
    var workingDirectory: () -> String?
    var readFile: (String) throws(FileError) -> [UInt8]
    var writeFile: (String, [UInt8]) throws(FileError) -> Void
    /// Why something could not be written to standard output.
    var outputError: () -> FileError? = { nil }
    /// A path without symbolic links; nil where nothing is.
    var resolve: (String) -> String? = { $0 }

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
                    return try typedLine(input)
                } catch {
                    throw NoTerminal(reason: .brokenOff)
                }
            },
            readLine: { () throws(LineTooLong) in try input.next() },
            isInteractive: { isatty(STDIN_FILENO) == 1 },
            isShown: { isatty(STDOUT_FILENO) == 1 },
            workingDirectory: { Terminal.workingDirectory },
            readFile: { path throws(FileError) in try Terminal.read(path) },
            writeFile: { path, bytes throws(FileError) in try Terminal.write(bytes, toFile: path) },
            outputError: { Terminal.outputError },
            resolve: { Terminal.resolve($0) }
        )
    }

    private static func typedLine(_ input: LineInput) throws(NoTerminal) -> [UInt8] {
        let line: [UInt8]?
        do throws(LineTooLong) {
            line = try input.next()
        } catch {
            throw NoTerminal(reason: .tooLong)
        }
        guard let line else { throw NoTerminal() }
        return line
    }
}

/// Standard input, line by line.
final class LineInput {
    private var lines = LineBuffer()
    private var isAtEnd = false

    func next() throws(LineTooLong) -> [UInt8]? {
        while true {
            if let line = try lines.next(isAtEnd: isAtEnd) { return line }
            if isAtEnd { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count > 0 { lines.append(buffer[..<count]) } else { isAtEnd = true }
        }
    }
}
