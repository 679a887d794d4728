internal import Foundation
internal import Glibc
internal import KSRunning
internal import Synchronization

/// The programs of a story, each known by its process id, and what ends them.
///
/// A signal such as that of Ctrl-C ends them too, and then this process.
final class Processes: Sendable {
    /// A command that hangs is ended, so that a story does.
    private static let commandSecondsMax = 90.0
    private static let watchMilliseconds: Int32 = 1000
    private static let endTriesMax = 50
    private static let outputBytesMax = 64 << 20

    /// A finished command.
    struct Result {
        let status: Int32
        let output: [UInt8]
        let errors: String
    }

    private struct State {
        /// When each command has to have ended; nil for a daemon or a server.
        var running: [Int32: ContinuousClock.Instant?] = [:]
        var isEnding = false
    }

    private let folder: String
    private let environment: [[UInt8]]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: what the programs use; it is removed at the end.
    ///   - environment: their variables.
    init(folder: String, environment: [String: String]) {
        self.folder = folder
        self.environment = environment.map { Array("\($0.key)=\($0.value)".utf8) }
    }

    // MARK: Starting

    /// Runs a command to its end.
    func run(_ path: String, _ arguments: [String]) throws -> Result {
        let program = try program(path, arguments)
        let input = try Self.open("/dev/null", O_RDONLY)
        defer { close(input) }
        var processID: Int32 = 0
        let captured = try program.capture(
            bytesMax: Self.outputBytesMax,
            input: input,
            leadsGroup: true
        ) { id in
            processID = id
            note(id, end: .now + .seconds(Self.commandSecondsMax))
        }
        forget(processID)
        return Result(
            status: captured.end.exitCode,
            output: captured.output,
            errors: String(decoding: captured.errors, as: UTF8.self)
        )
    }

    /// Starts a daemon or a server, which writes to files with this beginning.
    func start(_ path: String, _ arguments: [String], log: String) throws -> RunningProcess {
        let program = try program(path, arguments)
        let input = try Self.open("/dev/null", O_RDONLY)
        defer { close(input) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        let output = try Self.open(log + ".out", flags)
        defer { close(output) }
        let errors = try Self.open(log + ".err", flags)
        defer { close(errors) }
        let started = try StartedProgram(
            program,
            input: input,
            output: output,
            errors: errors,
            leadsGroup: true
        )
        note(started.processID, end: nil)
        return RunningProcess(started, program, log: log, in: self)
    }

    private func program(_ path: String, _ arguments: [String]) throws -> Program {
        // The process ends soon, and must not start anything more.
        while state.withLock(\.isEnding) { sleep(1) }
        return try Program(
            arguments: ([path] + arguments).map { Array($0.utf8) },
            environment: environment
        )
    }

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PlayError.system("\(path) cannot be opened") }
        return descriptor
    }

    private func note(_ processID: Int32, end: ContinuousClock.Instant?) {
        let isEnding = state.withLock { state in
            state.running[processID] = .some(end)
            return state.isEnding
        }
        if isEnding { kill(processID, SIGKILL) }
    }

    func forget(_ processID: Int32) {
        state.withLock { _ = $0.running.removeValue(forKey: processID) }
    }

    // MARK: Ending

    /// Carries out `body`, and ends what runs and removes the folder afterwards, also after a
    /// signal.
    func guarding<Value>(_ body: () throws -> Value) throws -> Value {
        let arrivals = SignalArrivals([SIGINT, SIGTERM, SIGHUP])
        guard let arrivals, let wake = KSRunning.Pipe() else {
            throw PlayError.system("no pipe can be made")
        }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            watch(arrivals, until: wake.reading)
            done.signal()
        }
        defer {
            close(wake.writing)
            done.wait()
            close(wake.reading)
            arrivals.end()
        }
        defer { endAll() }
        return try body()
    }

    /// Ends this process when a signal comes, and commands that hang.
    private func watch(_ arrivals: SignalArrivals, until end: Int32) {
        while true {
            var events = [arrivals.descriptor, end].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            _ = unsafe poll(&events, nfds_t(events.count), Self.watchMilliseconds)
            if let arrival = arrivals.take().first {
                endAll()
                arrivals.deliver(arrival.number)
                _exit(128 + arrival.number)
            }
            if events[1].revents != 0 { return }
            let late = state.withLock { state in
                state.running.filter { $0.value.map { $0 < .now } ?? false }.map(\.key)
            }
            for processID in late where Self.isChild(processID) { kill(processID, SIGKILL) }
        }
    }

    /// Kills what runs and waits until it is gone, then removes the folder.
    private func endAll() {
        state.withLock { $0.isEnding = true }
        // Another thread may be starting a program at this moment, which then runs for a moment.
        for _ in 0..<Self.endTriesMax {
            let running = state.withLock { Array($0.running.keys) }
            for processID in running where Self.isChild(processID) { kill(processID, SIGKILL) }
            for processID in running {
                for _ in 0..<500 where Self.isRunning(processID) { usleep(10_000) }
            }
            // It is tried again while it is there.
            try? FileManager.default.removeItem(atPath: folder)
            if !FileManager.default.fileExists(atPath: folder) { return }
            usleep(50_000)
        }
    }

    /// Whether a number still means a process that this one has started.
    private static func isChild(_ processID: Int32) -> Bool {
        fields(processID)?.dropFirst().first == "\(getpid())"
    }

    private static func isRunning(_ processID: Int32) -> Bool {
        isChild(processID) && fields(processID)?.first != "Z"
    }

    /// The state of a process, its parent, and more.
    private static func fields(_ processID: Int32) -> [Substring]? {
        let path = "/proc/\(processID)/stat"
        // A process that is gone has no such file.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        // The name of the program stands in parentheses, and may have any character.
        return text.lastIndex(of: ")").map { text[$0...].dropFirst().split(separator: " ") }
    }
}

/// A daemon or a server that runs.
final class RunningProcess {
    let processID: Int32
    private let started: StartedProgram
    private let program: Program
    private let log: String
    private let processes: Processes
    private var hasEnded = false

    fileprivate init(
        _ started: StartedProgram,
        _ program: Program,
        log: String,
        in processes: Processes
    ) {
        (self.started, self.program, self.log) = (started, program, log)
        (self.processes, processID) = (processes, started.processID)
    }

    var output: String { Self.text(log + ".out") }
    var errors: String { Self.text(log + ".err") }

    private static func text(_ path: String) -> String {
        // A file that cannot be read says nothing.
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    var isRunning: Bool {
        guard !hasEnded else { return false }
        // The program has started, so no error is left to come.
        if case .ended = try? started.nextChange(of: program) {
            hasEnded = true
            processes.forget(processID)
        }
        return !hasEnded
    }

    func send(_ signal: Int32) { if isRunning { started.send(signal) } }

    /// Sends a signal, and waits for the end.
    func end(by signal: Int32) {
        send(signal)
        for _ in 0..<1000 where isRunning { usleep(10_000) }
        if isRunning { send(SIGKILL) }
        while isRunning { usleep(1000) }
    }
}
