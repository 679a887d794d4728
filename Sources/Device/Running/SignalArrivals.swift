internal import Glibc
internal import Synchronization

/// Collects signals in a pipe instead of letting them end or stop this process.
///
/// Signals that the process ignored before stay ignored, here and in the programs that it starts.
/// The handlers are not inherited by programs. Only one value may exist at a time.
package struct SignalArrivals {
    /// A signal that came.
    package struct Arrival: Hashable {
        package let number: Int32
        /// Whether the kernel sent it, for a key of the terminal or its end, to all processes of
        /// the foreground.
        package let isFromTerminal: Bool
    }

    /// The end of the pipe to which the handler writes: a handler may do little else.
    private static let input = Atomic<Int32>(-1)

    /// Readable once a signal came.
    package let descriptor: Int32
    private let before: [(number: Int32, action: sigaction)]
    private var mask = sigset_t()

    package init?(_ numbers: [Int32]) {
        guard let pipe = Pipe() else { return nil }
        for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        descriptor = pipe.reading
        Self.input.store(pipe.writing, ordering: .sequentiallyConsistent)
        var before: [(Int32, sigaction)] = []
        for number in numbers {
            var action = sigaction()
            unsafe sigaction(number, nil, &action)
            guard !Self.isIgnored(action) else { continue }
            before.append((number, action))
            Self.install(number)
        }
        self.before = before
        // The threads that run tasks block all signals.
        var handled = Self.set(numbers)
        unsafe pthread_sigmask(SIG_UNBLOCK, &handled, &mask)
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        return signals
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        // Both are addresses, although no function is at that of SIG_IGN.
        let ignore = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignore
    }

    private static func install(_ number: Int32) {
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_RESTART
        unsafe action.__sigaction_handler.sa_sigaction = { number, information, _ in
            let saved = errno
            // SI_KERNEL
            let isFromTerminal = unsafe information?.pointee.si_code == 0x80
            var message = [UInt8(truncatingIfNeeded: number), isFromTerminal ? 1 : 0]
            let input = SignalArrivals.input.load(ordering: .sequentiallyConsistent)
            _ = unsafe write(input, &message, 2)
            errno = saved
        }
        unsafe sigaction(number, &action, nil)
    }

    /// The signals that came since the last call, in order.
    package func take() -> [Arrival] {
        var arrivals: [Arrival] = []
        var message: [UInt8] = [0, 0]
        while unsafe read(descriptor, &message, 2) == 2 {
            arrivals.append(.init(number: Int32(message[0]), isFromTerminal: message[1] == 1))
        }
        return arrivals
    }

    /// Lets a signal have its usual effect on this process, which may end or stop it.
    ///
    /// Returns if the process goes on after it.
    package func deliver(_ number: Int32, toGroup: Bool = false) {
        _ = signal(number, SIG_DFL)
        kill(toGroup ? 0 : getpid(), number)
        if before.contains(where: { $0.number == number }) { Self.install(number) }
    }

    /// Restores how the process handled the signals, on the thread that made this value.
    package func end() {
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
        for (number, action) in before {
            var action = action
            unsafe sigaction(number, &action, nil)
        }
        close(Self.input.exchange(-1, ordering: .sequentiallyConsistent))
        close(descriptor)
    }
}
