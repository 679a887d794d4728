internal import Glibc

/// Keeps what is typed before a question off the screen, and out of the answer.
package enum HiddenTyping {
    /// Calls `body` without the terminal's echo, then discards what was typed meanwhile.
    ///
    /// What is typed while a command waits may be the password for which it asks next. A signal
    /// restores the terminal before it takes effect. One call at a time.
    package static func during<Value, Failure>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let terminal = PasswordPrompt.openTerminal()
        guard terminal >= 0 else { return try body() }
        defer { close(terminal) }
        var usual = termios()
        // Of a terminal whose settings cannot be read, none is changed.
        guard unsafe tcgetattr(terminal, &usual) == 0 else { return try body() }
        unsafe waits.pointee.terminal = terminal
        unsafe waits.pointee.usual = usual
        for (place, number) in signals.enumerated() {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { HiddenTyping.restore(before: $0) }
            unsafe sigaction(number, &action, &before[place])
        }
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        _ = PasswordPrompt.set(&silent, on: terminal)
        defer {
            _ = PasswordPrompt.set(&usual, on: terminal)
            for (place, number) in signals.enumerated() {
                unsafe sigaction(number, &before[place], nil)
            }
        }
        return try body()
    }

    private struct Wait {
        var terminal: Int32 = -1
        var usual = termios()
    }

    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
    // A signal handler reads both, which may not allocate or wait for a lock. They are written
    // before the handler is set.
    nonisolated(unsafe) private static let waits: UnsafeMutablePointer<Wait> = {
        let waits = UnsafeMutablePointer<Wait>.allocate(capacity: 1)
        unsafe waits.initialize(to: Wait())
        return unsafe waits
    }()
    nonisolated(unsafe) private static let before: UnsafeMutablePointer<sigaction> = {
        let before = UnsafeMutablePointer<sigaction>.allocate(capacity: signals.count)
        unsafe before.initialize(repeating: sigaction(), count: signals.count)
        return unsafe before
    }()

    /// Handles a signal: restores the terminal, then lets the signal do what it did before.
    private static func restore(before number: Int32) {
        unsafe tcsetattr(waits.pointee.terminal, TCSANOW, &waits.pointee.usual)
        for place in signals.indices where signals[place] == number {
            unsafe sigaction(number, &before[place], nil)
        }
        // It is delivered when this handler returns.
        raise(number)
    }
}
