internal import KSBytes
package import KSDaemon
internal import KSAgent
internal import KSRPC
internal import KSFiles
internal import KSPrompting
internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// Standard output and standard error of a command.
package enum Console {
    /// Prints a line of the result on standard output.
    static func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Whether the command line asks for JSON; then each line on standard error is JSON too.
    static let writesJSON = asksForJSON(CommandLine.arguments.dropFirst())

    package static func asksForJSON(_ words: ArraySlice<String>) -> Bool {
        // Words after two hyphens are not options.
        words.prefix { $0 != "--" }.contains("--json")
    }

    /// Prints a warning on standard error.
    ///
    /// It may have several lines.
    static func warn(_ text: String) {
        write(
            writesJSON
                ? JSONText.text(.dictionary(["warning": .string(text)])) + "\n" : warning(text),
            to: STDERR_FILENO
        )
    }

    /// Prints why the command fails on standard error.
    static func report(_ failure: CommandFailure) {
        write(
            writesJSON ? jsonText(failure) + "\n" : warning(failure.sentence),
            to: STDERR_FILENO
        )
    }

    /// A failure as one JSON object, whose `code` is the exit status.
    package static func jsonText(_ failure: CommandFailure) -> String {
        JSONText.text([
            "code": .integer(Int64(failure.exit.rawValue)), "message": .string(failure.sentence),
            "next": .dictionary([
                "code": .string(failure.next.code),
                "command": failure.next.command.map { .string($0) } ?? .null,
            ]),
        ])
    }

    package static func warning(_ text: String) -> String {
        // It may contain what was typed, or a name from a file or another device.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return "sync-client: " + lines.map { String($0).printable }.joined(separator: "\n") + "\n"
    }

    /// Prints the reason, and ends the command with its exit status.
    static func end(_ failure: CommandFailure) throws -> Never {
        report(failure)
        throw ExitCode(failure.exit.rawValue)
    }

    /// Runs a command; any error becomes one sentence and an exit status.
    static func run(_ body: () throws -> Void) throws {
        do {
            try body()
            if let failure = outputFailure { throw failure }
        } catch {
            try end(CommandFailure(error))
        }
    }

    private static var outputFailure: CommandFailure? {
        firstOutputError.withLock { $0 }.map { number in
            .diskTrouble("The output cannot be written (\(AgentError.words(errno: number))).")
        }
    }

    /// Ends a program that prints until it is interrupted, if its output is lost.
    static func endIfOutputFailed() {
        guard let failure = outputFailure else { return }
        report(failure)
        exit(failure.exit.rawValue)
    }

    /// Lets the command continue when nobody reads its output any more.
    ///
    /// Otherwise SIGPIPE would end it at the next line, with its work unfinished.
    static func outliveReaders() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Opens `/dev/null` as each standard stream that is closed.
    ///
    /// Otherwise the next file or socket would get its number, and the command's output.
    static func fillClosedStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Whether standard output is `/dev/null`.
    static var isDiscarded: Bool {
        var output = stat()
        guard unsafe fstat(STDOUT_FILENO, &output) == 0 else { return true }
        return output.st_mode & S_IFMT == S_IFCHR && output.st_rdev == nullDevice
    }

    /// The numbers of `/dev/null`, 1 and 3, as Linux has them.
    private static let nullDevice: dev_t = 0x103

    /// Prints a text that cannot be shown again.
    ///
    /// - Returns: the `errno` if it did not reach a reader, a terminal or the disk.
    static func show(_ text: String) -> Int32? {
        if let number = put(text, to: STDOUT_FILENO) { return number }
        // Pipes and terminals cannot be synced.
        if fsync(STDOUT_FILENO) != 0, errno != EINVAL, errno != EROFS { return errno }
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        let hasEnded = unsafe poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
        return hasEnded ? EPIPE : nil
    }

    /// The `errno` of the first failed write to standard output.
    private static let firstOutputError = Mutex<Int32?>(nil)

    static var isErrorOnTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether the user can be asked, and sees the question.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isErrorOnTerminal }

    /// Explains a question that follows.
    static func note(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// Asks for a line that everybody may see.
    ///
    /// - Throws: ``CommandFailure/nothingTyped`` at the end of the input.
    static func ask(_ question: String) throws(CommandFailure) -> String {
        write(question, to: STDERR_FILENO)
        guard let line = readLine() else {
            write("\n", to: STDERR_FILENO)
            throw .nothingTyped
        }
        guard !TypedLine.mayBeCut(line.utf8) else {
            throw .usage("A line of \(TypedLine.terminalBytesMax) bytes or more cannot be typed.")
        }
        return line
    }

    static func write(_ text: String, to descriptor: Int32) {
        // A closed pipe and a lost standard error are not reported: nobody would read the report.
        guard let number = put(text, to: descriptor), descriptor == STDOUT_FILENO, number != EPIPE
        else { return }
        firstOutputError.withLock { $0 = $0 ?? number }
    }

    /// - Returns: the `errno` if not all of it could be written.
    private static func put(_ text: String, to descriptor: Int32) -> Int32? {
        do throws(FileError) {
            try OpenFile.write(Array(text.utf8), to: descriptor)
            return nil
        } catch {
            return error.number
        }
    }
}
