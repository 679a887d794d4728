internal import Glibc
internal import KSMasking

extension Program {
    /// Runs the program until it ends, with secrets in its output replaced.
    ///
    /// Standard input passes untouched. Standard output and error are pipes, or pseudo-terminals
    /// where they are terminals; both are one stream if they lead to the same place. If standard
    /// output is a terminal, the program has a terminal of its own, as under `ssh -t`: line
    /// editing, keys that end or stop it, and the size of the window work. Otherwise it stays in
    /// this process's group, and keys of the terminal reach it by themselves.
    ///
    /// Signals to this process are passed on. It takes SIGCHLD and other signals for itself until
    /// it returns, so one program can run at a time. The environment is overwritten once the
    /// program has it, so that a value can run once.
    ///
    /// - Parameter secrets: values that must not be seen.
    /// - Returns: how the program ended.
    /// - Throws: ``RunError`` if the system cannot start it.
    package func run(masking secrets: [[UInt8]]) throws(RunError) -> ProgramEnd {
        Self.openStandardStreams()
        guard let arrivals = SignalArrivals(MaskedRun.signals) else {
            throw .system(program: name, errno: errno)
        }
        defer { arrivals.end() }
        let patterns = MaskingPatterns(secrets: secrets)
        var run = try MaskedRun(self, masking: patterns, arrivals)
        defer { run.end() }
        return try run.untilEnd()
    }

    /// No pipe of ours may get the number of a standard stream that is closed.
    private static func openStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}

/// A program that runs, its terminal and its output.
private struct MaskedRun {
    static let signals = [
        SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT,
        SIGPIPE,
    ]
    /// The kernel passes a pseudo-terminal's bytes on with a delay, so that some come after the
    /// program's end.
    private static let terminalSilenceMilliseconds = 50

    /// How long a program that the shell brings to the foreground waits for its keys: bash sends no
    /// signal then.
    private static let backgroundMilliseconds = 200

    private let program: Program
    private let arrivals: SignalArrivals
    private let started: StartedProgram
    private var channels: [OutputChannel]
    /// Pseudo-terminals' outer ends, with the real terminals that they are like.
    private let sizes: [(outer: Int32, terminal: Int32)]

    /// Only for a program in a session of its own.
    private var terminal: RealTerminal?
    private var keys: ArraySlice<UInt8> = []
    private var isInputOpen = true
    /// The signals of the keys that were typed.
    private var keySignals: Set<Int32> = []

    private var ending: ProgramEnd?
    private var isCancelled = false

    init(
        _ program: Program,
        masking patterns: MaskingPatterns,
        _ arrivals: SignalArrivals
    ) throws(RunError) {
        self.program = program
        self.arrivals = arrivals
        let outlets = Outlets()
        defer { outlets.closeInnerEnds() }
        // Before the program can ask for keys.
        var terminal = outlets.isSession ? RealTerminal(outlets.keys) : nil
        terminal?.makeRaw()
        do throws(RunError) {
            started = try Self.start(program, outlets)
        } catch {
            terminal?.restore()
            outlets.closeOuterEnds()
            if let terminal, terminal.descriptor != STDIN_FILENO { close(terminal.descriptor) }
            throw error
        }
        self.terminal = terminal
        // What can mask the secrets has them too, and nothing else of this run.
        program.environment.erase()
        channels = outlets.all.compactMap { outlet in
            outlet.outer < 0
                ? nil : OutputChannel(from: outlet.outer, to: outlet.stream, masking: patterns)
        }
        sizes = outlets.all.filter(\.isTerminal).map { ($0.outer, $0.stream) }
    }

    private static func start(
        _ program: Program,
        _ outlets: Outlets
    ) throws(RunError) -> StartedProgram {
        let (output, errors) = (outlets.output.inner, outlets.errors.inner)
        guard outlets.isSession else {
            return try StartedProgram(program, output: output, errors: errors)
        }
        return try StartedProgram(program, on: output, input: outlets.input, errors: errors)
    }

    mutating func untilEnd() throws(RunError) -> ProgramEnd {
        while true {
            try takeChanges()
            if ending != nil {
                for index in channels.indices where channels[index].isHungUp { finish(index) }
            }
            if let ending, isDrained { return ending }
            if ending == nil { terminal?.makeRaw() }
            var events = self.events
            let count = unsafe poll(&events, nfds_t(events.count), timeoutMilliseconds)
            if count == 0 { handleSilence() }
            let now = Self.now
            flush(now)
            guard count > 0 else { continue }
            for event in events where event.revents != 0 { handle(event.fd, now) }
        }
    }

    private mutating func handleSilence() {
        for index in channels.indices {
            if ending == nil {
                channels[index].tryAgain()
            } else if channels[index].canRead {
                // All that the program has written is read.
                finish(index)
            }
        }
    }

    private var isDrained: Bool {
        isCancelled || channels.allSatisfy { !$0.isOpen && !$0.mustWrite }
    }

    private mutating func finish(_ index: Int) { channels[index].finish() }

    private mutating func flush(_ now: Int) {
        for index in channels.indices {
            guard let deadline = channels[index].deadlineMilliseconds, deadline <= now else {
                continue
            }
            channels[index].flush()
        }
    }

