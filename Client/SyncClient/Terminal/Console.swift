internal import KSDaemon
internal import KSAgent
internal import KSFiles
internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// Where a command's words go.
enum Console {
    /// What was asked for.
    static func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// What the user should know besides.
    static func warn(_ line: String) {
        write("sync-client: " + line + "\n", to: STDERR_FILENO)
    }

    /// Says why, and ends the command with its exit code.
    static func end(_ failure: CommandFailure) throws -> Never {
        warn(failure.sentence)
        throw ExitCode(failure.exit.rawValue)
    }

    /// Runs a command's work; whatever it throws becomes one sentence and an exit code.
    static func run(_ body: () throws -> Void) throws {
        do {
            try body()
            if let number = firstOutputError.withLock({ $0 }) {
                throw CommandFailure(
                    .diskTrouble,
                    "The output cannot be written (\(AgentError.words(errno: number)))."
                )
            }
        } catch {
            try end(CommandFailure(error))
        }
    }

    /// Lets the command go on when nobody reads its output any more.
    ///
    /// Else the system would end it at the next line, however much was still to be done.
    static func outliveReaders() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Opens `/dev/null` as each standard stream that is closed.
    ///
    /// Else the next file or socket would take its number, and get what is said.
    static func fillClosedStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Whether what is said goes nowhere.
    static var isDiscarded: Bool {
        var output = stat()
        guard unsafe fstat(STDOUT_FILENO, &output) == 0 else { return true }
        return output.st_mode & S_IFMT == S_IFCHR && output.st_rdev == nullDevice
    }

    /// The numbers of `/dev/null`, 1 and 3, as Linux has them.
    private static let nullDevice: dev_t = 0x103

    /// Says what there is no second chance for.
    ///
    /// - Returns: the system's number where it did not get to a reader, a terminal or the disk.
    static func show(_ text: String) -> Int32? {
        if let number = put(text, to: STDOUT_FILENO) { return number }
        // A pipe and a terminal have nothing to sync.
        if fsync(STDOUT_FILENO) != 0, errno != EINVAL, errno != EROFS { return errno }
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        let hasEnded = unsafe poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
        return hasEnded ? EPIPE : nil
    }

    /// Why something could not be written to standard output, the first time that it could not.
    private static let firstOutputError = Mutex<Int32?>(nil)

    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ text: String, to descriptor: Int32) {
        // Where nobody reads any more, or standard error is lost, there is no one to tell.
        guard let number = put(text, to: descriptor), descriptor == STDOUT_FILENO, number != EPIPE
        else { return }
        firstOutputError.withLock { $0 = $0 ?? number }
    }

    /// - Returns: the system's number where not all of it could be written.
    private static func put(_ text: String, to descriptor: Int32) -> Int32? {
        do throws(FileError) {
            try OpenFile.write(Array(text.utf8), to: descriptor)
            return nil
        } catch {
            return error.number
        }
    }
}

/// Shows how far a long call has come, on a terminal only.
final class ProgressBar {
    private static let width = 30
    private let isShown: Bool
    private var length = 0

    init(isShown: Bool = Console.showsProgress) {
        self.isShown = isShown
    }

    func show(_ progress: AgentProgress) {
        guard isShown else { return }
        draw(Self.text(progress))
    }

    /// Takes the bar away, so that what is said next begins a line.
    func clear() {
        guard isShown, length > 0 else { return }
        draw("")
        Console.write("\r", to: STDERR_FILENO)
    }

    private func draw(_ text: String) {
        let blanks = String(repeating: " ", count: max(0, length - text.count))
        Console.write("\r" + text + blanks, to: STDERR_FILENO)
        length = text.count
    }

    static func text(_ progress: AgentProgress) -> String {
        guard progress.total > 0 else {
            return progress.done > 0 ? "\(progress.text) … \(progress.done)" : "\(progress.text) …"
        }
        let done = min(progress.done, progress.total)
        let filled = Int(Double(done) / Double(progress.total) * Double(width))
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: width - filled)
        return "\(progress.text) [\(bar)] \(done)/\(progress.total)"
    }
}
