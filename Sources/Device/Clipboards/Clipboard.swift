internal import Glibc
internal import KSAgent
package import KSSecrets

/// Puts secrets on the clipboard, for a while.
///
/// A detached process keeps them there (``ClipboardHolder``), which outlives this one and the
/// terminal.
package final class Clipboard {
    /// X11 would need transfers in parts for more, and nobody types or pastes such a password.
    package static let bytesMax = 1 << 16
    package static let secondsDefault: UInt32 = 45

    /// What a program can say about the secret that it copied.
    package struct Receipt: Hashable, Sendable {
        package let kind: ClipboardWay.Kind
        /// Whether the clipboard took the text: a terminal does not tell.
        package var isCertain: Bool { kind != .terminal && kind != .tmux }
    }

    private let holder: [String]
    private let environment: [String: String]
    /// The holders that may have to be taken note of when they end.
    private var children: [pid_t] = []

    /// F_SETPIPE_SZ, which is hidden unless _GNU_SOURCE is defined.
    private static let setPipeSize: Int32 = 1031
    /// Each way has waited for its display by then.
    private static let answerMilliseconds: Int32 = 20_000

    /// - Parameters:
    ///   - holder: the path and the arguments of a program that calls ``ClipboardHolder``, as
    ///     this program does with a word of its own.
    ///   - environment: the variables of this process.
    package init(holder: [String], environment: [String: String]) {
        (self.holder, self.environment) = (holder, environment)
    }

    /// Copies a secret, which is taken away after this time; returns once the clipboard has it.
    package func copy(
        _ text: SharedSecret,
        seconds: UInt32 = secondsDefault
    ) throws(ClipboardError) -> Receipt {
        guard text.count > 0 else { throw .empty }
        guard text.count <= Self.bytesMax else { throw .tooLarge(bytes: text.count) }
        // A process without a terminal cannot open it.
        let terminal = try? OpenEnd.open("/dev/tty", O_WRONLY)
        _ = try ClipboardWay.choose(
            environment: environment,
            hasTerminal: terminal != nil,
            find: { ProgramSearch.onPath($0, path: environment["PATH"]) }
        )
        children.removeAll { child in
            var status: Int32 = 0
            return unsafe waitpid(child, &status, WNOHANG) != 0
        }
        let (input, jobEnd) = try OpenEnd.pipe()
        // The whole job fits in, so that an early end of the child is noticed at once.
        _ = fcntl(jobEnd.number, Self.setPipeSize, Int32(2 * Self.bytesMax))
        let (answerEnd, output) = try OpenEnd.pipe()
        let nothing = try OpenEnd.open("/dev/null", O_WRONLY)
        let child = try ChildProgram.start(
            holder,
            files: [input, output, nothing] + (terminal.map { [$0] } ?? []),
            // A crash must not write memory anywhere.
            variables: environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 },
            isDetached: true
        )
        children.append(child)
        output.close()
        let job = ClipboardJob.encode(text, seconds: seconds, hasTerminal: terminal != nil)
        let isWritten = job.write(to: jobEnd.number, limitMilliseconds: Self.answerMilliseconds)
        // Until here, so that an early end of the child is no SIGPIPE for this process.
        input.close()
        jobEnd.close()
        guard isWritten, let byte = Self.answer(from: answerEnd) else {
            endLast()
            throw .noAnswer
        }
        guard let kind = ClipboardWay.Kind(rawValue: byte) else {
            endLast()
            throw .refused
        }
        return Receipt(kind: kind)
    }

    /// Ends a holder that holds nothing, and takes note of its end.
    private func endLast() {
        guard let child = children.popLast() else { return }
        kill(child, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(child, &status, 0)
    }

    /// - Returns: nil if the process ended without an answer, or gives none.
    private static func answer(from end: OpenEnd) -> UInt8? {
        var wait = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
        var result: Int32
        repeat {
            result = unsafe poll(&wait, 1, answerMilliseconds)
        } while result < 0 && errno == EINTR
        var byte: UInt8 = 0
        guard result > 0, unsafe read(end.number, &byte, 1) == 1 else { return nil }
        return byte
    }
}
