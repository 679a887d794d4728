internal import Glibc
internal import KSStore

/// How far a copy is, as one line on a terminal; elsewhere nothing is shown.
final class CopyProgress {
    private static let interval = Duration.milliseconds(200)

    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    private var shownAt: ContinuousClock.Instant?

    func show(_ step: StoreCopy.Step, records: UInt64, of all: UInt64) {
        let now = ContinuousClock.now
        guard isOnTerminal, shownAt.map({ now >= $0 + Self.interval }) ?? true else { return }
        shownAt = now
        let percent = all > 0 ? min(100, records * 100 / all) : 100
        let verb = step == .copying ? "copied" : "compared"
        draw("\(verb) \(records) of \(all) records, \(percent) %")
    }

    /// Removes the line, so that the next output begins one.
    func clear() {
        if shownAt != nil { draw("") }
    }

    private func draw(_ text: String) {
        // Back to the first column, and what is there is erased.
        let line = Array("\r\u{1B}[K\(text)".utf8)
        // A line that the terminal does not take is shown again a moment later.
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
