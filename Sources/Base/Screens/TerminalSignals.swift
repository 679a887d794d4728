internal import Glibc
internal import Synchronization

/// Makes signals readable from a pipe, and restores the terminal when the program crashes.
///
/// There is one at a time.
final class TerminalSignals {
    static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
    private static let watched = ending + [SIGTSTP, SIGCONT, SIGWINCH]
    private static let crashes = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// The pipe to which the handler writes their numbers: a handler may do little else.
    private static let arrivalsInput = Atomic<Int32>(-1)
    /// The terminal that a crash restores, or -1.
    private static let crashTerminal = Atomic<Int32>(-1)
    /// Only written while no handler for crashes is installed.
    ///
    /// It is no static variable: Swift 6.3.1 gives one of this C type 57 bytes, and writes 60.
    nonisolated(unsafe) private static let crashSettings =
        UnsafeMutablePointer<termios>.allocate(capacity: 1)

    /// The pipe's other end, readable once a signal came.
    let arrivals: Int32
    private var before: [(number: Int32, action: sigaction)] = []

    init?(restoring terminal: Int32, to settings: termios) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        arrivals = ends[0]
        Self.arrivalsInput.store(ends[1], ordering: .sequentiallyConsistent)
        unsafe Self.crashSettings.initialize(to: settings)
        Self.crashTerminal.store(terminal, ordering: .sequentiallyConsistent)
        for number in Self.watched { watch(number) }
        for number in Self.crashes { watchCrash(number) }
    }

    private func install(_ number: Int32, _ handler: @convention(c) (Int32) -> Void, _ flags: Int32)
    {
        var action = sigaction()
        var earlier = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        action.sa_flags = flags
        unsafe sigaction(number, &action, &earlier)
        before.append((number, earlier))
    }

    private func watch(_ number: Int32) {
        install(
            number,
            { number in
                var byte = UInt8(truncatingIfNeeded: number)
                let code = errno
                let input = TerminalSignals.arrivalsInput.load(ordering: .sequentiallyConsistent)
                _ = unsafe write(input, &byte, 1)
                errno = code
            },
            Int32(SA_RESTART)
        )
    }

    /// After the handler the crash happens again, with its usual result.
    private func watchCrash(_ number: Int32) {
        install(
            number,
            { _ in
                let terminal = TerminalSignals.crashTerminal.load(ordering: .sequentiallyConsistent)
                guard terminal >= 0 else { return }
                let leaving: StaticString =
                    "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
                _ = unsafe write(terminal, leaving.utf8Start, leaving.utf8CodeUnitCount)
                unsafe tcsetattr(terminal, TCSANOW, TerminalSignals.crashSettings)
            },
            Int32(bitPattern: UInt32(SA_RESETHAND))
        )
    }

    /// The signals that came since the last call.
    func take() -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(arrivals, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }

    /// Handles signals as they were handled before.
    func end() {
        for (number, earlier) in before {
            var action = earlier
            unsafe sigaction(number, &action, nil)
        }
        before = []
        Self.crashTerminal.store(-1, ordering: .sequentiallyConsistent)
        close(Self.arrivalsInput.exchange(-1, ordering: .sequentiallyConsistent))
        close(arrivals)
    }

    /// Lets a signal act as it did before, and handles it here again if the program goes on.
    func deliver(_ number: Int32) {
        Self.raise(number, handledBy: before.first { $0.number == number }?.action)
    }

    /// Lets a signal act as it did before while a function runs.
    ///
    /// A program has to stop together with an editor that it waits for, or the shell waits too.
    func passing<Result>(
        _ number: Int32,
        during body: () throws -> Result
    ) rethrows -> Result {
        var usual = before.first { $0.number == number }?.action ?? sigaction()
        var own = sigaction()
        unsafe sigaction(number, &usual, &own)
        defer { unsafe sigaction(number, &own, nil) }
        return try body()
    }

    static func raise(_ number: Int32, handledBy action: sigaction? = nil) {
        var own = sigaction()
        if var action { unsafe sigaction(number, &action, &own) }
        // Other threads may block it, and it must have acted when this returns.
        var only = sigset_t()
        unsafe sigemptyset(&only)
        unsafe sigaddset(&only, number)
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_UNBLOCK, &only, &mask)
        Glibc.raise(number)
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
        if action != nil { unsafe sigaction(number, &own, nil) }
    }
}
