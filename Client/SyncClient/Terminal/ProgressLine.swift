internal import Glibc
internal import KSAgent

/// Shows the progress of a call that takes longer than a second on standard error.
///
/// On a terminal it is one line, which is rewritten and gone at the end; elsewhere a line every few
/// seconds; and with --json no line is printed.
final class ProgressLine {
    private let isOnTerminal = Console.isErrorOnTerminal
    private let start = ContinuousClock.now
    private var report = ProgressReport(rewrites: Console.isErrorOnTerminal)
    private var length = 0

    func show(_ progress: AgentProgress) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard !Console.writesJSON, let line = report.line(progress, atSeconds: seconds) else {
            return
        }
        if isOnTerminal { draw(String(line.prefix(Self.columns - 1))) } else { Console.warn(line) }
    }

    /// Removes the line, so that the next output begins one.
    func clear() {
        guard length > 0 else { return }
        draw("")
        Console.write("\r", to: STDERR_FILENO)
    }

    private func draw(_ text: String) {
        let blanks = String(repeating: " ", count: max(0, length - text.count))
        Console.write("\r" + text + blanks, to: STDERR_FILENO)
        length = text.count
    }

    private static var columns: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
        return isKnown ? Int(size.ws_col) : 80
    }
}
