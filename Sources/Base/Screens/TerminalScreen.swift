internal import Glibc

/// The whole screen of the process' terminal, for as long as a function runs.
///
/// What stood on the screen before comes back afterwards: when the function returns or throws,
/// when a signal ends or stops the program, and when it crashes.
package final class TerminalScreen {
    package enum Event: Hashable, Sendable {
        case key(Keystroke)
        /// Also after the program was stopped; the next frame is painted whole.
        case resized(rows: Int, columns: Int)
        /// The time to wait is over.
        case timeOver
        /// A signal ends the program, or the terminal is gone: the function has to return.
        case ended
    }

    package private(set) var rows = 24
    package private(set) var columns = 80
    private let terminal: Int32
    private let usual: termios
    private let signals: TerminalSignals
    private var painter: Painter
    private var decoder: KeyDecoder
    private var events: [Event] = []
    private var endingSignal: Int32?
    private var isGone = false

    /// Runs a function with the screen.
    ///
    /// A signal that ends the program acts after the screen is restored, so this may not return.
    package static func run<Result>(
        environment: [String: String],
        escapeMilliseconds: Int64 = 50,
        _ body: (TerminalScreen) throws -> Result
    ) throws -> Result {
        let features = TerminalFeatures(environment: environment)
        guard features.hasCursor else { throw ScreenError.dumbTerminal }
        let screen = try TerminalScreen(
            features,
            KeyDecoder(escapeMilliseconds: escapeMilliseconds)
        )
        defer { screen.finish() }
        screen.enter()
        return try body(screen)
    }

    private init(_ features: TerminalFeatures, _ decoder: KeyDecoder) throws(ScreenError) {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        var usual = termios()
        guard terminal >= 0 else { throw .noTerminal }
        guard unsafe tcgetattr(terminal, &usual) == 0,
            let signals = TerminalSignals(restoring: terminal, to: usual)
        else {
            close(terminal)
            throw .noTerminal
        }
        (self.terminal, self.usual, self.signals) = (terminal, usual, signals)
        painter = Painter(rows: rows, columns: columns, hasColors: features.hasColors)
        self.decoder = decoder
    }

    package func show(_ frame: Frame) {
        write(painter.paint(frame))
    }

    /// The next event, or ``Event/timeOver`` after this time, in milliseconds; nil waits for ever.
    package func nextEvent(waitingMilliseconds: Int64? = nil) -> Event {
        let end = waitingMilliseconds.map { Self.now + $0 }
        while events.isEmpty {
            if isGone || endingSignal != nil { return .ended }
            let limit = [end, decoder.deadlineMilliseconds].compactMap(\.self).min()
            var waits = [
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.arrivals, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = limit.map { Int32(clamping: max(0, $0 - Self.now)) } ?? -1
            _ = unsafe poll(&waits, nfds_t(waits.count), milliseconds)
            for number in signals.take() { handle(number) }
            if waits[0].revents != 0 { readKeys() }
            events += decoder.timeOut(atMilliseconds: Self.now).map(Event.key)
            if let end, events.isEmpty, Self.now >= end { return .timeOver }
        }
        return events.removeFirst()
    }

    /// Gives the screen back while a function runs, as an editor does that it starts.
    package func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        leave()
        defer {
            // Ctrl-C was for the other program.
            for number in signals.take() where number == SIGTERM || number == SIGHUP {
                handle(number)
            }
            enter()
            events.append(.resized(rows: rows, columns: columns))
        }
        return try signals.passing(SIGTSTP, during: body)
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(terminal, &bytes, bytes.count)
        guard count > 0 else {
            if count == 0 || errno != EINTR && errno != EAGAIN { isGone = true }
            return
        }
        events += decoder.take(bytes.prefix(count), atMilliseconds: Self.now).map(Event.key)
    }

    private func handle(_ number: Int32) {
        switch number {
        case SIGTSTP:
            leave()
            // Returns when the program is continued.
            signals.deliver(SIGTSTP)
            resume()
        // Also after SIGSTOP, which nobody can handle: the shell has restored its own settings.
        case SIGCONT: resume()
        case SIGWINCH:
            measure()
            events.append(.resized(rows: rows, columns: columns))
        default: endingSignal = endingSignal ?? number
        }
    }

    private func resume() {
        enter()
        events.append(.resized(rows: rows, columns: columns))
    }

    private func enter() {
        var raw = usual
        // The characters for signals stay in force, so that Ctrl-C ends the program in any state.
        raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
        raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
        unsafe withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            unsafe characters[Int(VMIN)] = 1
            unsafe characters[Int(VTIME)] = 0
        }
        set(&raw)
        measure()
        write(Painter.entering)
    }

    private func leave() {
        write(Painter.leaving)
        var usual = usual
        set(&usual)
    }

    private func finish() {
        leave()
        for number in signals.take() where TerminalSignals.ending.contains(number) {
            endingSignal = endingSignal ?? number
        }
        signals.end()
        close(terminal)
        if let endingSignal { TerminalSignals.raise(endingSignal) }
    }

    private func set(_ settings: inout termios) {
        while unsafe tcsetattr(terminal, TCSADRAIN, &settings) != 0 && errno == EINTR {}
    }

    private func measure() {
        var size = winsize()
        if unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 {
            (rows, columns) = (Int(size.ws_row), Int(size.ws_col))
        }
        painter.forget(rows: rows, columns: columns)
    }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(terminal, bytes.baseAddress, bytes.count)
            }
            guard count >= 0 || errno == EINTR || errno == EAGAIN else { return isGone = true }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
