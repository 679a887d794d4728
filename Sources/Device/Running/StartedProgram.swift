internal import Glibc
internal import KSCLinux

/// How a program ended.
package enum ProgramEnd: Hashable {
    case exited(code: Int32)
    /// `isByKey`: by a key of the terminal that this process has taken over, which would have
    /// reached all of this process's group.
    case killed(signal: Int32, isByKey: Bool = false)

    /// A shell's: 128 and the signal's number for a program that was killed.
    package var exitCode: Int32 {
        switch self {
        case .exited(let code): code
        case .killed(let signal, _): 128 + signal
        }
    }

    /// Ends this process by the signal that ended the program, so that a shell sees that and leaves
    /// its loop; returns if no signal ended it.
    package func endByItsSignal() {
        guard case .killed(let number, let isByKey) = self else { return }
        _ = signal(number, SIG_DFL)
        var one = sigset_t()
        unsafe sigemptyset(&one)
        unsafe sigaddset(&one, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &one, nil)
        // A shell that runs a script is in the same group, and ends too.
        if isByKey { kill(0, number) }
        raise(number)
    }
}

/// A running program, and what happened to it.
package struct StartedProgram {
    package enum Change: Hashable {
        case stopped(signal: Int32)
        case ended(ProgramEnd)
    }

    /// The program itself.
    package let processID: Int32
    /// The process between, for a program in a session of its own.
    private let leader: pid_t?
    /// Where the leader reports; -1 without one.
    let reports: Int32

    /// Starts a program in this process's group, with other standard output and error.
    ///
    /// The descriptors stay open here. All others must be closed on exec.
    /// `input`: its standard input; ours by default. `leadsGroup`: whether it leads a group of its
    /// own, so that the keys of the terminal do not reach it.
    package init(
        _ program: Program,
        input: Int32? = nil,
        output: Int32,
        errors: Int32,
        leadsGroup: Bool = false
    ) throws(RunError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Swift's threads block signals, which a program expects to be let in.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        let flags = POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var child: pid_t = 0
        func spawn(_ path: UnsafePointer<CChar>, _ arguments: CStrings) -> Int32 {
            unsafe posix_spawn(
                &child,
                path,
                &actions,
                &attributes,
                arguments.pointers,
                program.environment.pointers
            )
        }
        var code = unsafe spawn(UnsafePointer(program.path), program.arguments)
        if code == ENOEXEC { code = unsafe spawn("/bin/sh", program.shellArguments) }
        guard code == 0 else { throw .system(program: program.name, errno: code) }
        processID = child
        leader = nil
        reports = -1
    }

    /// Starts a program in a session of its own, which a terminal controls.
    package init(
        _ program: Program,
        on terminal: Int32,
        input: Int32,
        errors: Int32
    ) throws(RunError) {
        guard let pipe = Pipe() else {
            throw .system(program: program.name, errno: errno)
        }
        var description = unsafe keychain_session_program()
        unsafe description.path = UnsafePointer(program.path)
        unsafe description.arguments = UnsafePointer(program.arguments.pointers)
        unsafe description.shell_arguments = UnsafePointer(program.shellArguments.pointers)
        unsafe description.environment = UnsafePointer(program.environment.pointers)
        unsafe description.terminal = terminal
        unsafe description.streams = (input, terminal, errors)
        unsafe description.reports = pipe.writing
        let leader = unsafe keychain_start_session(&description)
        let number = errno
        close(pipe.writing)
        reports = pipe.reading
        self.leader = leader
        let report = leader > 0 ? Self.nextReport(of: pipe.reading) : nil
        guard let report, report.kind == KEYCHAIN_SESSION_STARTED else {
            close(pipe.reading)
            if leader > 0 { _ = waitpid(leader, nil, 0) }
            let failed = KEYCHAIN_SESSION_FAILED
            let reason = report.map { $0.kind == failed ? $0.value : EIO } ?? number
            throw .system(program: program.name, errno: reason)
        }
        processID = report.value
        _ = fcntl(reports, F_SETFL, O_NONBLOCK)
    }

    private static func nextReport(of descriptor: Int32) -> (kind: Int, value: Int32)? {
        var report = keychain_session_report()
        let size = MemoryLayout<keychain_session_report>.size
        while true {
            let count = unsafe read(descriptor, &report, size)
            if count < 0, errno == EINTR { continue }
            return count == size ? (Int(report.kind), report.value) : nil
        }
    }

    /// What happened since the last call, or nil for nothing.
    ///
    /// - Throws: the reason why the program did not start after all.
    package func nextChange(of program: Program) throws(RunError) -> Change? {
        var status: Int32 = 0
        guard let leader else {
            let found = unsafe waitpid(processID, &status, WNOHANG | WUNTRACED)
            return found == processID ? Self.change(status) : nil
        }
        let isGone = unsafe waitpid(leader, &status, WNOHANG) == leader
        if let report = Self.nextReport(of: reports) {
            guard report.kind != KEYCHAIN_SESSION_FAILED else {
                throw .system(program: program.name, errno: report.value)
            }
            return Self.change(report.value)
        }
        // Somebody killed the leader, and the terminal's end will end the program.
        return isGone ? .ended(.killed(signal: SIGKILL)) : nil
    }

    private static func change(_ status: Int32) -> Change {
        let signal = status & 0x7F
        if signal == 0x7F { return .stopped(signal: status >> 8 & 0xFF) }
        return .ended(
            signal == 0 ? .exited(code: status >> 8 & 0xFF) : .killed(signal: signal)
        )
    }

    package func send(_ signal: Int32) { kill(processID, signal) }

    /// Only for a program in a session of its own, which leads a group too.
    func sendToGroup(_ signal: Int32) { kill(-processID, signal) }

    /// Continues the program and the others of its group, if it has one of its own.
    func resume() { kill(leader == nil ? processID : -processID, SIGCONT) }

    /// Takes the end of the leader, which comes right after the program's.
    package func end() {
        guard let leader else { return }
        close(reports)
        _ = waitpid(leader, nil, 0)
    }
}
