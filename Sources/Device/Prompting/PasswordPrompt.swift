internal import Glibc
internal import Synchronization

/// Why a prompt gave no answer.
package enum PromptError: Error, Hashable {
    /// There is no terminal.
    case noTerminal
    /// The terminal was closed, or the user has ended the input.
    case brokenOff
    /// The line has more than ``TypedLine/bytesMax`` bytes.
    case tooLong
    /// More lines came with the first, as when several are pasted.
    case severalLines
}

/// Asks for passwords on the terminal, without echo, even if standard input is something else.
package enum PasswordPrompt {
    /// The typed line, without its line break.
    ///
    /// A signal takes effect only after the terminal's settings are restored. If the program
    /// continues after it, as after a stop, it asks again.
    ///
    /// - Throws: ``PromptError/severalLines`` rather than to keep the first line of a pasted key.
    package static func ask(_ prompt: String) throws(PromptError) -> [UInt8] {
        try onTerminal { terminal throws(PromptError) in
            try askOnce(prompt, on: terminal, line)
        }
    }

    /// The typed lines, each with its line break, up to the end of input at the start of a line.
    package static func askText(_ prompt: String) throws(PromptError) -> [UInt8] {
        try onTerminal { terminal throws(PromptError) in
            try askOnce(prompt, on: terminal, text)
        }
    }

    private typealias Asking = (Int32) throws(PromptError) -> [UInt8]?

    /// Calls `ask` with the session's terminal until it has an answer.
    private static func onTerminal(_ ask: Asking) throws(PromptError) -> [UInt8] {
        let terminal = openTerminal()
        guard terminal >= 0 else { throw .noTerminal }
        defer { close(terminal) }
        while true {
            if let answer = try ask(terminal) { return answer }
        }
    }

    /// The session's terminal, else the one that standard input is; below 0 without one.
    static func openTerminal() -> Int32 {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal < 0, isatty(STDIN_FILENO) == 1 else { return terminal }
        return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }

    /// - Returns: nil when a signal came.
    private static func askOnce(
        _ prompt: String,
        on terminal: Int32,
        _ read: Reading
    ) throws(PromptError) -> [UInt8]? {
        guard let watch = SignalWatch() else { throw .brokenOff }
        // Runs last, after the terminal is restored.
        defer { watch.end() }
        var usual = termios()
        guard unsafe tcgetattr(terminal, &usual) == 0 else { throw .noTerminal }
        var silent = usual.readingSilently()
        // The user must not type a password with echo.
        guard set(&silent, on: terminal) else { throw .brokenOff }
        defer { _ = set(&usual, on: terminal) }
        let words = Array(prompt.utf8)
        guard unsafe write(terminal, words, words.count) == words.count else { throw .brokenOff }
        // The user's own line break is not echoed either.
        defer { _ = unsafe write(terminal, "\n", 1) }
        return try read(terminal, TypedLine(TypedLine.Keys(usual)), watch.arrivals)
    }

    /// Changes the settings, and discards unread input.
    static func set(_ settings: inout termios, on terminal: Int32) -> Bool {
        while unsafe tcsetattr(terminal, TCSAFLUSH, &settings) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Reads an answer from a terminal: nil if a signal came first.
    private typealias Reading = (
        _ terminal: Int32, _ empty: TypedLine, _ arrivals: Int32
    ) throws(PromptError) -> [UInt8]?

    private static func line(
        of terminal: Int32,
        _ empty: TypedLine,
        unless arrivals: Int32
    ) throws(PromptError) -> [UInt8]? {
        var line = empty
        while let byte = try typedByte(of: terminal, unless: arrivals) {
            guard let bytes = try whole(line.take(byte)) else { continue }
            try checkNothingFollows(on: terminal)
            return bytes
        }
        return nil
    }

    private static func text(
        of terminal: Int32,
        _ empty: TypedLine,
        unless arrivals: Int32
    ) throws(PromptError) -> [UInt8]? {
        var text: [UInt8] = []
        var line = empty
        while let byte = try typedByte(of: terminal, unless: arrivals) {
            switch line.take(byte) {
            case .more: break
            case .ended: return text + line.bytes
            case .tooLong: throw .tooLong
            case .line(let bytes):
                text += bytes + [UInt8(ascii: "\n")]
                guard text.count <= TypedLine.bytesMax else { throw .tooLong }
                line = empty
            }
        }
        return nil
    }

    /// - Returns: nil if a signal came first.
    private static func typedByte(
        of terminal: Int32,
        unless arrivals: Int32
    ) throws(PromptError) -> UInt8? {
        var waits = [
            pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
            pollfd(fd: arrivals, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&waits, nfds_t(waits.count), -1) < 0 {
            guard errno == EINTR else { throw .brokenOff }
        }
        if waits[1].revents != 0 { return nil }
        guard let byte = nextByte(of: terminal) else { throw .brokenOff }
        return byte
    }

    /// A paste arrives at once: what follows the line within a moment belongs to it.
    private static func checkNothingFollows(on terminal: Int32) throws(PromptError) {
        let pasteMilliseconds: Int32 = 20
        var wait = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&wait, 1, pasteMilliseconds) == 1 {
            guard let byte = nextByte(of: terminal) else { return }
            // Line breaks at its end say nothing.
            guard byte == UInt8(ascii: "\n") else { throw .severalLines }
        }
    }

    /// - Returns: nil while the line is not complete.
    private static func whole(_ step: TypedLine.Step) throws(PromptError) -> [UInt8]? {
        switch step {
        case .more: nil
        case .line(let bytes): bytes
        case .ended: throw .brokenOff
        case .tooLong: throw .tooLong
        }
    }

    /// A line of standard input without its line break, for processes without a terminal.
    ///
    /// - Returns: nil at its end. Input after the line stays unread.
    package static func lineOfStandardInput() throws(PromptError) -> [UInt8]? {
        var line = TypedLine(TypedLine.Keys())
        var isEmpty = true
        while let byte = nextByte(of: STDIN_FILENO) {
            isEmpty = false
            if let bytes = try whole(line.take(byte)) { return bytes }
        }
        // The last line may lack its line break.
        return isEmpty ? nil : try whole(line.take(UInt8(ascii: "\n")))
    }

    fileprivate static func nextByte(of descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }
}

/// Delays the signals that end or stop a program until the terminal is restored.
private struct SignalWatch {
    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
    /// A pipe to which the handler writes their numbers: a signal handler may do little else.
    private static let arrivalsInput = Atomic<Int32>(-1)

    /// The pipe's other end, readable once a signal came.
    let arrivals: Int32
    private var actionsBefore: [sigaction] = []

    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        arrivals = ends[0]
        Self.arrivalsInput.store(ends[1], ordering: .sequentiallyConsistent)
        for signal in Self.signals {
            var action = sigaction()
            var before = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                var byte = UInt8(truncatingIfNeeded: number)
                let input = SignalWatch.arrivalsInput.load(ordering: .sequentiallyConsistent)
                _ = unsafe write(input, &byte, 1)
            }
            unsafe sigaction(signal, &action, &before)
            actionsBefore.append(before)
        }
    }

    /// Delivers the signals that came, which may end the program.
    func end() {
        for index in Self.signals.indices {
            var before = actionsBefore[index]
            unsafe sigaction(Self.signals[index], &before, nil)
        }
        close(Self.arrivalsInput.load(ordering: .sequentiallyConsistent))
        defer { close(arrivals) }
        while let number = PasswordPrompt.nextByte(of: arrivals) { Self.deliver(Int32(number)) }
    }

    /// Sends a signal to this thread, so that it has taken effect when this returns.
    private static func deliver(_ number: Int32) {
        // The threads that run tasks block all signals.
        var only = sigset_t()
        unsafe sigemptyset(&only)
        unsafe sigaddset(&only, number)
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_UNBLOCK, &only, &before)
        raise(number)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