    private var events: [pollfd] {
        var events = [pollfd(fd: arrivals.descriptor, events: Int16(POLLIN), revents: 0)]
        func add(_ descriptor: Int32, _ event: Int32) {
            events.append(pollfd(fd: descriptor, events: Int16(event), revents: 0))
        }
        if started.reports >= 0, ending == nil { add(started.reports, POLLIN) }
        for channel in channels {
            if channel.mustWrite { add(channel.outer, POLLOUT) }
            if channel.canRead { add(channel.inner, POLLIN) }
        }
        if let terminal, ending == nil, let master = channels.first, master.isOpen {
            if !keys.isEmpty {
                add(master.inner, POLLOUT)
            } else if isInputOpen, terminal.isRaw {
                add(terminal.descriptor, POLLIN)
            }
        }
        return events
    }

    /// For `poll`: -1 without end.
    private var timeoutMilliseconds: Int32 {
        let now = Self.now
        var timeouts = channels.compactMap(\.deadlineMilliseconds).map { max(0, $0 - now) }
        if terminal?.isRaw == false, ending == nil {
            timeouts.append(Self.backgroundMilliseconds)
        }
        if channels.contains(where: \.isHungUp) {
            timeouts.append(MaskingFilter.heldMillisecondsMax)
        }
        // What a grandchild writes later does not count, and what a reader has not taken does.
        if ending != nil, !channels.contains(where: \.mustWrite) {
            timeouts.append(sizes.isEmpty ? 0 : Self.terminalSilenceMilliseconds)
        }
        return timeouts.min().map { Int32($0) } ?? -1
    }

    private static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    private mutating func handle(_ descriptor: Int32, _ now: Int) {
        if descriptor == arrivals.descriptor { return arrivals.take().forEach { handle($0) } }
        if descriptor == terminal?.descriptor { return readKeys(of: descriptor) }
        for index in channels.indices {
            if channels[index].outer == descriptor, channels[index].mustWrite {
                channels[index].write()
            } else if channels[index].inner == descriptor {
                if index == 0, !keys.isEmpty { writeKeys(to: descriptor) }
                if channels[index].canRead { _ = channels[index].read(now: now) }
            }
        }
    }

    // MARK: Keys

    private mutating func readKeys(of terminal: Int32) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(terminal, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        // Without its terminal the program gets a SIGHUP, from the terminal or from us.
        guard count > 0 else { return isInputOpen = false }
        keys = bytes[..<count]
        keySignals.formUnion(self.terminal?.signals(of: keys) ?? [])
    }

    private mutating func writeKeys(to master: Int32) {
        let bytes = Array(keys)
        let count = unsafe write(master, bytes, bytes.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        keys = count > 0 ? keys.dropFirst(count) : []
    }

    // MARK: Signals

    private mutating func handle(_ arrival: SignalArrivals.Arrival) {
        switch arrival.number {
        case SIGCHLD, SIGPIPE: return
        case SIGWINCH:
            for size in sizes { PseudoTerminal.copySize(from: size.terminal, to: size.outer) }
            // The kernel told it before its own terminal had the size.
            if terminal == nil { started.send(SIGWINCH) }
        case SIGCONT: resume()
        case SIGINT, SIGTERM, SIGHUP, SIGQUIT:
            if ending != nil { isCancelled = true }
            pass(arrival)
        default: pass(arrival)
        }
    }

    private func pass(_ arrival: SignalArrivals.Arrival) {
        guard ending == nil else { return }
        guard arrival.isFromTerminal else { return started.send(arrival.number) }
        // Without a session of its own the program's group got it too.
        if terminal != nil { started.sendToGroup(arrival.number) }
    }

    private mutating func takeChanges() throws(RunError) {
        while ending == nil, let change = try started.nextChange(of: program) {
            switch change {
            case .ended(let end):
                ending = end
                if case .killed(let signal, _) = end, keySignals.contains(signal) {
                    ending = .killed(signal: signal, isByKey: true)
                }
                for index in channels.indices { channels[index].tryAgain() }
            case .stopped(let signal): stop(after: signal)
            }
        }
    }

    /// Stops this process as the program was stopped, so that the shell has its terminal back.
    private mutating func stop(after signal: Int32) {
        if terminal != nil {
            writeRest()
            terminal?.restore()
            // The stop key would have stopped the whole group.
            arrivals.deliver(SIGTSTP, toGroup: true)
        } else if signal != SIGSTOP {
            arrivals.deliver(SIGTSTP)
        } else {
            // Somebody means the program alone.
            return
        }
        // The shell continues the job; or nobody could, and the kernel ignored the stop.
        resume()
    }

    /// Writes what the program has written before it stopped, such as the end of a full screen.
    private mutating func writeRest() {
        func isReady(_ descriptor: Int32, _ event: Int32, _ milliseconds: Int32) -> Bool {
            var event = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            return unsafe poll(&event, 1, milliseconds) == 1
        }
        for index in channels.indices {
            let (inner, outer) = (channels[index].inner, channels[index].outer)
            var isMore = true
            while isMore {
                while channels[index].mustWrite, isReady(outer, POLLOUT, -1) {
                    channels[index].write()
                }
                let silence = Self.terminalSilenceMilliseconds
                isMore = channels[index].canRead && isReady(inner, POLLIN, Int32(silence))
                isMore = isMore && channels[index].read(now: Self.now)
                if !isMore { channels[index].flush() }
                isMore = isMore || channels[index].mustWrite
            }
        }
    }

    private mutating func resume() {
        guard ending == nil else { return }
        terminal?.makeRaw()
        for size in sizes { PseudoTerminal.copySize(from: size.terminal, to: size.outer) }
        started.resume()
    }

    mutating func end() {
        channels.indices.forEach { finish($0) }
        terminal?.restore()
        if let terminal, terminal.descriptor != STDIN_FILENO { close(terminal.descriptor) }
        started.end()
    }
}
